// Asks the engine what is going on when a conversation should be writing and nothing has come from it for a minute, so that the window
// can't stay "generating" for ever. While cards wait for a person there is nothing to ask.
import type { Host } from "../host";
import type { ConversationId } from "../protocol";
import type { Conversations } from "./conversations.svelte";
import type { Router } from "./router";

/** Silence after which the engine is asked. Its heartbeat comes every ten seconds. */
const SILENCE_MS = 60_000;
const LOOK_EVERY_MS = 5000;
/** A look that comes this much late means that the machine slept. */
const SLEPT_MS = 30_000;

export class Watchdog {
  /** Called when the machine woke up: anything may have been missed. */
  onwake: () => void = () => undefined;
  readonly #host: Host;
  readonly #conversations: Conversations;
  readonly #router: Router;
  readonly #now: () => number;
  readonly #heard = new Map<ConversationId, number>();
  #lastLook: number;

  constructor(host: Host, conversations: Conversations, router: Router, now: () => number = Date.now) {
    this.#host = host;
    this.#conversations = conversations;
    this.#router = router;
    this.#now = now;
    this.#lastLook = now();
    router.onheard = (id) => this.#heard.set(id, now());
  }

  /** Begins to look. Returns what ends it. */
  start(): () => void {
    const timer = setInterval(() => void this.look(), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }

  async look(): Promise<void> {
    const now = this.#now();
    const slept = now - this.#lastLook > LOOK_EVERY_MS + SLEPT_MS;
    this.#lastLook = now;
    if (slept) this.onwake();
    const silent = this.#conversations.rows.filter(({ id, generating, pending }) => {
      if (!generating || pending > 0) return false;
      const since = this.#heard.get(id);
      if (since === undefined) this.#heard.set(id, now);
      return since !== undefined && now - since >= SILENCE_MS;
    });
    await Promise.all(silent.map(({ id }) => this.#ask(id)));
  }

  async #ask(id: ConversationId): Promise<void> {
    this.#heard.set(id, this.#now());
    const conversation = this.#conversations.opened(id);
    const standing = await this.#host.call("standing", { conversation: id }).catch(() => null);
    if (standing?.generating) {
      if (conversation) conversation.standing = standing;
      return;
    }
    // It isn't working, or doesn't answer: what the window shows is out of date.
    if (conversation) return this.#router.open(conversation);
    const opened = await this.#host.call("overview", {}).catch(() => null);
    if (opened) this.#conversations.restart(opened);
  }
}
