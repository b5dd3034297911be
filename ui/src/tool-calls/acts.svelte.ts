// What a person can do about a call that is over: take it back, or settle an outcome that is unknown. The log says what came of it.
import { m } from "../locales";
import { notify } from "../controls";
import type { Failure } from "../protocol";
import type { App, ToolCall } from "../state";

type Act = "revert" | "check" | "mark" | "revoke";

export class CallActs {
  /** What was asked and has no answer yet. */
  doing = $state<Act | null>(null);
  /** What came of it, where the log doesn't say it. */
  said = $state<string | null>(null);
  readonly #app: App;
  readonly #call: ToolCall;

  constructor(app: App, call: ToolCall) {
    this.#app = app;
    this.#call = call;
  }

  revert(): Promise<void> {
    const { call, target } = this.#call;
    const words = (failure: Failure): string => (failure.code === "file-changed" ? m.tools_revert_changed() : m.tools_revert_failed({ message: failure.message }));
    return this.#do("revert", words, async () => {
      await this.#app.host.call("revert", { call });
      notify(m.tools_revert_done({ target }));
      return null;
    });
  }

  checkAgain(): Promise<void> {
    return this.#do("check", acted, async () => ((await this.#app.host.call("check_again", { call: this.#call.call })) ? null : m.tools_still_unknown()));
  }

  mark(done: boolean): Promise<void> {
    return this.#do("mark", acted, async () => {
      await this.#app.host.call("resolve", { call: this.#call.call, done });
      return null;
    });
  }

  /** Takes back the rule that let it pass: the next such call asks. */
  revokeRule(): Promise<void> {
    const { conversation, rule } = this.#call;
    return this.#do("revoke", acted, async () => {
      if (rule !== null) await this.#app.host.call("revoke_rule", { conversation, rule });
      return null;
    });
  }

  async #do(act: Act, words: (failure: Failure) => string, run: () => Promise<string | null>): Promise<void> {
    if (this.doing !== null) return;
    this.doing = act;
    this.said = null;
    try {
      this.said = await run();
    } catch (error) {
      this.said = words(error as Failure);
    } finally {
      this.doing = null;
    }
  }
}

function acted({ message }: Failure): string {
  return m.tools_act_failed({ message });
}
