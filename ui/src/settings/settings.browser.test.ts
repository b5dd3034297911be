import axe from "axe-core";
import { tick } from "svelte";
import { expect, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { render } from "vitest-browser-svelte";
import { appWith, failure, settings } from "../gallery/host";
import { describe, known, large, offered, presets, provider, steps, tiny } from "../gallery/setup";
import WithApp from "../gallery/WithApp.svelte";
import { language } from "../locales";
import type { Settings } from "../protocol";
import { wearTheme } from "../theme/theme";
import FirstRun from "./FirstRun.svelte";
import type { Section } from "./sections";
import SettingsDialog from "./SettingsDialog.svelte";

type Answers = NonNullable<Parameters<typeof appWith>[0]>;
const answers: Answers = { models: () => offered, presets: () => presets, known_models: describe, key_place: () => "nowhere", save_settings: () => null, save_provider: () => null, remove_provider: () => null };

async function dialog(section: Section, more: Answers = {}, values: Partial<Settings> = {}): Promise<ReturnType<typeof appWith> & { failed: ReturnType<typeof vi.fn> }> {
  const given = appWith({ ...answers, ...more });
  given.app.settings.value = { ...settings, ...values };
  const failed = vi.fn();
  given.app.onfailure = failed;
  await render(WithApp, { props: { app: given.app, component: SettingsDialog as never, props: { open: true, section } } });
  return { ...given, failed };
}

const saved = (asked: { method: string; params: unknown }[]): Settings[] => asked.filter(({ method }) => method === "save_settings").map(({ params }) => (params as { settings: Settings }).settings);

test("a number holds when it is left, out of bounds it is said and not sent, and the engine's word is shown", async () => {
  const { app, asked } = await dialog("model");
  const field = page.getByRole("textbox", { name: "Model calls between two acts of yours" });
  await field.fill("0");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("From 1 to 200")).toBeVisible();
  expect(saved(asked)).toEqual([]);
  await field.fill("25");
  await userEvent.keyboard("{Enter}");
  expect(saved(asked)).toEqual([{ ...settings, limits: { ...settings.limits, max_iterations: 25 } }]);
  app.settings.apply({ signal: "settings", settings: { ...settings, limits: { ...settings.limits, max_iterations: 30 } } });
  await expect.element(field).toHaveValue("30");
});

test("fallbacks are added in order and taken out one by one; the model itself is none of them", async () => {
  const [first, second] = [offered[0]?.choice, offered.at(-1)?.choice];
  if (!first || !second) throw new Error("several models are on offer");
  const { app, asked } = await dialog("model", {}, { model: first });
  await page.getByRole("button", { name: "Add a model" }).click();
  await expect.element(page.getByRole("menuitem", { name: new RegExp(`^${second.label}`) })).toBeVisible();
  expect(page.getByRole("menuitem", { name: new RegExp(`^${first.label}`) }).elements()).toEqual([]);
  await page.getByRole("menuitem", { name: new RegExp(`^${second.label}`) }).click();
  expect(saved(asked).at(-1)?.fallbacks).toEqual([second]);
  app.settings.apply({ signal: "settings", settings: { ...settings, model: first, fallbacks: [second] } });
  await page.getByRole("button", { name: `Take out ${second.label}` }).click();
  expect(saved(asked).at(-1)?.fallbacks).toEqual([]);
});

test("a turn's money is an amount in dollars or nothing, and what is neither is said and not sent", async () => {
  const { app, asked } = await dialog("model");
  const field = page.getByRole("textbox", { name: "Money for a turn" });
  await expect.element(page.getByText(/Only known costs count/)).toBeVisible();
  for (const wrong of ["0", "-1", "a lot", "100000"]) {
    await field.fill(wrong);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("An amount from $0.0100 to $10,000.00, or nothing")).toBeVisible();
  }
  expect(saved(asked)).toEqual([]);
  await field.fill("0,5");
  await userEvent.keyboard("{Enter}");
  expect(saved(asked)).toEqual([{ ...settings, limits: { ...settings.limits, money_micros: 500_000 } }]);
  app.settings.apply({ signal: "settings", settings: { ...settings, limits: { ...settings.limits, money_micros: 500_000 } } });
  await expect.element(field).toHaveValue("0.5");
  await field.fill("");
  await userEvent.keyboard("{Enter}");
  expect(saved(asked).at(-1)?.limits.money_micros).toBeNull();
});

