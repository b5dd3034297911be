import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, failure } from "../gallery/host";
import WithApp from "../gallery/WithApp.svelte";
import type { MemoryText } from "../protocol";
import Memory from "./Memory.svelte";

const user: MemoryText = { path: "/home/sam/.local/share/assent/USER.md", text: "- short answers\n", hash: "a" };
const project: MemoryText = { path: "/home/sam/code/atlas/.assent/MEMORY.md", text: "", hash: null };

async function show(answers: Parameters<typeof appWith>[0] = {}): Promise<ReturnType<typeof appWith>> {
  const given = appWith({ memory: (params) => ({ user, project: params.project === null ? null : project, limit: 40 }), ...answers });
  given.app.conversations.projects = [{ id: "p", name: "atlas", folder: "/home/sam/code/atlas", present: true, home: false }];
  await render(WithApp, { props: { app: given.app, component: Memory as never, props: {} } });
  return given;
}

const field = (name: string) => page.getByRole("textbox", { name });
const saves = (asked: { method: string; params: unknown }[]): unknown[] => asked.filter(({ method }) => method === "save_memory").map(({ params }) => params);

test("both texts are loaded with their files, and what is changed is saved with the hash of what was edited", async () => {
  const { asked } = await show({ save_memory: ({ text }) => ({ ...user, text, hash: "b" }) });
  await expect.element(field("About you")).toHaveValue("- short answers\n");
  await expect.element(page.getByText(project.path)).toBeVisible();
  await field("About you").fill("- long answers\n");
  await expect.element(page.getByText("Not saved")).toBeVisible();
  await page.getByRole("button", { name: "Save" }).click();
  expect(saves(asked)).toEqual([{ project: null, text: "- long answers\n", before: "a" }]);
  await field("About you").fill("- none\n");
  await page.getByRole("button", { name: "Save" }).click();
  expect(saves(asked)[1]).toEqual({ project: null, text: "- none\n", before: "b" });
  await field("About atlas").fill("- uses 中文\n");
  await page.getByRole("button", { name: "Save" }).click();
  expect(saves(asked)[2]).toEqual({ project: "p", text: "- uses 中文\n", before: null });
});

test("what is too long can't be saved, and what is discarded is as it was", async () => {
  const { asked } = await show();
  await expect.element(field("About you")).toHaveValue("- short answers\n");
  await field("About you").fill("字".repeat(14));
  await expect.element(page.getByText("42 bytes of 40 bytes")).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect.element(field("About you")).toHaveValue("- short answers\n");
  expect(saves(asked)).toEqual([]);
});

test("where the file was changed meanwhile nothing is written over it, and it can be loaded anew", async () => {
  let text = user.text;
  await show({
    memory: (params) => ({ user: { ...user, text }, project: params.project === null ? null : project, limit: 40 }),
    save_memory: () => {
      text = "- theirs\n";
      throw failure("file-changed");
    },
  });
  await expect.element(field("About you")).toHaveValue("- short answers\n");
  await field("About you").fill("- mine\n");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByRole("alert")).toHaveTextContent("The file was changed meanwhile.");
  await expect.element(field("About you")).toHaveValue("- mine\n");
  await page.getByRole("button", { name: "Load anew" }).click();
  await expect.element(field("About you")).toHaveValue("- theirs\n");
});
