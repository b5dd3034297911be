// A person's way through the window: from a message to an approved change, and everything that can come between.
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { begin, composer, faults, hold, messages, openStage, say, type Rehearsal, type Stage } from "./rehearsal";

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

const button = (name: string | RegExp) => page.getByRole("button", { name });
const idle = () => messages(page).getByText(/^(Writing|Thinking|Running|Connecting|Waiting)/).waitFor({ state: "detached" });

test("a message streams, reads are folded, an edit and a command wait, both are approved and run, and the answer ends", async () => {
  page = await begin(stage, {}, { width: 1280, height: 1800 });
  await say(page, "Fix the retry in @src/retry.rs now");
  await messages(page).getByText("Fix the retry in").waitFor();
  expect(await composer(page).inputValue()).toBe("");
  await messages(page).getByText("Read 3 files").waitFor();
  await messages(page).getByText("Waiting for you · 2 decisions").waitFor();
  const approve = messages(page).getByRole("button", { name: /^Approve/ });
  expect(await approve.count()).toBe(2);
  await page.getByRole("navigation").getByTitle("2 decisions wait for you").first().waitFor();
  await approve.first().click();
  await messages(page).getByText("Waiting for you · 1 decision").waitFor();
  await approve.first().click();
  await messages(page).getByText("14 tests pass").or(messages(page).getByText("is never begun again")).first().waitFor();
  await idle();
  expect(await approve.count()).toBe(0);
  const shown = await messages(page).innerText();
  expect(shown).toContain("cargo test --workspace retry");
  expect(shown).toMatch(/\+4/);
});

test("while a turn runs Enter queues; the chip can be changed with Up, taken back, and what is left is sent after", async () => {
  page = await begin(stage, { speed: "1" });
  await say(page, "long");
  await button("Stop").waitFor();
  await composer(page).fill("first follow-up");
  await button("Queue").waitFor();
  await composer(page).press("Enter");
  await say(page, "second follow-up");
  const chips = page.getByTitle("Change what is queued");
  await chips.nth(1).waitFor();
  await composer(page).press("ArrowUp");
  const changing = page.getByRole("textbox", { name: "Change what is queued" });
  expect(await changing.inputValue()).toBe("second follow-up");
  await changing.fill("second, changed");
  await changing.press("Enter");
  await page.getByRole("button", { name: "Follow-up: second, changed" }).waitFor();
  await button("Take back “first follow-up”").click();
  await expect.poll(() => chips.count()).toBe(1);
  await composer(page).press("Escape");
  await messages(page).getByText("> second, changed").or(messages(page).locator("blockquote", { hasText: "second, changed" })).waitFor();
  expect(await messages(page).innerText()).not.toContain("first follow-up");
  await expect.poll(() => chips.count()).toBe(0);
});

test("what waits is put into another order by keys, and is sent in it", async () => {
  page = await begin(stage, { speed: "1" });
  await say(page, "long");
  await button("Stop").waitFor();
  for (const text of ["first", "second", "third"]) await say(page, text);
  const chips = page.getByTitle("Change what is queued");
  await chips.nth(2).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => chips.allInnerTexts()).toEqual(["first", "third", "second"]);
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => chips.allInnerTexts()).toEqual(["third", "first", "second"]);
  expect(await faults(page)).toEqual([]);
  await composer(page).press("Escape");
  const said = () => page.evaluate(() => {
    const { host } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    return [...host.conversations.values()].flatMap(({ log }) => log.events).flatMap((event) => (event.kind === "user/message" ? [event.text] : []));
  });
  await expect.poll(said, { timeout: 20_000 }).toEqual(["long", "third", "first", "second"]);
});

test("Ctrl+Enter puts a message in before the next model call", async () => {
  page = await begin(stage);
  const goOn = await hold(page);
  await say(page, "read both");
  await button("Stop").waitFor();
  await say(page, "only the readme", "Control+Enter");
  await goOn();
  await messages(page).getByText("Put in while it was at work").waitFor();
});

