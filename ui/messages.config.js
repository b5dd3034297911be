// The one place that says how the message catalogue is compiled, for Vite, Vitest and the type check.
// It says nothing about which language is shown: that is `src/locales`.
import { fileURLToPath } from "node:url";

/** @param {string} path */
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

export const messages = /** @type {const} */ ({
  project: here("./project.inlang"),
  outdir: here("./src/paraglide"),
  // The window asks `src/locales` at run time; nothing is kept in cookies, addresses or local storage.
  strategy: ["globalVariable", "baseLocale"],
  emitTsDeclarations: true,
  outputStructure: "locale-modules",
});
