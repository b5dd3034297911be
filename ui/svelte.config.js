// Compiler settings. Styles leave the components as files: the content security policy allows no inline style.
import { vitePreprocess } from "@sveltejs/vite-plugin-svelte";

/** @type {import("@sveltejs/vite-plugin-svelte").SvelteConfig} */
export default {
  preprocess: vitePreprocess(),
  compilerOptions: { runes: undefined, css: "external" },
};
