// The settings in force, as the engine keeps them. A change is asked for and seen here when the engine says that it holds.
import type { Host } from "../host";
import type { Settings as Values, Signal } from "../protocol";

export class Settings {
  /** None until the first overview has come. */
  value = $state.raw<Values | null>(null);
  readonly #host: Host;

  constructor(host: Host) {
    this.#host = host;
  }

  apply(signal: Signal): void {
    if (signal.signal === "settings") this.value = signal.settings;
  }

  /** Asks for a change of some of them. Rejects with a `Failure`. */
  async change(changes: Partial<Values>): Promise<void> {
    if (!this.value) return;
    await this.#host.call("save_settings", { settings: { ...this.value, ...changes } });
  }
}
