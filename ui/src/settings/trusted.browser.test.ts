import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { TrustedFile } from "../protocol";
import TrustedList from "./TrustedList.svelte";

const DAY = 86_400_000;
const atlas = "/home/sam/code/atlas";
const file = (root: string, path: string, more: Partial<TrustedFile> = {}): TrustedFile => ({ root, path, kind: "rules", at: Date.now() - 3 * DAY - 1000, now: "trusted", ...more });

async function show(files: TrustedFile[], { fails = false } = {}) {
  let present = files;
  const given = appWith({
    trusted: () => present,
    distrust: ({ root, paths }) => {
      if (fails) throw failure("storage", "the disk is full");
      present = present.filter((file) => file.root !== root || !paths.includes(file.path));
      return null;
    },
    steering: () => ({ files: [], partial: false }),
  });
  given.app.conversations.projects = [{ id: "p", name: "Atlas", folder: atlas, present: true, home: false }];
  await render(WithApp, { props: { app: given.app, component: TrustedList as never, props: {} } });
  const asked = (method: string) => given.asked.filter((each) => each.method === method).map(({ params }) => params);
  return { asked, change: (files: TrustedFile[]) => void (present = files) };
}

const folder = (name: string) => page.getByRole("region", { name });

test("files are listed by folder with what they do, since when, and what became of them", async () => {
  await show([
    file(atlas, ".assent/MEMORY.md", { kind: "context", now: "changed" }),
    file(atlas, "AGENTS.md"),
    file("/srv/gone", ".claude/skills/review/SKILL.md", { kind: "skill", now: "missing" }),
    file("/srv/gone", "CLAUDE.md", { now: "unreadable" }),
  ]);
  await expect.element(folder("Atlas").getByText(atlas)).toBeVisible();
  await expect.element(folder("Atlas").getByText("context, trusted 3 days ago")).toHaveTextContent("changed since, left out");
  await expect.element(folder("Atlas").getByText("rules, trusted 3 days ago")).not.toHaveTextContent("left out");
  await expect.element(folder("gone").getByText("skill, trusted 3 days ago")).toHaveTextContent("no longer there");
  await expect.element(folder("gone").getByText("rules, trusted 3 days ago")).toHaveTextContent("can't be read");
});

test("trust is taken back file by file, the next one takes the focus, and the conversation's folder is looked at anew", async () => {
  const { asked } = await show([file(atlas, "AGENTS.md"), file(atlas, "docs/AGENTS.md"), file("/srv/other", "CLAUDE.md")]);
  await page.getByRole("button", { name: "Take back the trust in AGENTS.md" }).click();
  await expect.element(folder("Atlas").getByText("AGENTS.md", { exact: true })).not.toBeInTheDocument();
  expect(asked("distrust")).toEqual([{ root: atlas, paths: ["AGENTS.md"] }]);
  expect(asked("steering")).toEqual([{ project: "p" }]);
  await expect.element(page.getByRole("button", { name: "Take back the trust in docs/AGENTS.md" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByRole("button", { name: "Take back the trust in CLAUDE.md" })).toHaveFocus();
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("No file of a folder steers the model")).toBeVisible();
  expect(asked("distrust")).toHaveLength(3);
  expect(asked("steering"), "a folder that is no project is nobody's to look at").toHaveLength(2);
});

test("a folder's files are taken back together", async () => {
  const { asked } = await show([file(atlas, "AGENTS.md"), file(atlas, "docs/AGENTS.md")]);
  await page.getByRole("button", { name: "Take all back" }).click();
  await expect.element(page.getByText("No file of a folder steers the model")).toBeVisible();
  expect(asked("distrust")).toEqual([{ root: atlas, paths: ["AGENTS.md", "docs/AGENTS.md"] }]);
});

test("what could not be taken back stays and says why; who comes back to the window sees what is there now", async () => {
  const { change } = await show([file(atlas, "AGENTS.md")], { fails: true });
  await page.getByRole("button", { name: "Take back the trust in AGENTS.md" }).click();
  await expect.element(page.getByRole("alert")).toHaveTextContent("the disk is full");
  await expect.element(folder("Atlas").getByText("AGENTS.md")).toBeVisible();
  change([file(atlas, "AGENTS.md", { now: "changed" })]);
  window.dispatchEvent(new Event("focus"));
  await expect.element(page.getByText("changed since, left out")).toBeVisible();
});
