import { expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, conversation } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { ContextReport } from "../protocol";
import ContextPanel from "./ContextPanel.svelte";

const report: ContextReport = {
  window: 200_000,
  budget: 160_000,
  used: 48_000,
  compacts_at: 128_000,
  parts: [
    { part: "results", tokens: 30_000 },
    { part: "assistant", tokens: 12_000 },
    { part: "tools", tokens: 4_000 },
    { part: "prompt", tokens: 2_000 },
  ],
  left_out: 0,
  pruned: 3,
  no_compaction: null,
  files: [
    { path: "src/retry.rs", added: 4, removed: 3 },
    { path: "README.md", added: 0, removed: 0 },
  ],
};

async function show(changes: Partial<ContextReport>): Promise<ReturnType<typeof appWith>> {
  const given = appWith({ context: () => ({ ...report, ...changes }), compact: () => null });
  const shown = conversation();
  shown.loaded = true;
  await render(WithApp, { props: { app: given.app, component: ContextPanel as never, props: { conversation: shown } } });
  return given;
}

test("it says how full the room is and of what, and which files were touched", async () => {
  await show({});
  await expect.element(page.getByRole("region", { name: "What fills the window" })).toHaveTextContent(/30%.*48k of 160k tokens.*Results of tools\s*30,000.*Instructions and rules\s*2,000/);
  await expect.element(page.getByText("3 old results are sent as short notes")).toBeVisible();
  await expect.element(page.getByRole("region", { name: "Files read and changed" })).toHaveTextContent(/src\/retry\.rs\s*\+4\s*−3\s*README\.md$/);
});

test("a summary is asked for once, with what it must keep", async () => {
  const { asked } = await show({});
  await page.getByRole("textbox", { name: "What the summary must keep" }).fill("每个决定");
  await page.getByRole("button", { name: "Summarise now" }).click();
  await expect.poll(() => asked.filter(({ method }) => method === "compact").map(({ params }) => params)).toEqual([{ conversation: "conversation-1", instructions: "每个决定" }]);
  await expect.element(page.getByRole("textbox", { name: "What the summary must keep" })).toHaveValue("");
  await userEvent.keyboard("{Escape}");
});

test("where none can be made it says why, and offers no button", async () => {
  await show({ no_compaction: "running" });
  await expect.element(page.getByText("A turn runs. It summarises by itself when it needs to.")).toBeVisible();
  expect(page.getByRole("button", { name: "Summarise now" }).elements()).toHaveLength(0);
});
