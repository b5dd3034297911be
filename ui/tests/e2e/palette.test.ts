// Finding things in the whole window: the palette and the sidebar's field, and the way to what was found.
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

const field = () => page.getByRole("combobox", { name: /Search actions/ });
const option = (name: string | RegExp) => page.getByRole("option", { name });

/** A conversation with a long history, whose second message is looked for, and another one that is looked at. */
async function history(): Promise<void> {
  await page.evaluate(async () => {
    const { host, app } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    const long = host.create(host.projects[0]?.id ?? null);
    long.log.append({ kind: "title/set", title: "访谈的整理", by: "user" });
    for (let number = 0; number < 200; number += 1) {
      const text = number === 1 ? "先把数据库连接池调大" : `note ${number}`;
      long.log.append({ kind: "user/message", message: `m${number}`, text, delivery: "next-turn" });
    }
    await app.refresh();
  });
}

test("Ctrl+K, a Chinese word and Enter lead to a message that wasn't loaded; it has the focus and stands out until one goes on", async () => {
  page = await begin(stage);
  await history();
  await page.keyboard.press("Control+k");
  await field().fill("连接池");
  await option(/数据库连接池调大/).waitFor();
  expect(await faults(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "访谈的整理" }).waitFor();
  const found = messages(page).locator(".shown", { hasText: "先把数据库连接池调大" });
  await found.waitFor();
  await expect.poll(() => found.evaluate((row) => row.contains(document.activeElement))).toBe(true);
  const box = await found.boundingBox();
  expect(box && box.y > 0 && box.y + box.height < 900).toBe(true);
  expect(await faults(page)).toEqual([]);
  await composer(page).click();
  await expect.poll(() => messages(page).locator(".shown").count()).toBe(0);
});

test("the palette does what it lists: a mode, the settings, a file that is mentioned, and it closes with the same keys", async () => {
  page = await begin(stage);
  await page.keyboard.press("Control+k");
  await field().fill("plan");
  await page.keyboard.press("Enter");
  await page.getByLabel("Mode: Plan").waitFor();
  await page.keyboard.press("Control+k");
  await field().fill("retry.rs");
  await option(/src\/retry\.rs/).click();
  await expect.poll(() => composer(page).inputValue()).toBe("@src/retry.rs ");
  await expect.poll(() => composer(page).evaluate((area) => area === document.activeElement)).toBe(true);
  await page.keyboard.press("Control+k");
  await field().fill("appear");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Settings" }).getByText("Colours").first().waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+k");
  await field().waitFor();
  await page.keyboard.press("Control+k");
  await field().waitFor({ state: "detached" });
});

test("/ goes to the sidebar's field, which finds titles and messages; in a text it is a slash", async () => {
  page = await begin(stage);
  await history();
  await say(page, "say nothing of it");
  await messages(page).getByText("say nothing of it").first().waitFor();
  await composer(page).press("/");
  expect(await composer(page).inputValue()).toBe("/");
  await composer(page).fill("");
  await messages(page).focus();
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox", { name: "Search conversations" });
  await expect.poll(() => search.evaluate((input) => input === document.activeElement)).toBe(true);
  await search.fill("数据库");
  const found = page.getByRole("navigation").getByRole("button", { name: /先把数据库连接池调大/ });
  await found.waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await messages(page).locator(".shown", { hasText: "先把数据库连接池调大" }).waitFor();
  await search.fill("nowhere");
  await page.getByText("Nothing fits “nowhere”").waitFor();
});