test("Esc stops; what had arrived stays, and Continue goes on", async () => {
  page = await begin(stage, { speed: "1" });
  await say(page, "count");
  await messages(page).getByText("1 2 3 4 5").waitFor();
  await page.keyboard.press("Escape");
  await messages(page).getByText("You stopped it. What had arrived is kept.").waitFor();
  expect(await messages(page).getByText("Cut off by your stop").count(), "it is said once").toBe(0);
  await button("Continue").click();
  await messages(page).getByText("The rest holds nothing").waitFor();
  await expect.poll(() => button("Continue").count()).toBe(0);
});

test("Esc asks before it drops cards that wait", async () => {
  page = await begin(stage);
  await say(page, "run it");
  await messages(page).getByText("Waiting for you").waitFor();
  await composer(page).press("Escape");
  const question = page.getByRole("dialog");
  await question.getByText("1 card waits for your decision").waitFor();
  await question.getByRole("button", { name: "Go on" }).click();
  await messages(page).getByText("Waiting for you").waitFor();
  await composer(page).press("Escape");
  await question.getByRole("button", { name: "Stop" }).click();
  await messages(page).getByText("You stopped it").waitFor();
  expect(await messages(page).getByRole("button", { name: /^Approve/ }).count()).toBe(0);
});

test("typing while a card waits rejects it with that note, and the button says so", async () => {
  page = await begin(stage);
  await say(page, "run it");
  await messages(page).getByText("Waiting for you").waitFor();
  await composer(page).fill("use nextest instead");
  await button("Reject and send").waitFor();
  await composer(page).press("Enter");
  await messages(page).getByText("Waiting for you").waitFor({ state: "detached" });
  const note = await page.evaluate(() => {
    const { host } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    const events = [...host.conversations.values()].flatMap(({ log }) => log.events);
    return events.flatMap((event) => (event.kind === "approval/decided" ? [event.answer, event.note] : []));
  });
  expect(note).toEqual(["rejected", "use nextest instead"]);
});

test("an input method's Enter and Escape send and stop nothing", async () => {
  page = await begin(stage, { speed: "1" });
  await composer(page).focus();
  const keyboard = await page.context().newCDPSession(page);
  await keyboard.send("Input.imeSetComposition", { text: "zhengli", selectionStart: 7, selectionEnd: 7 });
  await keyboard.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 });
  await keyboard.send("Input.insertText", { text: "整理" });
  expect(await composer(page).inputValue()).toBe("整理");
  // WebKit ends the composition first and then says Enter, within the same key press.
  await composer(page).evaluate((field) => {
    field.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
    field.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "整理" }));
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  });
  expect(await composer(page).inputValue()).toBe("整理");
  // A person's next key press comes later than the input method's own, which is told by the time between them.
  await page.waitForFunction((ended) => performance.now() > ended + 50, await page.evaluate(() => performance.now()));
  await composer(page).press("Enter");
  await messages(page).getByText("整理").first().waitFor();
  await button("Stop").waitFor();
  await composer(page).evaluate((field) => field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", keyCode: 229, bubbles: true, cancelable: true })));
  expect(await messages(page).getByText("You stopped it").count()).toBe(0);
});

test("@ completes files, also right behind Chinese punctuation and in the middle of a word of an address not at all", async () => {
  page = await begin(stage);
  await composer(page).pressSequentially("请看，@retry");
  const files = page.getByRole("listbox", { name: "Files" });
  await files.getByRole("option").first().waitFor();
  await composer(page).press("ArrowDown");
  await composer(page).press("Enter");
  expect(await composer(page).inputValue()).toBe("请看，@tests/retry.rs ");
  await composer(page).pressSequentially("write to sam@src");
  expect(await files.count()).toBe(0);
  await composer(page).pressSequentially(" @七月");
  await files.getByRole("option", { name: /七月 整理/ }).click();
  expect(await composer(page).inputValue()).toContain('@"访谈/七月 整理.md" ');
});

