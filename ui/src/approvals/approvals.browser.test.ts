import axe from "axe-core";
import { tick } from "svelte";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { commandCard, editCard, fileCard, longFile, NASTY, pending, pendingRow, repositoryCard, retryFile, secretCard } from "../gallery/calls";
import { appWith, conversation, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import { language } from "../locales";
import type { Card as CardData, FileDiff } from "../protocol";
import type { App, ToolCall } from "../state";
import { wearTheme } from "../theme/theme";
import ApprovalCard from "./ApprovalCard.svelte";
import { HOLD_MS } from "./arming.svelte";
import Card from "./Card.svelte";
import InboxPanel from "./InboxPanel.svelte";

/** What a real frame takes, whatever the clock of the test says. */
const frames = (count = 4): Promise<void> => new Promise((resolve) => {
  const next = (left: number): unknown => (left === 0 ? resolve() : requestAnimationFrame(() => next(left - 1)));
  next(count);
});
const pass = async (ms: number): Promise<void> => {
  await frames();
  vi.advanceTimersByTime(ms);
  await tick();
};

let focused = true;
beforeEach(() => {
  focused = true;
  vi.spyOn(document, "hasFocus").mockImplementation(() => focused);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function windowActive(active: boolean): void {
  focused = active;
  window.dispatchEvent(new Event(active ? "focus" : "blur"));
}

type Shown = { approve: ReturnType<typeof vi.fn>; reject: ReturnType<typeof vi.fn>; container: HTMLElement };

async function show(card: CardData = editCard(), over: Record<string, unknown> = {}): Promise<Shown> {
  const approve = vi.fn(() => new Promise<void>(() => undefined));
  const reject = vi.fn(() => new Promise<void>(() => undefined));
  const { container } = await render(Card, { card, since: Date.now(), again: null, after: null, folder: "~/code/atlas", model: "claude-sonnet", approve, reject, ...over });
  return { approve, reject, container };
}

const button = (container: HTMLElement, name: RegExp): HTMLButtonElement => {
  const found = [...container.querySelectorAll("button")].find((one) => name.test(one.getAttribute("aria-label") ?? one.textContent ?? ""));
  if (!found) throw new Error(`there is no button ${name}`);
  return found;
};
const approveButton = (container: HTMLElement): HTMLButtonElement => button(container, /^\s*Approve/);
const live = (container: HTMLElement): boolean => approveButton(container).getAttribute("aria-disabled") === "false";

function press(target: Element, key: string, init: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...init });
  target.dispatchEvent(event);
  return event;
}
const section = (container: HTMLElement): HTMLElement => container.querySelector<HTMLElement>(".card") as HTMLElement;
const MOD: KeyboardEventInit = { ctrlKey: true };

test("buttons are live only after the card has stood on the screen for half a second", async () => {
  const { container, approve, reject } = await show();
  approveButton(container).click();
  button(container, /^\s*Reject/).click();
  await pass(HOLD_MS - 1);
  approveButton(container).click();
  button(container, /^\s*Reject/).click();
  expect(live(container)).toBe(false);
  expect(container.querySelector("textarea")).toBeNull();
  await pass(1);
  expect(live(container)).toBe(true);
  approveButton(container).click();
  expect(approve).toHaveBeenCalledExactlyOnceWith({ reach: "once" });
  expect(reject).not.toHaveBeenCalled();
});

test("a card in a window that is not in use can't be answered, nor by the click that makes it so", async () => {
  focused = false;
  const { container, approve } = await show();
  await pass(5000);
  expect(live(container)).toBe(false);
  windowActive(true);
  approveButton(container).click();
  await pass(HOLD_MS - 1);
  approveButton(container).click();
  expect(approve).not.toHaveBeenCalled();
  await pass(1);
  windowActive(false);
  await tick();
  expect(live(container)).toBe(false);
  windowActive(true);
  await pass(HOLD_MS);
  approveButton(container).click();
  expect(approve).toHaveBeenCalledTimes(1);
});

test("a card below the edge of the screen is not shown, and a tall one is only when its start and end were", async () => {
  const { container, approve } = await show(editCard({ preview: { form: "diff", files: [longFile(39), { ...longFile(39), path: "b.ts" }, { ...longFile(39), path: "c.ts" }] } }));
  container.style.paddingTop = "3000px";
  await pass(2000);
  expect(live(container)).toBe(false);
  section(container).scrollIntoView({ block: "start" });
  await pass(2000);
  expect(live(container)).toBe(false);
  expect(container.textContent).toContain("Scroll down first");
  section(container).scrollIntoView({ block: "end" });
  await pass(HOLD_MS);
  expect(live(container)).toBe(true);
  expect(approve).not.toHaveBeenCalled();
});

test("p51_keys_in_the_first_half_second_do_nothing_and_only_the_shortcut_on_the_card_approves_after_it", async () => {
  const { container, approve, reject } = await show();
  for (const at of [0, 100, 200, 400]) {
    await pass(at === 0 ? 0 : 100);
    for (const key of ["Enter", " ", "1", "y", "a"]) press(section(container), key);
    press(section(container), "Enter", MOD);
  }
  expect(approve).not.toHaveBeenCalled();
  await pass(HOLD_MS);
  for (const key of ["Enter", " ", "1", "y", "a"]) {
    press(section(container), key);
    press(document.body, key);
  }
  press(document.body, "Enter", MOD);
  press(section(container), "Enter", { ...MOD, repeat: true });
  press(section(container), "Enter", { ...MOD, shiftKey: true });
  expect(approve).not.toHaveBeenCalled();
  press(section(container), "Enter", MOD);
  expect(approve).toHaveBeenCalledTimes(1);
  expect(reject).not.toHaveBeenCalled();
});

test("p51_the_focus_is_nowhere_near_approve_and_what_is_being_written_stays_where_it_is", async () => {
  const field = document.body.appendChild(document.createElement("textarea"));
  field.focus();
  const { approve } = await show();
  await pass(HOLD_MS);
  expect(document.activeElement).toBe(field);
  await userEvent.keyboard("yes{Enter}1 ");
  expect(field.value).toBe("yes\n1 ");
  expect(approve).not.toHaveBeenCalled();
  field.remove();
});

test("Enter and Space on the focused Approve button do not approve; a click does", async () => {
  const { container, approve } = await show();
  await pass(HOLD_MS);
  approveButton(container).focus();
  await userEvent.keyboard("{Enter}");
  await userEvent.keyboard(" ");
  expect(approve).not.toHaveBeenCalled();
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  expect(approve).toHaveBeenCalledTimes(1);
});

test("a button that came to the pointer is not live; one that the pointer moved to is", async () => {
  const { container, approve } = await show();
  await pass(HOLD_MS);
  const target = approveButton(container);
  const at = { clientX: 200, clientY: 300, pointerType: "mouse" };
  window.dispatchEvent(new PointerEvent("pointermove", at));
  target.dispatchEvent(new PointerEvent("pointerenter", at));
  await tick();
  target.click();
  expect(approve).not.toHaveBeenCalled();
  await pass(HOLD_MS);
  target.dispatchEvent(new PointerEvent("pointerenter", { ...at, clientX: 210 }));
  target.click();
  expect(approve).toHaveBeenCalledTimes(1);
});

test("a decision makes every other card wait anew, so that the second half of a double click meets none", async () => {
  const first = await show();
  const second = await show();
  await pass(HOLD_MS);
  approveButton(first.container).click();
  approveButton(second.container).click();
  expect([first.approve.mock.calls.length, second.approve.mock.calls.length]).toEqual([1, 0]);
  await pass(HOLD_MS);
  expect(live(second.container)).toBe(true);
});

test("p48_a_second_click_while_the_first_is_under_way_sends_nothing_and_the_card_stays_until_the_event", async () => {
  const { container, approve } = await show();
  await pass(HOLD_MS);
  const target = approveButton(container);
  target.click();
  target.click();
  press(section(container), "Enter", MOD);
  await tick();
  expect(approve).toHaveBeenCalledTimes(1);
  expect(container.textContent).toContain("Sending…");
  expect(container.querySelector(".card")).not.toBeNull();
  expect([...container.querySelectorAll("button")].some((one) => /Approve|Reject/.test(one.textContent ?? ""))).toBe(false);
});

test.each([
  ["not-pending", "It was decided already"],
  ["card-changed", "The card changed in the meantime"],
] as const)("the engine's %s is said in words, and there is nothing left to click", async (code, words) => {
  const { container } = await show(editCard(), { approve: () => Promise.reject(failure(code)) });
  await pass(HOLD_MS);
  approveButton(container).click();
  await vi.waitFor(() => expect(container.querySelector("[role=alert]")?.textContent).toContain(words));
  expect(container.textContent).not.toContain("Approve");
});

test("another failure leaves the card as it was, to be tried again after a moment", async () => {
  const { container } = await show(editCard(), { approve: () => Promise.reject(failure("storage", "the disk is full")) });
  await pass(HOLD_MS);
  approveButton(container).click();
  await vi.waitFor(() => expect(container.querySelector("[role=alert]")?.textContent).toContain("the disk is full"));
  expect(live(container)).toBe(false);
  await pass(HOLD_MS);
  expect(live(container)).toBe(true);
});

test("Reject opens the note; Enter sends it, Escape closes it, and no shortcut approves from inside", async () => {
  const { container, approve, reject } = await show();
  await pass(HOLD_MS);
  button(container, /^\s*Reject/).click();
  await pass(0);
  const field = container.querySelector("textarea") as HTMLTextAreaElement;
  expect(document.activeElement).toBe(field);
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await userEvent.keyboard("{Shift>}{Tab}{/Shift}");
  expect([approve.mock.calls.length, reject.mock.calls.length]).toEqual([0, 0]);
  field.focus();
  await userEvent.keyboard("{Escape}");
  expect(container.querySelector("textarea")).toBeNull();
  expect(reject).not.toHaveBeenCalled();
  button(container, /^\s*Reject/).click();
  await pass(0);
  await userEvent.keyboard("Use the other file{Enter}");
  expect(reject).toHaveBeenCalledExactlyOnceWith("Use the other file");
  expect(approve).not.toHaveBeenCalled();
});

test("a note that is being written is still there when its card was scrolled away and comes back", async () => {
  const card = editCard();
  const first = await render(Card, { card, since: Date.now(), again: null, after: null, folder: null, model: null, approve: () => Promise.resolve(), reject: () => Promise.resolve() });
  await pass(HOLD_MS);
  button(first.container, /^\s*Reject/).click();
  await pass(0);
  await userEvent.keyboard("Not like");
  await first.unmount();
  const { container, reject } = await show(card);
  expect(container.querySelector("textarea")?.value).toBe("Not like");
  await pass(0);
  await userEvent.keyboard(" this{Enter}");
  expect(reject).toHaveBeenCalledExactlyOnceWith("Not like this");
});

test("a wider scope is said in words, has to be chosen, and choosing it approves nothing", async () => {
  const { container, approve } = await show();
  await pass(HOLD_MS);
  await page.getByRole("button", { name: "How far it reaches: Once" }).click();
  await page.getByRole("menuitemcheckbox", { name: "Any file with patch_file, in this conversation" }).click();
  expect(approve).not.toHaveBeenCalled();
  await vi.waitFor(() => expect(container.textContent).toContain("Any file with patch_file, in this conversation"));
  await pass(HOLD_MS);
  approveButton(container).click();
  expect(approve).toHaveBeenCalledExactlyOnceWith({ reach: "conversation", rule: { tool: "patch_file", matcher: { by: "path", glob: "**" } } });
});

test("p02_every_line_of_a_command_is_shown_and_its_breaks_are_visible", async () => {
  const { container } = await show(commandCard("git status\ntouch MARK\r\necho\rdone"));
  expect(container.querySelector(".cmd")?.textContent).toBe("git status↵\ntouch MARK⟨U+000D⟩↵\necho⟨U+000D⟩done");
  expect(container.textContent).toContain("3 lines");
});

test("p08_a_command_of_60000_characters_states_its_length_and_approve_is_off_until_the_rest_was_opened", async () => {
  const command = `${"echo harmless; ".repeat(3993)}${"x".repeat(93)}; touch MARK`;
  const { container, approve } = await show(commandCard(command));
  section(container).scrollIntoView({ block: "end" });
  await pass(2000);
  expect(container.textContent).toContain(`${command.length.toLocaleString("en")} characters`);
  expect(container.querySelector(".cmd")?.textContent).toContain("; touch MARK");
  approveButton(container).click();
  press(section(container), "Enter", MOD);
  expect(approve).not.toHaveBeenCalled();
  expect(container.textContent).toContain("Open the rest first");
  button(container, /in between/).click();
  await pass(HOLD_MS);
  expect(container.querySelector(".cmd")?.textContent).toBe(command);
  for (const block of ["start", "end"] as const) {
    section(container).scrollIntoView({ block });
    await pass(HOLD_MS);
  }
  approveButton(container).click();
  expect(approve).toHaveBeenCalledTimes(1);
});

test("p09_a_space_at_the_end_of_a_program_s_name_is_visible", async () => {
  const { container } = await show(commandCard('"tool " --run', { program: "/work space/tool " }));
  expect(container.textContent).toContain("/work space/tool⟨U+0020⟩");
});

test("p05_the_programs_inside_of_a_wrapper_are_named", async () => {
  const { container } = await show(commandCard("env sh -c 'touch MARK'", { inner: ["sh", "touch"] }));
  expect(container.textContent).toContain("runs inside sh › touch");
});

test("folded changes are counted and have to be opened before Approve is live", async () => {
  const { container } = await show(editCard({ preview: { form: "diff", files: [longFile(60)] } }));
  section(container).scrollIntoView({ block: "end" });
  await pass(2000);
  expect(live(container)).toBe(false);
  expect(container.textContent).toContain("Open the rest first: 20 changed lines not shown yet");
  container.querySelector<HTMLButtonElement>("button.more")?.click();
  for (const block of ["start", "end"] as const) {
    await pass(0);
    section(container).scrollIntoView({ block });
  }
  await pass(HOLD_MS);
  expect(live(container)).toBe(true);
});

test("p60_hidden_characters_in_card_path_command_tool_and_reason_are_visible_and_move_nothing", async () => {
  const { path, command, tool } = NASTY;
  const rule = { tool, matcher: { by: "path", glob: path } } as const;
  const nasty: FileDiff = { ...retryFile, path, resolved: `${path}\u2066`, notes: [{ of: "through-link", path: `note\u202e${"\t".repeat(300)}end` }] };
  const cards = [
    fileCard("medium", { what: "edit", path, added: 4, removed: 3 }, [nasty, nasty]),
    fileCard("medium", { what: "rename", from: path, to: `${path}\u2028` }, [{ ...nasty, change: { is: "renamed", to: `${path}\u2028` } }]),
    commandCard(command, { folder: path, program: path, inner: [tool] }, { reach: { ...editCard().reach, warnings: [{ of: "script", path }, { of: "program-in-workspace", program: path }] } }),
    { ...secretCard(), reason: { what: "read-secret", path }, preview: { form: "read", path, bytes: 3 } } as CardData,
    repositoryCard(path),
    fileCard("low", { what: "look", target: `${path}${"\t".repeat(300)}end` }, [nasty]),
  ].map((card) => ({ ...card, breadths: [{ rule }] }));
  for (const card of cards) {
    const { container } = await show(card);
    await frames();
    const text = container.textContent ?? "";
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u2028-\u202e\u2066-\u2069]/);
    expect(text).toContain("⟨U+202E⟩");
    expect(text).toContain("⟨U+200B⟩");
    const box = section(container).getBoundingClientRect();
    for (const part of container.querySelectorAll(".card *")) {
      const inside = part.getBoundingClientRect();
      if (inside.width > 1) expect(inside.right, part.outerHTML.slice(0, 200)).toBeLessThanOrEqual(box.right + 1);
    }
    if (card.breadths.length > 0) {
      const menu = button(container, /How far it reaches/);
      await userEvent.click(menu);
      expect(document.querySelector("[role=menu]")?.textContent).toContain("patch⟨U+200B⟩_file");
      expect(document.querySelector("[role=menu]")?.textContent).not.toMatch(/[\u200b\u202e]/);
      await userEvent.keyboard("{Escape}");
    }
    container.remove();
  }
});

