// A provider while it is being written: the fields, what is wrong with them, the test of it, and where its key is kept.
// A key is handed on and forgotten here; it never becomes part of anything that is kept.
import { m } from "../locales";
import type { KeyPlace, KnownModel, ModelFacts, Preset, Protocol, Provider, ProviderTest } from "../protocol";
import type { App } from "../state";
import { isSaid, readSeconds, readTokens, UNSAID, written } from "./words";

export class ProviderDraft {
  name = $state("");
  baseUrl = $state("");
  protocol = $state<Protocol>("chat-completions");
  /** The models that are offered in conversations. */
  models = $state.raw<readonly string[]>([]);
  /** What is known of models, by name: of those the server lists and of those that are picked. */
  described = $state.raw<ReadonlyMap<string, KnownModel>>(new Map());
  window = $state("");
  firstByte = $state("");
  idle = $state("");
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
  #words = $state.raw<Provider["words"]>({});
  readonly #app: App;
  readonly #from: Provider;

  constructor(app: App, from: Provider, known: boolean) {
    this.#app = app;
    this.#from = from;
    this.known = known;
    this.name = from.name;
    this.baseUrl = from.base_url;
    this.protocol = from.protocol;
    this.models = from.models;
    this.#words = from.words;
    this.window = written(from.window);
    this.firstByte = written(from.first_byte_s);
    this.idle = written(from.idle_s);
    this.keyVariable = from.key_variable ?? "";
    this.echo = from.echo_reasoning;
    if (known) void this.#askPlace();
    void this.#describe(from.models);
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
    return readTokens(this.window) === undefined ? m.settings_window_bad() : null;
  }

  get firstByteError(): string | null {
    return readSeconds(this.firstByte) === undefined ? m.settings_provider_seconds_bad() : null;
  }

  get idleError(): string | null {
    return readSeconds(this.idle) === undefined ? m.settings_provider_seconds_bad() : null;
  }

  get fits(): boolean {
    return [this.nameError, this.addressError, this.windowError, this.firstByteError, this.idleError].every((error) => error === null);
  }

  get provider(): Provider {
    const { window, keyVariable } = this;
    return {
      ...this.#from,
      name: this.name.trim(),
      base_url: this.baseUrl.trim(),
      protocol: this.protocol,
      models: [...this.models],
      key_variable: keyVariable.trim() === "" ? null : keyVariable.trim(),
      window: readTokens(window) ?? null,
      first_byte_s: readSeconds(this.firstByte) ?? null,
      idle_s: readSeconds(this.idle) ?? null,
      echo_reasoning: this.echo,
      words: this.#words,
    };
  }

  /** Picked models first, then the others that the server lists. */
  get rows(): readonly KnownModel[] {
    const picked = this.models.flatMap((model) => this.described.get(model) ?? []);
    return [...picked, ...[...this.described.values()].filter(({ id }) => !this.models.includes(id))];
  }

  wordOn(model: string): ModelFacts {
    return { ...UNSAID, ...this.#words[model] };
  }

  /** Takes a person's word on a model; null takes one back. */
  say(model: string, changes: Partial<ModelFacts>): void {
    const { [model]: before, ...others } = this.#words;
    const word = { ...UNSAID, ...before, ...changes };
    this.#words = isSaid(word) ? { ...others, [model]: word } : others;
  }

  /** Offers models in conversations, or no longer. */
  pick(models: readonly string[], offered: boolean): void {
    const named = models.map((model) => model.trim()).filter((model) => model !== "");
    this.models = offered ? [...new Set([...this.models, ...named])] : this.models.filter((model) => !named.includes(model));
    void this.#describe(named.filter((model) => !this.described.has(model)));
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
      this.#put(this.test.models);
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

  async #describe(models: readonly string[]): Promise<void> {
    if (models.length > 0) this.#put((await this.#app.ask("known_models", { base_url: this.baseUrl.trim(), models: [...models] })) ?? []);
  }

  #put(models: readonly KnownModel[]): void {
    this.described = new Map([...this.described, ...models.map((model): [string, KnownModel] => [model.id, model])]);
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
    first_byte_s: null,
    idle_s: null,
    words: {},
  };
}

function freshId(): string {
  return `provider-${Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
