// Compiles the message catalogue without a bundler, so that the type check finds its types.
// Vite and Vitest compile by themselves, with the same options.
import { compile } from "@inlang/paraglide-js";
import { messages } from "../messages.config.js";

await compile({ ...messages, strategy: [...messages.strategy] });