test("p43_p44_what_the_engine_notes_of_a_file_is_on_the_card", async () => {
  const { container } = await show(fileCard("medium", { what: "overwrite", path: "a.txt", added: 1, removed: 1 }, [{ ...retryFile, path: "a.txt", notes: [{ of: "kept", encoding: "UTF-8", bom: true, line_ends: "crlf" }, { of: "hidden", lines: 4464 }] }]), { again: "changed" });
  for (const words of ["Stays UTF-8 with byte-order mark, CRLF line ends", "4464 more removed lines are not shown", "changed since it was shown"]) expect(container.textContent).toContain(words);
});

function withCall(call: ToolCall, answers: Parameters<typeof appWith>[0] = {}): ReturnType<typeof appWith> & { current: ReturnType<typeof conversation>; call: ToolCall } {
  const current = conversation();
  current.calls.set(call.call, call);
  return { ...appWith(answers), current, call };
}

test("a card that is drawn anew starts anew, and an approval names the digest that was shown", async () => {
  const old = editCard();
  const { app, asked, call, current } = withCall(pending(old), { approve: () => null });
  const { container } = await render(WithApp, { props: { app, component: ApprovalCard as never, props: { call, conversation: current } } });
  await pass(HOLD_MS);
  expect(live(container)).toBe(true);
  const fresh = editCard();
  call.apply({ conversation: current.id, seq: 5, at: Date.now(), kind: "approval/requested", call: call.call, card: fresh, again: "changed" });
  await tick();
  expect(live(container)).toBe(false);
  expect(container.textContent).toContain("changed since it was shown");
  approveButton(container).click();
  expect(asked).toEqual([]);
  await pass(HOLD_MS);
  approveButton(container).click();
  expect(asked).toEqual([{ method: "approve", params: { call: call.call, digest: fresh.digest, scope: { reach: "once" }, note: null } }]);
  call.apply({ conversation: current.id, seq: 6, at: Date.now(), kind: "approval/decided", call: call.call, card: fresh.digest, answer: "approved", by: "user", scope: { reach: "once" } });
  await tick();
  expect(container.querySelector(".card")).toBeNull();
});