test("@ completes symbols behind Chinese punctuation, and the message shows them by name", async () => {
  page = await begin(stage);
  await composer(page).pressSequentially("请看（@resume");
  await page.getByRole("option", { name: /Stream::resume/ }).waitFor();
  await composer(page).press("Enter");
  expect(await composer(page).inputValue()).toBe('请看（@"src/stream.rs:88 Stream::resume" ');
  await composer(page).press("Enter");
  const said = page.getByRole("article", { name: "You" });
  await expect.poll(async () => (await said.innerText()).replace(/\s+/g, " ")).toContain("Stream::resume src/stream.rs:88");
});

test("files that steer are shown above the composer, trusted as shown, and axe finds nothing", async () => {
  page = await begin(stage);
  await page.evaluate(async () => {
    const { host, app } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    host.steering = [{ path: "AGENTS.md", kind: "rules", text: "Be kind.⟨U+200B⟩\n", bytes: 12, cut: false, hidden: 1, hash: "aa", trusted: false, changed: null, trouble: null }];
    await app.steering.refresh(host.projects[0]!.id);
  });
  await page.getByText("1 file here would steer the model:").waitFor();
  expect(await faults(page)).toEqual([]);
  await button("Review").click();
  await page.getByRole("dialog").waitFor();
  expect(await faults(page)).toEqual([]);
  await button("Use 1 file").click();
  await page.getByText("would steer the model").waitFor({ state: "detached" });
  await composer(page).fill("/");
  await page.getByRole("listbox", { name: "Commands and skills" }).waitFor();
  expect(await faults(page)).toEqual([]);
});

test("drafts stay with their conversation, through switching and through the engine", async () => {
  page = await begin(stage);
  await composer(page).fill("half a thought");
  await page.keyboard.press("Control+n");
  await expect.poll(() => composer(page).inputValue()).toBe("");
  await composer(page).fill("another");
  await page.getByRole("navigation").locator("section [data-row]").last().click();
  await expect.poll(() => composer(page).inputValue()).toBe("half a thought");
  const kept = () => page.evaluate(() => [...(window as unknown as { rehearsal: Rehearsal }).rehearsal.host.conversations.values()].map(({ log }) => log.draft));
  await expect.poll(kept).toEqual(["half a thought", "another"]);
});

test("two conversations write at once; switching between them loses and doubles nothing", async () => {
  page = await begin(stage, { speed: "2" });
  await say(page, "count for a");
  await page.keyboard.press("Control+n");
  await expect.poll(() => messages(page).count()).toBe(0);
  await say(page, "count for b");
  await page.getByRole("navigation").getByTitle("At work").nth(1).waitFor();
  for (let turn = 0; turn < 10; turn += 1) {
    await page.keyboard.press(turn % 2 === 0 ? "Alt+ArrowDown" : "Alt+ArrowUp");
    await messages(page).getByText("1 2 3").first().waitFor();
  }
  await page.getByRole("navigation").getByTitle("At work").first().waitFor({ state: "detached", timeout: 50_000 });
  const wanted = Array.from({ length: 400 }, (_, index) => `${index + 1}`).join(" ");
  for (const key of ["Alt+ArrowDown", "Alt+ArrowUp"]) {
    await page.keyboard.press(key);
    await expect.poll(async () => (await messages(page).locator(".markdown").innerText()).replace(/\s+/g, " ").trim()).toBe(wanted);
  }
});

test("the list stays at its end while the composer grows, and lets go when a person scrolls away", async () => {
  page = await begin(stage, { speed: "0" }, { width: 1280, height: 700 });
  await say(page, "long");
  await messages(page).getByText("Part 12").waitFor();
  await idle();
  const left = () => messages(page).evaluate((list) => Math.round(list.scrollHeight - list.scrollTop - list.clientHeight));
  await expect.poll(left).toBe(0);
  await composer(page).pressSequentially("one\ntwo", { delay: 5 });
  for (let line = 0; line < 6; line += 1) await composer(page).press("Shift+Enter");
  await expect.poll(left).toBe(0);
  await messages(page).hover();
  await page.mouse.wheel(0, -600);
  await expect.poll(left).toBeGreaterThan(400);
  await composer(page).fill("one");
  await button("Jump to the latest").click();
  await expect.poll(left).toBe(0);
});

