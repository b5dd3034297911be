import { expect, test } from "vitest";
import { Lexer } from "marked";
import { Blocks } from "./blocks";
import { message } from "../gallery/samples";

const HARD = [
  "1. a\n\n2. b\n\n   c\n\n- x\n- y\n\n\ntext\n===\n\nmore\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n<https://x.y> | z\n\nend",
  "para\n- item\n  ```js\n  let a = 1;\n\n  let b;\n  ```\n- next\n\n> quote\nlazy\n\n> other\n\n    code\n\n    more code\n\n***\n~~~\n```\n~~~\nafter",
  "a\r\n\r\n# b\r\n\r\n```\r\nc\r\n```\r\n",
  "<div>\nx\n\n</div>\n\n<img src=x onerror=alert(1)>\n\ny `z\n\nw` *v\n\nu*",
  "- [ ] a\n- [x] b\n\n![alt](http://i.j/k.png)\n\n# h\n## i\ntext right below\n1) p\n2) q\n\n* * *\n",
  message,
];

const shape = (blocks: ReturnType<Blocks["update"]>) => blocks.map(({ key, token }) => [key, token.type, token.raw]);

test("a message read in pieces ends as the same blocks as a message read at once", () => {
  for (const text of HARD) {
    const whole = shape(new Blocks().update(text, true));
    for (let at = 0; at <= text.length; at += 1) {
      const reader = new Blocks();
      reader.update(text.slice(0, at), false);
      expect(shape(reader.update(text, true)), `${JSON.stringify(text.slice(0, 40))} split at ${at}`).toEqual(whole);
    }
    const single = new Blocks();
    for (let end = 1; end <= text.length; end += 1) single.update(text.slice(0, end), false);
    expect(shape(single.update(text, true)), JSON.stringify(text.slice(0, 40))).toEqual(whole);
  }
});

test("closed blocks keep their identity, so that nothing of them is parsed or drawn again", () => {
  const reader = new Blocks();
  const seen = new Map<number, unknown>();
  for (let end = 1; end <= message.length; end += 1) {
    const blocks = reader.update(message.slice(0, end), false);
    for (const block of blocks) {
      if (!block.closed) continue;
      if (seen.has(block.key)) expect(seen.get(block.key)).toBe(block.token);
      seen.set(block.key, block.token);
    }
    expect(blocks.filter((block) => !block.closed).length).toBeLessThanOrEqual(2);
  }
  expect(seen.size).toBeGreaterThanOrEqual(8);
});

test("a link that is defined below its use is resolved when the message is complete", () => {
  const text = "see [there][r]\n\nmore\n\n[r]: https://example.com/x\n";
  const reader = new Blocks();
  for (let end = 1; end <= text.length; end += 1) reader.update(text.slice(0, end), false);
  expect(JSON.stringify(reader.update(text, true))).toContain('"href":"https://example.com/x"');
});

test("a link that was defined above is known to later blocks", () => {
  const reader = new Blocks();
  reader.update("[r]: https://example.com/x\n\nfirst\n\nsecond\n\n", false);
  expect(JSON.stringify(reader.update("[r]: https://example.com/x\n\nfirst\n\nsecond\n\nthird [l][r]\n", false))).toContain('"href":"https://example.com/x"');
});

test("another text starts anew", () => {
  const reader = new Blocks();
  reader.update("one\n\ntwo\n\nthree\n\n", false);
  expect(shape(reader.update("other", true))).toEqual([[0, "paragraph", "other"]]);
});

const fill = (part: string): string => part.repeat(Math.ceil(40_000 / part.length)).slice(0, 40_000);

test("texts made to be slow are read in bounded time and lose nothing", () => {
  const bombs = [
    ...["> ", ">", "1. ", "> - ", "*a ", "**a *b ", "_a ", "[", "[a](", "![a](", "` `` ", "<a ", "<", "~~a ", "a@b.", "__a__b", "[a](b(c(", "# ", "- ", "\\*"].map(fill),
    Array.from({ length: 280 }, (_, n) => `${"  ".repeat(n)}- x`).join("\n"),
    `|a|\n|-|\n${fill("|")}`,
    Array.from({ length: 20 }, () => "__a__b".repeat(330)).join("\n\n"),
  ];
  for (const bomb of bombs) {
    const before = performance.now();
    const blocks = new Blocks().update(bomb, true);
    const took = performance.now() - before;
    expect(took, JSON.stringify(bomb.slice(0, 30))).toBeLessThan(2000);
    expect(bomb.replace(/\n+$/g, "")).toContain(blocks.map((block) => block.token.raw).join("").slice(0, 1000));
  }
});

test("a long paragraph without tricks keeps its emphasis", () => {
  const text = `${"A plain sentence of an ordinary length. ".repeat(300)}**bold**`;
  expect(JSON.stringify(new Blocks().update(text, true)[0]?.token)).toContain('"type":"strong"');
});

test("a long plain paragraph is what the lexer makes of it, however it is cut", () => {
  const text = `${"plain words, and 中文。 ".repeat(200)}end`;
  const [block] = new Blocks().update(text, true);
  const [token] = new Lexer({ gfm: true }).lex(text);
  expect(block?.token).toEqual(token);
  const reader = new Blocks();
  for (let at = 900; at < text.length; at += 333) reader.update(text.slice(0, at), false);
  for (const more of ["\n", "\n* a list", "\n===", " and `code`"]) {
    const blocks = new Blocks().update(text + more, true);
    reader.update(text, false);
    expect(reader.update(text + more, false).map(({ token: { type } }) => type)).toEqual(blocks.map(({ token: { type } }) => type));
  }
});