test("a card behind an unfinished edit says so", async () => {
  const first = pending(editCard());
  const { app, current } = withCall(first);
  const second = pending(commandCard("cargo test"), "run_command");
  current.calls.set(second.call, second);
  const { container } = await render(WithApp, { props: { app, component: ApprovalCard as never, props: { call: second, conversation: current } } });
  expect(container.textContent).toContain("runs after the edit");
});

async function inbox(app: App): Promise<{ container: HTMLElement; panel: HTMLElement; onopen: ReturnType<typeof vi.fn> }> {
  const onopen = vi.fn();
  const { container } = await render(WithApp, { props: { app, component: InboxPanel as never, props: { onopen } } });
  const panel = container.querySelector<HTMLElement>(".inbox") as HTMLElement;
  return { container, panel, onopen };
}

test("p50_the_inbox_lists_all_with_their_conversation_and_its_keys_work_in_it_alone", async () => {
  const { app, asked } = appWith({ approve: () => null, open: () => { throw failure("not-found"); } });
  const [one, two] = [pendingRow(editCard(), "Retry", "atlas", 1000), pendingRow(commandCard("cargo test"), "整理六月的访谈", null, 2000)];
  app.approvals.rows = [one, two];
  const { container, panel, onopen } = await inbox(app);
  expect(container.textContent).toContain("atlas · Retry");
  expect(container.textContent).toContain("No project · 整理六月的访谈");
  expect(container.querySelector(".card")).toBeNull();
  await pass(HOLD_MS);
  press(document.body, "a");
  press(panel, "a");
  expect(asked).toEqual([]);
  press(panel, "j");
  await tick();
  press(panel, "a");
  expect(asked).toEqual([]);
  await pass(HOLD_MS);
  press(panel, "a", MOD);
  press(panel, "a", { repeat: true });
  expect(asked).toEqual([]);
  press(panel, "j");
  await pass(HOLD_MS);
  press(panel, "a");
  expect(asked).toEqual([{ method: "approve", params: { call: two.call, digest: two.card.digest, scope: { reach: "once" }, note: null } }]);
  app.approvals.rows = [one];
  app.approvals.focused = one.call;
  await tick();
  press(panel, "a");
  expect(asked).toHaveLength(1);
  await pass(HOLD_MS);
  press(panel, "r");
  await pass(0);
  await userEvent.keyboard("a not now{Enter}");
  expect(asked.at(-1)).toEqual({ method: "reject", params: { call: one.call, note: "a not now" } });
  press(panel, "o");
  await vi.waitFor(() => expect(onopen).toHaveBeenCalledExactlyOnceWith(one));
});

