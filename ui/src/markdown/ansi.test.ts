import { expect, test } from "vitest";
import { ansi, AnsiReader } from "./ansi";

const SAMPLE = "plain \u001b[1;31mbold red\u001b[0m\r\nnext \u001b[38;5;46mgreen\u001b[39m \u001b[38;2;20;40;250mblue\u001b[m\n\u001b[4:3munder\u001b[24m\u001b[2Kx\u001b]0;title\u0007y";

test("colours become classes and other sequences stay in the text", () => {
  const lines = ansi(SAMPLE);
  expect(lines[0]).toEqual([{ text: "plain ", classes: [] }, { text: "bold red", classes: ["ansi-fg-1", "ansi-bold"] }]);
  expect(lines[1]).toEqual([{ text: "next ", classes: [] }, { text: "green", classes: ["ansi-fg-2"] }, { text: " ", classes: [] }, { text: "blue", classes: ["ansi-fg-4"] }]);
  expect(lines[2]?.map((piece) => piece.text).join("")).toBe("under\u001b[2Kx\u001b]0;title\u0007y");
});

test("every split into two chunks and one character at a time give the same lines", () => {
  const whole = ansi(SAMPLE).map((line) => line.map(({ text, classes }) => [...text].map((c) => `${c}${classes.join()}`)).flat());
  const flat = (reader: AnsiReader) => reader.lines.map((line) => line.map(({ text, classes }) => [...text].map((c) => `${c}${classes.join()}`)).flat());
  for (let at = 0; at <= SAMPLE.length; at += 1) {
    const reader = new AnsiReader();
    reader.push(SAMPLE.slice(0, at));
    reader.push(SAMPLE.slice(at));
    reader.end();
    expect(flat(reader), `split at ${at}`).toEqual(whole);
  }
  const single = new AnsiReader();
  for (const character of SAMPLE) single.push(character);
  single.end();
  expect(flat(single)).toEqual(whole);
});

test("a colour that is never ended goes on over lines", () => {
  expect(ansi("\u001b[32ma\nb")[1]).toEqual([{ text: "b", classes: ["ansi-fg-2"] }]);
});

test("an unfinished sequence at the end is shown, not lost", () => {
  expect(ansi("a\u001b[3")).toEqual([[{ text: "a", classes: [] }, { text: "\u001b[3", classes: [] }]]);
});

test("a sequence made to be endless is not held back for ever", () => {
  const reader = new AnsiReader();
  reader.push(`\u001b[${"1;".repeat(500)}`);
  expect(reader.lines[0]?.length).toBeGreaterThan(0);
});
