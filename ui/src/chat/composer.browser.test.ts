import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { Methods, SkillList, SymbolHit } from "../protocol";
import Composer from "./Composer.svelte";

const skills: SkillList = {
  skills: [
    { name: "review", description: "Looks at changes", source: "workspace", path: ".claude/skills/review/SKILL.md", trusted: true },
    { name: "release", description: "Ships it", source: "workspace", path: ".claude/skills/release/SKILL.md", trusted: false },
    { name: "评审", description: "看改动", source: "user", path: "/home/sam/.agents/skills/评审/SKILL.md", trusted: true },
  ],
  problems: [{ path: ".agents/skills/bad/SKILL.md", line: 3, trouble: { is: "bad-front-matter", message: "mapping values are not allowed" } }],
};
const symbols: SymbolHit[] = [{ name: "Retry::run", kind: "fn", path: "src/重试.rs", line: 42 }];

type Answers = { [M in keyof Methods]?: (params: Methods[M]["params"]) => Methods[M]["result"] };

async function compose(answers: Answers = {}) {
  const shown = conversation();
  shown.row = { ...shown.row, pending: 0, generating: false };
  shown.generating = false;
  shown.loaded = true;
  const given = appWith({ skills: () => skills, complete_path: ({ typed }) => ["src/retry.rs", "README.md"].filter((path) => path.includes(typed)), complete_symbol: ({ typed }) => symbols.filter(({ name }) => name.toLowerCase().includes(typed)), save_draft: () => null, save_draft_attachments: () => null, send: () => null, set_mode: () => null, models: () => [], ...answers });
  const onuntrusted = vi.fn();
  await render(WithApp, { props: { app: given.app, component: Composer as never, props: { conversation: shown, onsent: vi.fn(), onstop: vi.fn(), onuntrusted } } });
  await field().click();
  return { ...given, shown, onuntrusted };
}

const field = () => page.getByRole("textbox", { name: "Message" });
const list = () => page.getByRole("listbox");
const names = () => [...document.querySelectorAll('[role="option"] .name')].map((name) => name.textContent);
const sent = (asked: { method: string; params: unknown }[]) => asked.filter(({ method }) => method === "send").map(({ params }) => params);

test("a slash at the beginning offers commands and skills, with what is wrong with others", async () => {
  await compose();
  await userEvent.keyboard("/");
  await expect.poll(names).toEqual(["/compact", "/clear", "/model", "/mode", "/export", "/help", "/review", "/release", "/评审"]);
  await expect.element(page.getByText(".agents/skills/bad/SKILL.md:3 — the front matter can't be read: mapping values are not allowed")).toBeVisible();
  await userEvent.keyboard("rev");
  await expect.poll(names).toEqual(["/review"]);
  await userEvent.keyboard("{Enter}");
  await expect.element(field()).toHaveValue("/review ");
  await userEvent.keyboard("src");
  await expect.element(list()).not.toBeInTheDocument();
});

test("a slash behind Chinese punctuation offers skills alone, and in a word or a path nothing", async () => {
  const { asked } = await compose();
  await field().fill("请看，/评");
  await expect.poll(names).toEqual(["/评审"]);
  await userEvent.keyboard("{Tab}");
  await expect.element(field()).toHaveValue("请看，/评审 ");
  for (const text of ["和/或", "/usr/bin", "a/review", "https://x.org/rev"]) {
    await field().fill(text);
    await expect.element(list()).not.toBeInTheDocument();
  }
  await field().fill("/usr/bin");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => sent(asked)).toMatchObject([{ text: "/usr/bin" }]);
});

test("what nobody answers to is sent as text, and that is said before", async () => {
  const { asked } = await compose();
  await field().fill("/nothing");
  await expect.element(page.getByText("No command and no skill fits")).toBeVisible();
  await field().fill("/nothing here");
  await expect.element(page.getByText("There is no command or skill /nothing: it is sent as text")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => sent(asked)).toMatchObject([{ text: "/nothing here" }]);
});

test("commands act and are not sent; a mode is completed", async () => {
  const { asked, shown } = await compose();
  await userEvent.keyboard("/mo");
  await expect.poll(names).toEqual(["/model", "/mode"]);
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await expect.element(field()).toHaveValue("/mode ");
  await userEvent.keyboard("p");
  await expect.poll(names).toEqual(["plan"]);
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => asked.find(({ method }) => method === "set_mode")?.params).toEqual({ conversation: shown.id, mode: "plan" });
  await expect.element(field()).toHaveValue("");
  await field().fill("/help");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("dialog", { name: "What can be typed" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(sent(asked)).toEqual([]);
});

test("a summary is asked for with what matters in it, or without", async () => {
  const { asked, shown } = await compose({ compact: () => null });
  for (const [text, instructions] of [["/compact keep the paths", "keep the paths"], ["/compact", null]] as const) {
    await field().fill(text);
    await userEvent.keyboard("{Escape}{Enter}");
    await expect.poll(() => asked.filter(({ method }) => method === "compact").at(-1)?.params).toEqual({ conversation: shown.id, instructions });
  }
});

test("an untrusted skill leads to what is to be looked at, from the list and from sending", async () => {
  const { onuntrusted } = await compose({ send: () => { throw failure("untrusted"); } });
  await userEvent.keyboard("/rel");
  await expect.element(page.getByText("Not trusted yet ·")).toBeVisible();
  await userEvent.keyboard("{Enter}");
  expect(onuntrusted).toHaveBeenCalledTimes(1);
  await field().fill("/release now");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => onuntrusted.mock.calls.length).toBe(2);
  await expect.element(field()).toHaveValue("/release now");
});

test("@ offers files and symbols, right behind Chinese punctuation too", async () => {
  await compose();
  await field().fill("请看（@ret");
  await expect.poll(names).toEqual(["retry.rs", "Retry::run"]);
  await userEvent.keyboard("{ArrowDown}{Enter}");
  await expect.element(field()).toHaveValue('请看（@"src/重试.rs:42 Retry::run" ');
});

test("while an input method is at work the list's keys are its own", async () => {
  await compose();
  await field().fill("/re");
  await expect.poll(() => names().length).toBe(2);
  const element = field().element();
  element.dispatchEvent(new CompositionEvent("compositionstart", { bubbles: true }));
  element.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  element.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true }));
  await expect.element(field()).toHaveValue("/re");
  expect(document.querySelector('[aria-selected="true"] .name')?.textContent).toBe("/review");
});
