// The bytes of what was attached, as addresses that an image can show: fetched when it is first shown, and kept while it is among the
// latest. It draws nothing, and asks for nothing but what the engine stored.
import type { Host } from "../host";
import type { Attachment, ConversationId } from "../protocol";

/** How many are kept: about what a screen shows, twice. */
const KEPT = 24;

export class Pictures {
  readonly #host: Host;
  /** The latest ones last. */
  readonly #known = new Map<string, Promise<string>>();

  constructor(host: Host) {
    this.#host = host;
  }

  /** The attachment as a `data:` address. Rejects with a `Failure`; then the next one who asks has it fetched again. */
  address(conversation: ConversationId, { media_type, content }: Attachment): Promise<string> {
    const key = `${conversation} ${content.hash}`;
    const known = this.#known.get(key);
    this.#known.delete(key);
    const found = known ?? this.#host.call("attachment", { conversation, hash: content.hash }).then((data) => `data:${media_type};base64,${data}`);
    this.#known.set(key, found);
    if (!known) found.catch(() => this.#known.delete(key));
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= KEPT) break;
      this.#known.delete(oldest);
    }
    return found;
  }
}
