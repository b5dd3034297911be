// A provider while it is being written: the fields, what is wrong with them, the test of it, and where its key is kept.
// A key is handed on and forgotten here; it never becomes part of anything that is kept.
import { m } from "../locales";
import type { KeyPlace, Preset, Provider, ProviderTest } from "../protocol";
import type { App } from "../state";

export class ProviderDraft {
  name = $state("");
  baseUrl = $state("");
  models = $state("");
  window = $state("");
  keyVariable = $state("");
  echo = $state(false);
  key = $state("");
  /** Where the key is kept; none: not known yet. */
  place = $state<KeyPlace | null>(null);
  test = $state.raw<ProviderTest | null>(null);
  doing = $state<"save" | "test" | "key" | "remove" | null>(null);
  /** Whether the engine has it. */
  known = $state(false);
  saved = $state(false);
  readonly #app: App;
  readonly #from: Provider;

  constructor(app: App, from: Provider, known: boolean) {
    this.#app = app;
    this.#from = from;
    this.known = known;
    this.name = from.name;
    this.baseUrl = from.base_url;
    this.models = from.models.join("\n");
    this.window = from.window === null ? "" : String(from.window);
    this.keyVariable = from.key_variable ?? "";
    this.echo = from.echo_reasoning;
    if (known) void this.#askPlace();
  }

  get id(): string {
    return this.#from.id;
  }

  get nameError(): string | null {
    return this.name.trim() === "" ? m.settings_name_missing() : null;
  }

  get addressError(): string | null {
    return URL.canParse(this.baseUrl.trim()) && /^https?:\/\//i.test(this.baseUrl.trim()) ? null : m.settings_base_url_bad();
  }

  get windowError(): string | null {
    const text = this.window.trim();
    return text === "" || (/^\d{4,9}$/.test(text) && Number(text) > 1000) ? null : m.settings_window_bad();
  }

  get fits(): boolean {
    return this.nameError === null && this.addressError === null && this.windowError === null;
  }

  get provider(): Provider {
    const { window, keyVariable } = this;
    return {
      ...this.#from,
      name: this.name.trim(),
      base_url: this.baseUrl.trim(),
      models: [...new Set(this.models.split("\n").map((model) => model.trim()).filter((model) => model !== ""))],
      key_variable: keyVariable.trim() === "" ? null : keyVariable.trim(),
      window: window.trim() === "" ? null : Number(window),
      echo_reasoning: this.echo,
    };
  }

  /** Saves it, and its key if one was typed. */
  save(): Promise<void> {
    return this.#do("save", async () => {
      await this.#app.host.call("save_provider", { provider: this.provider });
      this.known = true;
      this.saved = true;
      if (this.key === "") await this.#askPlace();
      else await this.#keep(this.key);
    });
  }

  /** Asks the server, with the typed key or else the one that is kept. */
  tryIt(): Promise<void> {
    return this.#do("test", async () => {
      this.test = null;
      this.test = await this.#app.host.call("test_provider", { provider: this.provider, key: this.key === "" ? null : this.key });
    });
  }

  forgetKey(): Promise<void> {
    return this.#do("key", () => this.#keep(""));
  }

  async remove(): Promise<boolean> {
    let done = false;
    await this.#do("remove", async () => {
      await this.#app.host.call("remove_provider", { provider: this.id });
      done = true;
    });
    return done;
  }

  async #keep(key: string): Promise<void> {
    this.place = await this.#app.host.call("set_key", { provider: this.id, key });
    this.key = "";
  }

  async #askPlace(): Promise<void> {
    this.place = (await this.#app.ask("key_place", { provider: this.id })) ?? null;
  }

  async #do(what: NonNullable<ProviderDraft["doing"]>, act: () => Promise<void>): Promise<void> {
    if (this.doing !== null) return;
    this.doing = what;
    this.saved = false;
    try {
      await act();
    } catch (error) {
      this.#app.failed(error);
    } finally {
      this.doing = null;
    }
  }

}

/** A provider to begin with. */
export function fromPreset(preset: Preset | null): Provider {
  return {
    id: freshId(),
    name: preset?.name ?? "",
    base_url: preset?.base_url ?? "",
    protocol: preset?.protocol ?? "chat-completions",
    models: preset?.model ? [preset.model] : [],
    key_variable: preset?.key_variable ?? null,
    window: null,
    echo_reasoning: false,
  };
}

function freshId(): string {
  return `provider-${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
