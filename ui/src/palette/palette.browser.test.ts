import axe from "axe-core";
import Search from "@lucide/svelte/icons/search";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { ConversationRow, SearchHit, SearchResults } from "../protocol";
import PaletteDialog from "./PaletteDialog.svelte";
import type { Action } from "./palette.svelte";

const row = (id: string, title: string, changes: Partial<ConversationRow> = {}): ConversationRow => ({ id, project: null, workspace: "/w", fork: null, parent: null, title, mode: "ask", model: null, fallbacks: [], generating: false, pending: 0, queued: 0, ended: null, unread: false, archived: false, seq: 1, created_at: 0, updated_at: 0, ...changes });
const hit = (text: string, seq = 7, changes: Partial<SearchHit> = {}): SearchHit => ({ conversation: "b", title: "Atlas retry", project: "atlas", archived: false, who: "assistant", seq, message: `m${seq}`, at: 0, snippet: [{ text: "about ", hit: false }, { text, hit: true }], ...changes });
const results = (...hits: SearchHit[]): SearchResults => ({ hits, complete: true });

type Answers = NonNullable<Parameters<typeof appWith>[0]>;

async function palette(answers: Answers = {}, ran: (id: string) => void = () => undefined): Promise<ReturnType<typeof appWith> & { calls: string[] }> {
  const given = appWith({ search: () => results(), complete_path: () => [], open: () => { throw failure("other"); }, ...answers });
  given.app.conversations.restart({ projects: [], conversations: [row("a", "整理访谈"), row("b", "Atlas retry"), row("c", "Old retry", { archived: true })], settings: given.app.settings.value as never, notices: [] });
  const calls: string[] = [];
  const action = (id: string, label: string, group: Action["group"] = "actions", keys?: string): Action => ({ id, label, group, icon: Search, run: () => ran(id), ...(keys ? { keys } : {}) });
  const props = {
    open: true,
    actions: [action("new", "New conversation", "actions", "Mod+N"), action("stop", "Stop what is running"), action("theme", "Colours: Dark", "settings")],
    onopen: (id: string) => calls.push(`open ${id}`),
    onhit: (found: SearchHit) => calls.push(`hit ${found.seq}`),
    onfile: (path: string) => calls.push(`file ${path}`),
  };
  await render(WithApp, { props: { app: given.app, component: PaletteDialog as never, props } });
  return { ...given, calls };
}

const field = () => page.getByRole("combobox");
const options = () => page.getByRole("option").elements().map((option) => option.textContent?.replace(/\s+/g, " ").trim());
const chosen = () => page.getByRole("option").elements().find((option) => option.getAttribute("aria-selected") === "true")?.textContent ?? "";

test("it begins with what was open last and with everything that can be done, and the field has the focus", async () => {
  await palette();
  await expect.element(field()).toHaveFocus();
  expect(page.getByRole("group").elements().map((group) => group.querySelector(".heading")?.textContent)).toEqual(["Recent conversations", "Actions", "Settings"]);
  expect(options().length).toBe(5);
  await expect.element(page.getByText("Arrows choose")).toBeVisible();
  expect((await axe.run(document.body, { rules: { region: { enabled: false } } })).violations).toEqual([]);
});

test("by the keyboard alone: arrows go round, Enter does what is chosen after the palette is gone", async () => {
  const ran = vi.fn();
  await palette({}, ran);
  await userEvent.keyboard("{ArrowUp}");
  expect(chosen()).toContain("Colours: Dark");
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(chosen()).toContain("Atlas retry");
  await field().fill("stop");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => ran.mock.calls).toEqual([["stop"]]);
  await expect.poll(() => page.getByRole("dialog").elements().length).toBe(0);
});

test("titles, actions, files and messages are found, what matched stands out, and each leads to its place", async () => {
  const { app, calls } = await palette({ search: () => results(hit("retry", 7), hit("Atlas retry", 0, { who: "title", seq: null, message: null })), complete_path: ({ typed }) => [`src/${typed}.rs`] });
  app.conversations.select("a");
  await field().fill("retry");
  await expect.poll(options).toEqual([expect.stringMatching(/^Atlas retry/), expect.stringMatching(/^Old retry Archived/), expect.stringContaining("src/retry.rs"), expect.stringMatching(/^Atlas retry.*Assistant · about retry$/)]);
  expect([...document.querySelectorAll("[role=option] mark")].map((mark) => mark.textContent)).toEqual(["retry", "retry", "retry", "retry"]);
  await userEvent.keyboard("{ArrowUp}{Enter}");
  await expect.poll(() => calls).toEqual(["hit 7"]);
});

test("an answer to what is no longer typed is thrown away, and Enter waits for the messages that are looked for", async () => {
  const answers: ((found: SearchResults) => void)[] = [];
  const { asked, calls } = await palette({ search: () => new Promise<SearchResults>((resolve) => answers.push(resolve)) });
  await field().fill("first words");
  await expect.poll(() => answers.length).toBe(1);
  await expect.element(page.getByText("Looking through messages")).toBeVisible();
  await field().fill("second words");
  await expect.poll(() => answers.length).toBe(2);
  answers[0]?.(results(hit("first", 1)));
  await tick();
  expect(options()).toEqual([]);
  await userEvent.keyboard("{Enter}");
  expect(calls).toEqual([]);
  answers[1]?.(results(hit("second", 2)));
  await expect.poll(() => calls).toEqual(["hit 2"]);
  expect(asked.filter(({ method }) => method === "search").map(({ params }) => (params as { query: string }).query)).toEqual(["first words", "second words"]);
});

test("what an input method is at is neither looked for nor taken", async () => {
  const { asked, calls } = await palette({ search: ({ query }) => results(hit(query, 3)) });
  const input = field().element() as HTMLInputElement;
  input.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
  await field().fill("shuju");
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", keyCode: 229, bubbles: true, cancelable: true }));
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", isComposing: true, bubbles: true, cancelable: true }));
  expect(asked.some(({ method }) => method === "search")).toBe(false);
  await field().fill("数据");
  input.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "数据" }));
  await expect.poll(() => asked.filter(({ method }) => method === "search").map(({ params }) => (params as { query: string }).query)).toEqual(["数据"]);
  expect(calls).toEqual([]);
  await expect.poll(options).toEqual([expect.stringContaining("about 数据")]);
});

test("nothing found, a failure and an index that isn't complete are said in words", async () => {
  let next: () => SearchResults = () => results();
  await palette({ search: () => next() });
  await field().fill("nowhere");
  await expect.element(page.getByText("Nothing fits “nowhere”")).toBeVisible();
  next = () => ({ hits: [hit("old")], complete: false });
  await field().fill("older");
  await expect.element(page.getByText(/Older conversations are still being indexed/)).toBeVisible();
  next = () => { throw failure("storage", "the disk is full"); };
  await field().fill("oldest");
  await expect.element(page.getByRole("alert")).toHaveTextContent("Messages can't be searched: the disk is full");
});
