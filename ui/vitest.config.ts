// Two kinds of tests: pure ones in Node, and components in a real browser. The catalogue is compiled once, before both.
import { compile } from "@inlang/paraglide-js";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { playwright } from "@vitest/browser-playwright";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { chromium } from "./browser.js";
import { messages } from "./messages.config.js";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

await compile({ ...messages, strategy: [...messages.strategy] });

export default defineConfig({
  root: here("."),
  cacheDir: here("../node_modules/.vite"),
  plugins: [svelte({ configFile: here("./svelte.config.js") })],
  test: {
    // The machines that run this are small and busy; a test that hangs is still found.
    testTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "node", include: ["src/**/*.test.ts", "tests/*.test.ts", "tests/e2e/*.test.ts"], exclude: ["**/*.browser.test.ts"], environment: "node" } },
      {
        extends: true,
        // Named here, so that nothing is found late and the page reloads in the middle of a test. Icons are too many to name.
        optimizeDeps: {
          include: ["svelte-sonner", "bits-ui", "virtua/svelte", "marked", "entities", "vitest-browser-svelte", "axe-core", "shiki > @shikijs/core", "shiki > @shikijs/engine-javascript"],
          exclude: ["shiki", "@shikijs/langs", "@lucide/svelte"],
        },
        test: {
          name: "browser",
          include: ["src/**/*.browser.test.ts", "tests/*.browser.test.ts"],
          setupFiles: [here("./tests/setup.browser.ts")],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({ launchOptions: chromium }),
            instances: [{ browser: "chromium", viewport: { width: 1100, height: 800 } }],
          },
        },
      },
    ],
  },
});
