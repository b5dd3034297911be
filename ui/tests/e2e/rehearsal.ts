// The whole window in the system's Chromium, on the engine in the page, under the product's content security policy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { FakeHost } from "../../src/host/fake";
import type { App } from "../../src/state";
import { openBuilt } from "../../scripts/gallery.js";

/** What the page gives to the tests. */
export type Rehearsal = { host: FakeHost; app: App };

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export type Stage = Awaited<ReturnType<typeof openBuilt>>;
export const openStage = (): Promise<Stage> => openBuilt("rehearsal");

/** An empty window with one project and one conversation that is looked at. */
export async function begin(stage: Stage, query: Record<string, string> = {}, viewport = { width: 1280, height: 900 }): Promise<Page> {
  const page = await stage.page({ lang: "en", theme: "light", world: "empty", speed: "4", ...query }, viewport);
  await page.evaluate(async () => {
    const { host, app } = (window as unknown as { rehearsal: Rehearsal }).rehearsal;
    const project = host.addProject("/home/sam/code/atlas");
    await app.refresh();
    await app.create(project.id);
  });
  await composer(page).waitFor();
  return page;
}

export const composer = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
export const messages = (page: Page) => page.getByRole("group", { name: "Messages" });

export async function say(page: Page, text: string, key = "Enter"): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press(key);
}

/** Has nothing go on by itself; what it gives back lets it. */
export async function hold(page: Page): Promise<() => Promise<void>> {
  const held = await page.evaluateHandle(() => (window as unknown as { rehearsal: Rehearsal }).rehearsal.host.hold());
  return () => held.evaluate((release) => release());
}

/** What axe finds, one line each. It is put in by the debugger's protocol, since the policy lets no script in. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    const { run } = (window as unknown as { axe: { run: (what: unknown, how: unknown) => Promise<Found> } }).axe;
    // A handle between two landmarks belongs to neither of them, and the headings of an answer come as the model wrote them.
    const found = [await run(document, { rules: { region: { enabled: false }, "heading-order": { enabled: false } } }), await run({ exclude: [["[role=separator]"]] }, { runOnly: { type: "rule", values: ["region"] } })];
    return found.flatMap(({ violations }) => violations).map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`).join(" | ")}`);
  });
}
