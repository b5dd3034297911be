// The report on what was used, as last asked for. Of several questions the newest one's answer alone is shown.
import { asFailure, type Host } from "../host";
import type { Failure, UsageReport } from "../protocol";

export class UsageReporting {
  report = $state.raw<UsageReport | null>(null);
  /** The days of `report`: their beginnings and the end of the last. */
  bounds = $state.raw<readonly number[]>([]);
  failure = $state.raw<Failure | null>(null);
  readonly #host: Host;
  #asked = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** What is shown stays until the answer is there. */
  async ask(bounds: number[]): Promise<void> {
    const number = ++this.#asked;
    try {
      const report = await this.#host.call("usage", { bounds });
      if (number !== this.#asked) return;
      this.report = report;
      this.bounds = bounds;
      this.failure = null;
    } catch (error) {
      if (number === this.#asked) this.failure = asFailure(error);
    }
  }
}
