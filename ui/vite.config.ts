// Builds the window's page into ui/dist. In mode "gallery" or "rehearsal" it builds that page instead, elsewhere,
// so that neither can ever be part of the product.
import { paraglideVitePlugin } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";
import { messages } from "./messages.config.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const isAside = (mode: string): boolean => mode === "gallery" || mode === "rehearsal";

export default defineConfig(({ mode }) => ({
  root: here("."),
  cacheDir: here("../node_modules/.vite"),
  plugins: [
    paraglideVitePlugin({ ...messages, strategy: [...messages.strategy] }),
    svelte({ configFile: here("./svelte.config.js") }),
  ],
  build: {
    outDir: isAside(mode) ? here(`../node_modules/.cache/assent-${mode}`) : here("./dist"),
    emptyOutDir: true,
    // WebKitGTK 2.4x is the oldest of the web views; it stands at Safari 16's language level.
    target: "safari16",
    // A font as a data: address would need a wider content security policy.
    assetsInlineLimit: 0,
    rollupOptions: { input: isAside(mode) ? here(`./${mode}.html`) : here("./index.html") },
  },
  worker: { format: "es" },
  clearScreen: false,
  server: { port: 5173, strictPort: true, host: "127.0.0.1" },
}));
