// Prints what one streamed delta costs in a 40 kB message: by blocks, and with the whole message read again.
// Usage: node ui/scripts/markdown-perf.js
import { Lexer } from "marked";
import { fileURLToPath } from "node:url";
import { createServer } from "vite";

const server = await createServer({ configFile: false, root: fileURLToPath(new URL("..", import.meta.url)), server: { middlewareMode: true }, appType: "custom", logLevel: "error" });
const { Blocks } = await server.ssrLoadModule("/src/markdown/blocks.ts");
const { message } = await server.ssrLoadModule("/src/gallery/samples.ts");
let text = "";
while (text.length < 40_000) text += `${message}\n\n`;

/** @param {(text: string) => unknown} read */
function measure(read) {
  const costs = [];
  for (let end = 39_000; end < 40_000; end += 5) {
    const start = performance.now();
    read(text.slice(0, end));
    costs.push(performance.now() - start);
  }
  costs.sort((a, b) => a - b);
  return `median ${costs[costs.length >> 1]?.toFixed(2)} ms, p99 ${costs[Math.floor(costs.length * 0.99)]?.toFixed(2)} ms`;
}

const blocks = new Blocks();
for (let end = 0; end < 39_000; end += 500) blocks.update(text.slice(0, end), false);
console.log(`by blocks:  ${measure((part) => blocks.update(part, false))}`);
console.log(`as a whole: ${measure((part) => new Lexer({ gfm: true }).lex(part))}`);
await server.close();
