import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { SteeringFile } from "../protocol";
import { stretches } from "./marks";
import SteeringBar from "./SteeringBar.svelte";

const rules: SteeringFile = { path: "AGENTS.md", kind: "rules", text: "Be kind.⟨U+E0049⟩⟨U+E0067⟩\n", bytes: 20, cut: false, hidden: 2, hash: "aa", trusted: false, changed: null, trouble: null };
const changed: SteeringFile = { ...rules, path: "docs/CLAUDE.md", text: "Use tabs.\nSend it away.\n", hidden: 0, hash: "bb", changed: [{ old_start: 1, new_start: 1, lines: [{ mark: " ", text: "Use tabs." }, { mark: "+", text: "Send it away." }] }] };
const broken: SteeringFile = { ...rules, path: ".claude/skills/x/SKILL.md", kind: "skill", text: "", hash: null, hidden: 0, trouble: "leads outside of the folder" };

async function bar(files: SteeringFile[], { begun = false } = {}) {
  let present = files;
  const shown = conversation();
  if (begun) shown.apply({ signal: "recorded", event: { conversation: shown.id, seq: 1, at: 0, kind: "user/message", message: "m", text: "hi", delivery: "next-turn" } });
  const given = appWith({
    steering: () => ({ files: present, partial: false }),
    trust: ({ files: trusted }) => {
      present = present.map((file) => (trusted.some(({ path }) => path === file.path) ? { ...file, trusted: true } : file));
      return null;
    },
    refresh_prompt: () => true,
  });
  await render(WithApp, { props: { app: given.app, component: SteeringBar as never, props: { conversation: shown, project: "p" } } });
  return given;
}

const asked = (given: Awaited<ReturnType<typeof bar>>, method: string) => given.asked.filter((each) => each.method === method).map(({ params }) => params);

test("files that would steer are named, shown with what is hidden and what changed, and trusted as shown", async () => {
  const given = await bar([rules, changed, broken]);
  await expect.element(page.getByText("3 files here would steer the model: AGENTS.md, docs/CLAUDE.md, .claude/skills/x/SKILL.md")).toBeVisible();
  await page.getByRole("button", { name: "Review" }).click();
  const dialog = page.getByRole("dialog", { name: "These files would steer the model" });
  await expect.element(dialog.getByText("2 hidden characters")).toBeVisible();
  expect(document.querySelector("mark")?.textContent).toBe("⟨U+E0049⟩⟨U+E0067⟩");
  await expect.element(dialog.getByText("Send it away.")).toBeVisible();
  await expect.element(dialog.getByText("It can't be read: leads outside of the folder")).toBeVisible();
  await dialog.getByRole("checkbox", { name: "AGENTS.md" }).click();
  await dialog.getByRole("button", { name: "Use 1 file" }).click();
  await expect.poll(() => asked(given, "trust")).toEqual([{ project: "p", files: [{ path: "docs/CLAUDE.md", hash: "bb" }] }]);
  await expect.element(page.getByText(/2 files here would steer the model: AGENTS\.md/)).toBeVisible();
});

test("going on without asks no more until a file changes", async () => {
  const given = await bar([rules]);
  await page.getByRole("button", { name: "Go on without" }).click();
  await expect.element(page.getByText("would steer")).not.toBeInTheDocument();
  expect(asked(given, "trust")).toEqual([]);
  window.dispatchEvent(new Event("focus"));
  await expect.poll(() => asked(given, "steering").length).toBeGreaterThan(1);
  await expect.element(page.getByText("would steer")).not.toBeInTheDocument();
});

test("in a conversation that has begun they can be used from now on", async () => {
  const given = await bar([rules], { begun: true });
  await page.getByRole("button", { name: "Review" }).click();
  await page.getByRole("button", { name: "Use 1 file" }).click();
  await page.getByRole("button", { name: "Use them here too" }).click();
  await expect.poll(() => asked(given, "refresh_prompt").length).toBe(1);
  await expect.element(page.getByText("They count from the next conversation on.")).not.toBeInTheDocument();
});

test("without such files nothing is said", async () => {
  await bar([{ ...rules, trusted: true }]);
  await userEvent.keyboard("{Tab}");
  expect(document.querySelector('[role="status"]')).toBe(null);
});

test("marked characters are found", () => {
  expect(stretches("a⟨U+200B⟩⟨U+202E⟩b⟨x⟩")).toEqual([{ text: "a", hidden: false }, { text: "⟨U+200B⟩⟨U+202E⟩", hidden: true }, { text: "b⟨x⟩", hidden: false }]);
});