test("the focus is not lost: it stays in the panel when a row opens, and goes to the next card when one closes", async () => {
  const { app, asked } = appWith({ approve: () => null });
  const [one, two] = [pendingRow(editCard(), "Retry", "atlas", 1000), pendingRow(commandCard("cargo test"), "Test", "atlas", 2000)];
  app.approvals.rows = [one, two];
  const { container, panel } = await inbox(app);
  container.querySelector<HTMLButtonElement>("button.ask")?.click();
  await tick();
  await tick();
  expect(document.activeElement).toBe(panel);
  const card = container.querySelector<HTMLElement>("[data-decision]") as HTMLElement;
  card.focus();
  await pass(HOLD_MS);
  press(card, "Enter", MOD);
  expect(asked).toHaveLength(1);
  app.approvals.rows = [two];
  app.approvals.focused = two.call;
  await frames();
  const next = container.querySelector<HTMLElement>("[data-decision]");
  expect(document.activeElement).toBe(next);
  expect(next?.getAttribute("aria-label")).toContain("Run a command");
});

test("an empty inbox says what it is for", async () => {
  const { container } = await inbox(appWith().app);
  expect(container.textContent).toContain("Nothing waits for you");
});

test.each([["light", "en"], ["dark", "zh-CN"]] as const)("axe finds nothing wrong in cards and inbox (%s, %s)", async (theme, lang) => {
  wearTheme(theme);
  language.set(lang);
  for (const card of [editCard(), commandCard("cargo test\nrm x\u202e", { inner: ["sh"], sandboxed: false }, { reach: { ...editCard().reach, raised: "runs-later", warnings: [{ of: "invisible" }] } }), secretCard(), repositoryCard(), fileCard("low", { what: "create", path: "a", lines: 1 }, [longFile(60)])]) await show(card, { again: "changed" });
  const { app } = appWith();
  app.approvals.rows = [pendingRow(editCard(), "Retry", "atlas"), pendingRow(commandCard("cargo test"), "T", null)];
  app.approvals.focused = app.approvals.rows[0]?.call ?? null;
  await inbox(app);
  await pass(HOLD_MS);
  vi.useRealTimers();
  const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false } } });
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`)).toEqual([]);
});