test("model, mode, colours and language are asked for at once", async () => {
  const { asked } = await dialog("model");
  await page.getByLabelText("Mode: Ask", { exact: true }).click();
  await page.getByRole("option", { name: /Plan/ }).click();
  await vi.waitFor(() => expect(saved(asked).at(-1)?.mode).toBe("plan"));
  await page.getByLabelText("Model: The first that is found", { exact: true }).click();
  await page.getByRole("option", { name: /qwen3-coder/ }).click();
  await vi.waitFor(() => expect(saved(asked).at(-1)?.model).toEqual(offered[0]?.choice));
  await page.getByRole("button", { name: "Appearance" }).click();
  await page.getByLabelText("Colours: As the system", { exact: true }).click();
  await page.getByRole("option", { name: "Dark" }).click();
  await vi.waitFor(() => expect(saved(asked).at(-1)?.theme).toBe("dark"));
  await page.getByRole("button", { name: "Language", exact: true }).click();
  await page.getByLabelText("Language of the window: As the system", { exact: true }).click();
  await page.getByRole("option", { name: "简体中文" }).click();
  await vi.waitFor(() => expect(saved(asked).at(-1)?.language).toBe("zh-CN"));
});

test("a change that fails is told", async () => {
  const { failed } = await dialog("concurrency", { save_settings: () => { throw failure("storage", "disk full"); } });
  await page.getByRole("textbox", { name: "Model calls over all conversations" }).fill("5");
  await userEvent.keyboard("{Enter}");
  await vi.waitFor(() => expect(failed).toHaveBeenCalledExactlyOnceWith({ code: "storage", message: "disk full" }));
});

test("a provider is begun from a preset, tested step by step, saved with its key, and the key is said to be in the keychain", async () => {
  const report = { works: false, steps, models: [known("m-1"), known("m-2")], window: null };
  const { asked } = await dialog("providers", { test_provider: () => report, set_key: () => "keychain" });
  await page.getByRole("button", { name: "Add a provider" }).click();
  await page.getByRole("menuitem", { name: /Example/ }).click();
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Work");
  const key = page.getByLabelText("Key", { exact: true });
  await key.fill("sk-secret");
  expect(key.element().getAttribute("type")).toBe("password");
  await page.getByRole("button", { name: "Test" }).click();
  await expect.element(page.getByText("List of models at https://api.example.com/v1/models: it came")).toBeVisible();
  await expect.element(page.getByText(/The server refuses the key.*the key was not accepted/)).toBeVisible();
  await page.getByRole("checkbox", { name: "Offer large-3 in conversations" }).click();
  for (const name of ["m-1", "m-2"]) await page.getByRole("checkbox", { name: `Offer ${name} in conversations` }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByText("Kept in the system's keychain")).toBeVisible();
  const sent = asked.find(({ method }) => method === "save_provider")?.params as { provider: typeof provider };
  expect(sent.provider).toMatchObject({ name: "Work", base_url: "https://api.example.com/v1", protocol: "chat-completions", models: ["m-1", "m-2"], key_variable: "EXAMPLE_API_KEY", window: null });
  expect(asked.find(({ method }) => method === "test_provider")?.params).toMatchObject({ key: "sk-secret" });
  expect(asked.find(({ method }) => method === "set_key")?.params).toEqual({ provider: sent.provider.id, key: "sk-secret" });
  await expect.element(page.getByLabelText("A new key")).toHaveValue("");
  expect(JSON.stringify(asked.filter(({ method }) => method === "save_provider"))).not.toContain("sk-secret");
  expect(document.body.textContent).not.toContain("sk-secret");
});