test("a first run opens a folder and asks what was clicked; in a narrow window the sidebar lies over it and gives the focus back", async () => {
  page = await stage.page({ lang: "en", theme: "light", world: "empty", speed: "20" }, { width: 700, height: 800 });
  await page.getByRole("button", { name: /What is in this folder/ }).click();
  await messages(page).getByText("What is in this folder").first().waitFor();
  const show = button("Show the sidebar");
  await show.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("navigation").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("navigation").waitFor({ state: "detached" });
  expect(await show.evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press("Control+,");
  await page.getByRole("dialog", { name: "Settings" }).waitFor();
});

test("an answer that broke off can be kept or asked for again; a failed request says so and can be tried again", async () => {
  page = await begin(stage, { speed: "20" });
  await say(page, "cut it");
  await button("Keep it").click();
  await expect.poll(() => button("Keep it").count()).toBe(0);
  await messages(page).getByText("it is opened once and then").waitFor();
  await say(page, "fail");
  await messages(page).getByText("the server answered 503 three times").waitFor();
  await button("Retry").click();
  await messages(page).getByText("I'm the rehearsal engine").waitFor();
});

test("what the model saw is shown, with whether it is still the same", async () => {
  page = await begin(stage, { speed: "20" });
  await say(page, "hello");
  await button("What the model saw").click();
  await page.getByRole("dialog").getByText("Its digest equals the recorded one").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("p50_the_approve_key_in_another_conversation_decides_nothing", async () => {
  page = await begin(stage);
  await say(page, "run it");
  await messages(page).getByText("Waiting for you").waitFor();
  await expect.poll(() => messages(page).getByRole("button", { name: /^Approve/ }).isEnabled()).toBe(true);
  await page.keyboard.press("Control+n");
  await page.getByText("What shall we do in atlas?").waitFor();
  for (const key of ["Control+Enter", "a", "Enter"]) await page.keyboard.press(key);
  await composer(page).fill("");
  await composer(page).press("Control+Enter");
  await page.keyboard.press("Control+i");
  await page.getByRole("complementary").getByText("atlas · run it").or(page.getByRole("complementary").getByText(/atlas · /)).first().waitFor();
  await page.getByRole("navigation").locator("button[aria-current=page]").waitFor();
  const decided = await page.evaluate(() => [...(window as unknown as { rehearsal: Rehearsal }).rehearsal.host.conversations.values()].flatMap(({ log }) => log.events).filter(({ kind }) => kind === "approval/decided").length);
  expect(decided).toBe(0);
});

test("p51_keys_at_the_moment_a_card_appears_are_typing_and_nothing_else", async () => {
  page = await begin(stage);
  await say(page, "run it");
  await messages(page).getByRole("button", { name: /^Approve/ }).waitFor();
  await page.keyboard.press("1");
  await page.keyboard.press("Space");
  await page.keyboard.type("wait");
  expect(await composer(page).inputValue()).toBe("1 wait");
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("TEXTAREA");
  await composer(page).fill("");
  await page.keyboard.press("Enter");
  await messages(page).getByText("Waiting for you · 1 decision").waitFor();
});

test("p82_p84_p85_p86_p87 a hostile answer is text: no script, no request, no frame, no way out", async () => {
  page = await begin(stage, { speed: "20" });
  await say(page, "attack");
  await messages(page).getByText("window.ran = true").waitFor();
  await idle();
  const seen = await page.evaluate(() => ({
    ran: "ran" in window,
    made: document.querySelectorAll("#app img, #app iframe, #app script, #app svg foreignObject, #app a[href]").length,
    text: document.querySelector('[aria-label="Messages"]')?.textContent ?? "",
  }));
  expect([seen.ran, seen.made]).toEqual([false, 0]);
  expect(seen.text).toContain('<img src=x onerror="window.ran=true">');
  expect(seen.text).toContain("(file:///etc/passwd)");
  expect(seen.text).toContain("graph TD");
  await messages(page).getByRole("link", { name: /Image: x/ }).click();
  await page.getByRole("dialog").getByText("https://sink.example/?d=SECRET").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  expect(await page.evaluate(() => (window as unknown as { rehearsal: Rehearsal }).rehearsal.host.openedLinks)).toEqual([]);
});

test("conversations are found, renamed, archived and deleted, with a way back", async () => {
  page = await begin(stage, { speed: "20" });
  await say(page, "hello there");
  const nav = page.getByRole("navigation");
  await nav.getByRole("button", { name: "hello there", exact: false }).first().waitFor();
  await button("Actions for hello there").click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("问候");
  await page.keyboard.press("Enter");
  await nav.getByTitle("问候").waitFor();
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("nothing like it");
  await nav.getByText("Nothing fits").waitFor();
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("问");
  await nav.getByTitle("问候").waitFor();
  await button("Actions for 问候").click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await nav.getByTitle("问候").waitFor({ state: "detached" });
  await button("Undo").click();
  await nav.getByTitle("问候").waitFor();
});

test("older messages come when the top is reached, until the first", async () => {
  page = await begin(stage, { speed: "0" });
  await page.evaluate(async () => {
    const { host, app } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    const conversation = host.create(host.projects[0]?.id ?? null);
    for (let turn = 1; turn <= 60; turn += 1) {
      conversation.send(`question ${turn}.`, "next-turn", false);
      await conversation.idle;
    }
    await app.refresh();
    await app.open(conversation.log.row.id);
  });
  await messages(page).getByText("question 60.").first().waitFor();
  expect(await messages(page).getByText("question 1.").count()).toBe(0);
  await messages(page).hover();
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -1500);
      return messages(page).getByText("question 1.").count();
    }, { timeout: 50_000 })
    .toBeGreaterThan(0);
  expect(await button("Show earlier messages").count()).toBe(0);
});

