// One decision under way: sent, refused by the engine, or waiting for the event that closes the card. It decides nothing by itself.
import { m } from "../locales";
import type { Failure, Scope, Sha } from "../protocol";
import { rearmAll } from "./arming.svelte";

/** What sends a decision on; rejects with a `Failure`. The card closes by the event alone. */
export type Decide = {
  approve: (scope: Scope) => Promise<void>;
  reject: (note: string | null) => Promise<void>;
};

/** Notes that are being written, by card: a card that is scrolled out of sight and back still has its own. */
export const unsent = new Map<Sha, string>();

export class Decision {
  /** What was sent and has no answer yet. */
  sending = $state<"approve" | "reject" | null>(null);
  failure = $state.raw<Failure | null>(null);

  /** Sends once: a second click while the first is under way is no second decision. */
  async send(what: "approve" | "reject", act: () => Promise<void>): Promise<void> {
    if (this.sending !== null) return;
    this.sending = what;
    this.failure = null;
    rearmAll();
    try {
      await act();
    } catch (error) {
      this.sending = null;
      this.failure = error as Failure;
      rearmAll();
    }
  }

  /** There is nothing left to decide here, whatever is clicked. */
  get over(): boolean {
    return this.failure?.code === "not-pending" || this.failure?.code === "card-changed";
  }

  get words(): string | null {
    const { failure } = this;
    if (failure === null) return null;
    if (failure.code === "not-pending") return m.approval_not_pending();
    if (failure.code === "card-changed") return m.approval_card_changed();
    return `${m.approval_failed({ message: failure.message })} ${m.approval_try_again()}`;
  }
}