test("a slow server gets times of its own, which are taken back by emptying the fields", async () => {
  const { asked } = await dialog("providers", {}, { providers: [provider] });
  await page.getByRole("button", { name: /^Example/ }).click();
  const sent = (): typeof provider | undefined => (asked.findLast(({ method }) => method === "save_provider")?.params as { provider: typeof provider } | undefined)?.provider;
  const [first, idle] = ["Seconds to the first byte of an answer", "Seconds between bytes after that"].map((label) => page.getByLabelText(label));
  await first!.fill("1,200");
  await idle!.fill("4");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByText("A whole number of seconds from 5 to 3,600")).toBeVisible();
  expect(sent()).toBeUndefined();
  await idle!.fill("600");
  await page.getByRole("button", { name: "Save" }).click();
  await vi.waitFor(() => expect(sent()).toMatchObject({ first_byte_s: 1200, idle_s: 600 }));
  await first!.fill("");
  await idle!.fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await vi.waitFor(() => expect(sent()).toMatchObject({ first_byte_s: null, idle_s: null }));
});

test("what is known of a model is said with whose word it is; one's own word is laid over it and taken back", async () => {
  const { asked } = await dialog("providers", {}, { providers: [{ ...provider, models: ["large-3", "tiny-1"] }] });
  await page.getByRole("button", { name: /^Example/ }).click();
  await expect.element(page.getByText("1M tokens · images · $2.00 in, $10.00 out")).toBeVisible();
  await expect.element(page.getByText("small window")).toBeVisible();
  await page.getByRole("button", { name: "Figures of large-3" }).click();
  await expect.element(page.getByText("1,000,000, from the data of 2026-11-30")).toBeVisible();
  await expect.element(page.getByText("For requests of up to 272,000 tokens; longer ones cost more.")).toBeVisible();
  await page.getByRole("textbox", { name: "Output", exact: true }).fill("a lot");
  await expect.element(page.getByText("A number from 0 to 10,000")).toBeVisible();
  await page.getByRole("textbox", { name: "Output", exact: true }).fill("7.5");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("1M tokens · images · $2.00 in, $7.50 out")).toBeVisible();
  await page.getByRole("textbox", { name: "Longest answer in tokens" }).fill("64,000");
  await userEvent.keyboard("{Enter}");
  await page.getByRole("button", { name: "Save" }).click();
  const words = (): unknown => (asked.findLast(({ method }) => method === "save_provider")?.params as { provider: typeof provider }).provider.words;
  await vi.waitFor(() => expect(words()).toMatchObject({ "large-3": { window: null, output_limit: 64_000, price: { output: 7.5, input: null, up_to: null } } }));
  await page.getByRole("button", { name: "Forget my word" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await vi.waitFor(() => expect(words()).toEqual({}));
});

test("a small window is said with its cure", async () => {
  await dialog("providers", {}, { providers: [{ ...provider, models: ["tiny-1"] }] });
  await page.getByRole("button", { name: /^Example/ }).click();
  await page.getByRole("button", { name: "Figures of tiny-1" }).click();
  await expect.element(page.getByText(/sees only 4,096 tokens at once.*OLLAMA_CONTEXT_LENGTH/)).toBeVisible();
});

test("of hundreds of models only those in view are drawn, and a search finds any of them", async () => {
  const models = Array.from({ length: 340 }, (_, index) => known(`maker-${index % 17}/model-${index}`));
  const { asked } = await dialog("providers", { test_provider: () => ({ works: true, steps: steps.slice(0, 1), models: [...models, large, tiny], window: null }) }, { providers: [{ ...provider, models: [] }] });
  await page.getByRole("button", { name: /^Example/ }).click();
  await page.getByRole("button", { name: "Test" }).click();
  await expect.element(page.getByRole("checkbox", { name: "Offer maker-0/model-0 in conversations" })).toBeVisible();
  expect(document.querySelectorAll(".models .row").length).toBeLessThan(40);
  await page.getByRole("searchbox", { name: "Search" }).fill("MAKER-8 model-33");
  await vi.waitFor(() => expect(document.querySelectorAll(".models .row").length).toBe(1));
  await page.getByRole("button", { name: "Pick all shown" }).click();
  await page.getByRole("textbox", { name: "Name of a model" }).fill(" mine ");
  await userEvent.keyboard("{Enter}");
  await page.getByRole("button", { name: "Save" }).click();
  await vi.waitFor(() => expect((asked.findLast(({ method }) => method === "save_provider")?.params as { provider: typeof provider }).provider.models).toEqual(["maker-8/model-331", "mine"]));
});

test("wrong fields are said and nothing is sent; removing is asked about once", async () => {
  const { asked } = await dialog("providers", {}, { providers: [provider] });
  await page.getByRole("button", { name: /^Example/ }).click();
  await page.getByRole("textbox", { name: "Address" }).fill("file:///etc");
  await page.getByRole("textbox", { name: "Context window in tokens" }).fill("many");
  await page.getByRole("button", { name: "Save" }).click();
  await expect.element(page.getByText("An address begins with http:// or https://")).toBeVisible();
  await expect.element(page.getByText("A whole number above 1,000")).toBeVisible();
  expect(asked.some(({ method }) => method === "save_provider")).toBe(false);
  await page.getByRole("button", { name: "Remove" }).click();
  expect(asked.some(({ method }) => method === "remove_provider")).toBe(false);
  await expect.element(page.getByText(/Remove Example\?/)).toBeVisible();
  await page.getByRole("button", { name: "Remove" }).click();
  await vi.waitFor(() => expect(asked.at(-1)).toEqual({ method: "remove_provider", params: { provider: "p1" } }));
});

async function first(models: Answers["models"]): Promise<ReturnType<typeof appWith> & { onfolder: ReturnType<typeof vi.fn>; onprovider: ReturnType<typeof vi.fn>; container: HTMLElement }> {
  const given = appWith({ ...answers, ...(models ? { models } : {}) });
  const [onfolder, onprovider] = [vi.fn(), vi.fn()];
  const { container } = await render(WithApp, { props: { app: given.app, component: FirstRun as never, props: { onfolder, onprovider } } });
  return { ...given, onfolder, onprovider, container };
}

test("the first run shows what was found, labels the practice model, and takes the marked model along", async () => {
  const { asked, onfolder, container } = await first(() => offered);
  await expect.element(page.getByRole("radio", { name: /qwen3-coder/ })).toBeChecked();
  for (const words of ["Server on this computer: Local server", "Key found in the environment: Example", "Provider: Example", "Follows a script"]) expect(container.textContent).toContain(words);
  await page.getByRole("radio", { name: /Practice model/ }).click();
  expect(saved(asked).at(-1)?.model?.protocol).toBe("practice");
  await page.getByRole("button", { name: "Find a TODO that is quick to do, and do it." }).click();
  await vi.waitFor(() => expect(onfolder).toHaveBeenCalledExactlyOnceWith("Find a TODO that is quick to do, and do it."));
  expect(saved(asked).at(-1)?.model).toEqual(offered[0]?.choice);
});

test("with nothing but the practice model the way to a real one is said; a failed search too", async () => {
  const { onprovider, container } = await first(() => offered.slice(-1));
  await vi.waitFor(() => expect(container.textContent).toContain("No server and no key was found"));
  await page.getByRole("button", { name: "Add a provider…" }).click();
  expect(onprovider).toHaveBeenCalledTimes(1);
  const broken = await first(() => { throw failure("other", "no network stack"); });
  await vi.waitFor(() => expect(broken.container.textContent).toContain("Looking for models failed: no network stack"));
});

test.each([["light", "en"], ["dark", "zh-CN"]] as const)("axe finds nothing wrong in settings and first run (%s, %s)", async (theme, lang) => {
  wearTheme(theme);
  language.set(lang);
  const wrong = async (): Promise<string[]> => {
    await tick();
    const { violations } = await axe.run(document.body, { rules: { region: { enabled: false }, "landmark-one-main": { enabled: false } } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`);
  };
  const { container } = await first(() => offered);
  await vi.waitFor(() => expect(container.querySelectorAll("[role=radio]").length).toBe(4));
  expect(await wrong()).toEqual([]);
  container.remove();
  await dialog("providers", { test_provider: () => ({ works: true, steps, models: [large, tiny], window: 1000 }) }, { providers: [provider] });
  const nav = (): NodeListOf<HTMLButtonElement> => document.querySelectorAll<HTMLButtonElement>(".settings nav button");
  for (let index = 0; index < nav().length; index += 1) {
    nav()[index]?.click();
    expect(await wrong()).toEqual([]);
  }
  nav()[0]?.click();
  await tick();
  document.querySelector<HTMLButtonElement>(".settings li button")?.click();
  await tick();
  document.querySelectorAll<HTMLButtonElement>(".form .foot button")[1]?.click();
  await vi.waitFor(() => expect(document.querySelector(".report")).not.toBeNull());
  expect(await wrong()).toEqual([]);
});
