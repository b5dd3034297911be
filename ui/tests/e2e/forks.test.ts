// Forks in the whole window: an edited message, another try, a fork from an answer, and what the model saw against the request before.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { begin, composer, faults, messages, openStage, say, type Rehearsal, type Stage } from "./rehearsal";

let stage: Stage;
let page: Page;

beforeAll(async () => {
  stage = await openStage();
}, 240_000);
afterAll(async () => {
  await stage.close();
});
afterEach(async () => {
  await page.close();
  expect(stage.problems).toEqual([]);
});

const said = () => messages(page).getByRole("article", { name: "You" });
const answers = () => messages(page).getByRole("article", { name: "Assistant" });
const idle = () => page.getByRole("button", { name: /^Stop/ }).waitFor({ state: "detached" });

/** One question and its answer. */
async function asked(text: string): Promise<void> {
  await say(page, text);
  await answers().filter({ hasText: text }).last().waitFor();
  await idle();
}

test("a message is edited and sent again in a fork: what was said stays, and the fork says where it comes from", async () => {
  page = await begin(stage);
  await asked("one thing");
  await asked("another thing");
  await said().nth(1).hover();
  await said().nth(1).getByRole("button", { name: "Edit and send again" }).click();
  const editor = messages(page).getByRole("textbox", { name: "Edit and send again" });
  expect(await editor.inputValue()).toBe("another thing");
  expect(await faults(page)).toEqual([]);
  await editor.fill("a better thing");
  await editor.press("Escape");
  await editor.waitFor({ state: "detached" });
  expect(await said().nth(1).innerText()).toContain("another thing");
  await expect.poll(() => said().nth(1).getByRole("button", { name: "Edit and send again" }).evaluate((button) => button === document.activeElement)).toBe(true);
  await page.keyboard.press("Enter");
  await editor.fill("a better thing");
  await editor.press("Enter");
  await answers().filter({ hasText: "a better thing" }).waitFor();
  await idle();
  expect(await messages(page).innerText()).not.toContain("another thing");
  await messages(page).getByText("Forked from").waitFor();
  await page.getByRole("navigation").getByText("A fork of another conversation").waitFor({ state: "attached" });
  expect(await faults(page)).toEqual([]);
  await messages(page).getByRole("button", { name: "one thing" }).click();
  await said().filter({ hasText: "another thing" }).waitFor();
});

test("an answer is asked for again, and gone on from, each in a fork", async () => {
  page = await begin(stage);
  await asked("first words");
  await asked("second words");
  await answers().first().hover();
  await answers().first().getByRole("button", { name: "Fork from here" }).click();
  await messages(page).getByText("Forked from").waitFor();
  expect(await said().allInnerTexts()).toEqual([expect.stringContaining("first words")]);
  await asked("other words");
  await answers().last().hover();
  await answers().last().getByRole("button", { name: "Ask again, in a fork" }).click();
  await expect.poll(() => said().count()).toBe(2);
  await answers().filter({ hasText: "other words" }).waitFor();
  await idle();
  await expect.poll(() => page.getByRole("navigation").getByText("A fork of another conversation").count()).toBe(2);
});

test("a card that waits stays in its conversation; in the fork its call is closed", async () => {
  page = await begin(stage);
  await say(page, "run it");
  await messages(page).getByText("Waiting for you").waitFor();
  await answers().first().hover();
  await answers().first().getByRole("button", { name: "Fork from here" }).click();
  await messages(page).getByText("Forked from").waitFor();
  expect(await messages(page).getByRole("button", { name: /^Approve/ }).count()).toBe(0);
  expect(await page.getByRole("button", { name: /^Stop/ }).count()).toBe(0);
  await page.getByRole("navigation").getByTitle("1 decision waits for you").first().waitFor();
  await composer(page).waitFor();
});

test("what the model saw is compared with the request before", async () => {
  page = await begin(stage);
  await asked("the first question");
  await asked("the second question");
  await answers().last().hover();
  await answers().last().getByRole("button", { name: "What the model saw" }).click();
  const dialog = page.getByRole("dialog", { name: "What the model saw" });
  await dialog.getByRole("radio", { name: "Against the request before" }).click();
  await dialog.getByText('"content": "the second question"').waitFor();
  expect(await faults(page)).toEqual([]);
  await dialog.getByRole("radio", { name: "All of it" }).click();
  await dialog.getByText('"model": "rehearsal"').waitFor();
});

test("a conversation is imported from a file into a project, and says so; a file that is none is told of", async () => {
  page = await begin(stage);
  await page.evaluate(() => {
    const { host } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    const at = { conversation: "elsewhere", at: 1 };
    host.file = JSON.stringify([
      { ...at, seq: 1, kind: "conversation/created", project: null, workspace: null },
      { ...at, seq: 2, kind: "title/set", title: "From the laptop", by: "user" },
      { ...at, seq: 3, kind: "user/message", message: "m1", text: "said on the laptop", delivery: "next-turn" },
      { kind: "export", version: 1, conversation: "elsewhere", upto: 3 },
    ]);
  });
  const imported = async (): Promise<void> => {
    await page.getByRole("heading", { name: "atlas" }).hover();
    await page.getByRole("button", { name: "Actions for atlas" }).click();
    await page.getByRole("menuitem", { name: "Import a conversation…" }).click();
  };
  await imported();
  await said().filter({ hasText: "said on the laptop" }).waitFor();
  await messages(page).getByText("Imported from a file").waitFor();
  expect(await faults(page)).toEqual([]);
  await asked("and here");
  await page.evaluate(() => {
    (window as unknown as { rehearsal: Rehearsal }).rehearsal.host.file = "# notes";
  });
  await imported();
  await page.getByText(/is no exported conversation/).waitFor();
});
