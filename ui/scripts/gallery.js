// Builds the gallery or the rehearsal, serves it on loopback with the product's content security policy and opens it in the
// system's Chromium.
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium as playwright } from "playwright-core";
import { build } from "vite";
import { chromium } from "../browser.js";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src ipc: http://ipc.localhost";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };

export const openGallery = () => openBuilt("gallery");

/** @param {"gallery" | "rehearsal"} name */
export async function openBuilt(name) {
  const root = fileURLToPath(new URL(`../../node_modules/.cache/assent-${name}`, import.meta.url));
  await build({ configFile: fileURLToPath(new URL("../vite.config.ts", import.meta.url)), mode: name, logLevel: "error" });
  const server = createServer((request, response) => {
    const path = join(root, new URL(request.url ?? "/", "http://localhost").pathname);
    if (!path.startsWith(root) || !existsSync(path)) {
      response.writeHead(404).end();
      return;
    }
    const type = TYPES[/** @type {keyof typeof TYPES} */ (extname(path))] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-security-policy": POLICY });
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the gallery's server has no port");
  const base = `http://127.0.0.1:${address.port}`;
  const browser = await playwright.launch(chromium);
  /** @type {string[]} What the page did wrong: policy violations, errors, requests to elsewhere. */
  const problems = [];

  return {
    problems,
    browser,
    /** @param {Record<string, string>} query @param {{ width: number, height: number }} viewport */
    async page(query, viewport = { width: 1100, height: 1500 }) {
      const page = await browser.newPage({ viewport });
      page.on("console", (message) => { if (message.type() === "error") problems.push(message.text()); });
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("request", (request) => { if (!request.url().startsWith(base) && !request.url().startsWith("blob:")) problems.push(`request to ${request.url()}`); });
      await page.goto(`${base}/${name}.html?${new URLSearchParams(query)}`, { waitUntil: "networkidle" });
      await page.evaluate(() => document.fonts.ready);
      return page;
    },
    async close() {
      await browser.close();
      await new Promise((resolve) => server.close(() => resolve(undefined)));
    },
  };
}
