import { expect, test } from "vitest";
import { sentences } from "./sentences";

test("an answer is said sentence by sentence, and nothing twice", () => {
  const text = "The loop **retries**. 流开始之后不再重试。And the";
  const first = sentences(text, 0, false);
  expect(first.said).toBe("The loop retries. 流开始之后不再重试。");
  expect(sentences(text, first.next, false).said).toBe("");
  expect(sentences(`${text} end`, first.next, true).said).toBe("And the end");
});

test("figures and paths don't end a sentence", () => {
  expect(sentences("See src/retry.rs or 0.21 for", 0, false).said).toBe("");
});
