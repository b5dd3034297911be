// The built page: nothing inline in it, and the gallery's whole content under the product's content security policy.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openGallery } from "../scripts/gallery.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
let gallery: Awaited<ReturnType<typeof openGallery>>;

beforeAll(async () => {
  gallery = await openGallery();
}, 240_000);
afterAll(async () => {
  await gallery.close();
});

test("index.html has no inline script and no inline style", () => {
  const html = readFileSync(fileURLToPath(new URL("../index.html", import.meta.url)), "utf8");
  expect(html.match(/<script(?![^>]*\bsrc=)/g)).toBeNull();
  expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/);
});

test("menus, dialogs, notices, lists, markdown and diffs work under the policy, without one violation", async () => {
  const page = await gallery.page({ part: "controls" });
  await page.getByRole("button", { name: "Warning" }).click();
  await page.getByRole("button", { name: "Once" }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await page.getByRole("button", { name: "Popover" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Scope: once" }).click();
  await page.getByRole("option", { name: "always…" }).click();
  await page.getByRole("separator", { name: "Sidebar" }).press("ArrowRight");
  await page.getByRole("button", { name: "Dialog" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await page.close();
  const texts = await gallery.page({ part: "texts" });
  await texts.locator("pre .hl-keyword").first().waitFor();
  await texts.getByRole("button", { name: "Stream it" }).click();
  await texts.locator("[aria-pressed=false]").click();
  await texts.close();
  expect(gallery.problems).toEqual([]);
});

for (const theme of ["light", "dark"]) {
  test(`axe finds nothing, ${theme}`, async () => {
    for (const part of ["controls", "texts"]) {
      const page = await gallery.page({ theme, part });
      // Axe is put in by the debugger's protocol, since the policy lets no script in.
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const run = (window as unknown as { axe: { run: (what: unknown, how: unknown) => Promise<{ violations: Array<{ id: string; nodes: Array<{ html: string; failureSummary?: string }> }> }> } }).axe.run;
        const result = await run(document, { rules: { "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false }, region: { enabled: false }, "heading-order": { enabled: false } } });
        return result.violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`).join(" | ")}`);
      });
      expect(violations, part).toEqual([]);
      await page.close();
    }
  });
}

test("at 200 % zoom and in a narrow window nothing runs out sideways", async () => {
  const page = await gallery.page({ part: "texts" }, { width: 480, height: 800 });
  const wide = await page.evaluate(() => document.querySelector(".page")?.scrollWidth ?? 0);
  expect(wide).toBeLessThanOrEqual(480);
  await page.close();
});

test("without an override the system's theme is worn, live", async () => {
  const page = await gallery.page({ theme: "system" });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "dark" });
  expect(await ground()).toBe("rgb(24, 25, 27)");
  await page.emulateMedia({ colorScheme: "light" });
  expect(await ground()).toBe("rgb(255, 255, 255)");
  await page.close();
});
