// Takes pictures of the gallery, built as the product is and under the product's content security policy.
// Usage: node ui/scripts/shots.js [folder]. Prints every violation of the policy and every error of the page.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openGallery } from "./gallery.js";

const folder = process.argv[2] ?? join(tmpdir(), "assent-gallery");
mkdirSync(folder, { recursive: true });
const gallery = await openGallery();

for (const theme of ["light", "dark"]) {
  for (const lang of ["en", "zh-CN"]) {
    const shot = async (/** @type {import("playwright-core").Page} */ page, /** @type {string} */ name) => {
      await page.screenshot({ path: join(folder, `${name}-${theme}-${lang}.png`) });
    };

    const controls = await gallery.page({ theme, lang, part: "controls" });
    await controls.getByRole("button", { name: "Notice" }).click();
    await controls.getByRole("button", { name: "Warning" }).click();
    await controls.getByRole("button", { name: "Once" }).click();
    await controls.getByRole("menu").waitFor();
    await shot(controls, "controls");
    await controls.keyboard.press("Escape");
    await controls.getByRole("button", { name: "Dialog" }).click();
    await controls.getByRole("dialog").waitFor();
    await shot(controls, "dialog");
    await controls.close();

    const texts = await gallery.page({ theme, lang, part: "texts" });
    await shot(texts, "texts");
    await texts.locator("button[aria-pressed=false]").click();
    await texts.mouse.move(600, 700);
    await texts.mouse.wheel(0, 5000);
    await texts.locator(".window").hover();
    await shot(texts, "diffs");
    await texts.close();

    for (const [width, name] of /** @type {const} */ ([[1160, "wide"], [420, "narrow"]])) {
      const decisions = await gallery.page({ theme, lang, part: "decisions", ...(width > 700 ? { focused: "1" } : {}) }, { width, height: 2600 });
      await decisions.locator('[data-decision] [aria-disabled="false"]').first().waitFor();
      await shot(decisions, `decisions-${name}`);
      await decisions.close();
      const calls = await gallery.page({ theme, lang, part: "calls" }, { width, height: 1500 });
      await shot(calls, `calls-${name}`);
      for (const row of [3, 4, 6, 7]) await calls.locator(".tools > li").nth(row).locator("button.line").first().click();
      await shot(calls, `calls-open-${name}`);
      await calls.close();
      for (const section of ["", "providers", "model", "concurrency", "appearance", "language"]) {
        const setup = await gallery.page({ theme, lang, part: "setup", ...(section ? { section } : { practice: "1" }) }, { width, height: 760 });
        await shot(setup, `${section || "first-run"}-${name}`);
        await setup.close();
      }
    }
  }
}
console.log(folder, gallery.problems);
await gallery.close();