for (const theme of ["light", "dark"] as const) {
  test(`axe finds nothing on the main screens, ${theme}`, async () => {
    page = await stage.page({ lang: "en", theme, world: "empty" }, { width: 1280, height: 900 });
    expect(await faults(page), "first run").toEqual([]);
    await page.close();
    page = await stage.page({ lang: "en", theme }, { width: 1280, height: 900 });
    expect(await faults(page), "nothing open").toEqual([]);
    await page.getByRole("navigation").getByTitle("Retry only before the first byte").click();
    await page.keyboard.press("Control+i");
    await messages(page).getByRole("button", { name: /^Approve/ }).first().waitFor();
    expect(await faults(page), "cards and inbox").toEqual([]);
    await page.getByRole("navigation").getByTitle("Changelog for 0.4").click();
    await messages(page).getByText("Part 12").waitFor();
    expect(await faults(page), "a long answer").toEqual([]);
    await page.setViewportSize({ width: 700, height: 800 });
    await button("Show the sidebar").click();
    expect(await faults(page), "sidebar over the conversation").toEqual([]);
  });
}

test("an image and a PDF are picked, sent with a word, seen in the message, and the image opens larger", async () => {
  page = await begin(stage);
  const pixel = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const picked = [
    { name: "screen.png", mimeType: "image/png", buffer: pixel },
    { name: "paper.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.7\n") },
  ];
  await page.getByTestId("chooser").setInputFiles(picked);
  await button("Remove paper.pdf").waitFor();
  expect(await faults(page)).toEqual([]);
  await page.getByTestId("chooser").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("words") });
  await page.getByText("notes.txt can't be attached").first().waitFor();
  await say(page, "What is wrong here?");
  await messages(page).getByRole("img", { name: "screen.png" }).waitFor();
  await messages(page).getByText("paper.pdf").waitFor();
  await button("Remove paper.pdf").waitFor({ state: "detached" });
  await button("Show screen.png larger").click();
  await page.getByRole("dialog", { name: "screen.png" }).getByRole("img").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});
