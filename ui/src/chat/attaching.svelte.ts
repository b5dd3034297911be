// Images and PDFs that go with the next message: pasted, dropped or picked, and stored by the engine as soon as they are there, with
// the draft that they belong to.
// What may be attached is the engine's word; here only what is far too large is left unread.
import type { App, Conversation } from "../state";
import { warn } from "../controls";
import { bytes, m } from "../locales";
import type { Attachment } from "../protocol";

/** The engine takes PDFs up to this size, and nothing larger. */
const LARGEST = 32_000_000;
/** Attachments of one message. */
const MOST = 20;
/** What the file dialog offers. */
export const ACCEPTED = { images: "image/png,image/jpeg,image/gif,image/webp", documents: "application/pdf" };

export class Attaching {
  readonly #app: App;
  readonly #conversation: Conversation;
  /** How many are being read and stored. */
  busy = $state(0);

  constructor(app: App, conversation: Conversation) {
    this.#app = app;
    this.#conversation = conversation;
  }

  get list(): readonly Attachment[] {
    return this.#conversation.attached;
  }

  /** What the file dialog offers for the present model. */
  get accepted(): string {
    const { images, documents } = this.#takes;
    return [images ? ACCEPTED.images : "", documents ? ACCEPTED.documents : ""].filter(Boolean).join(",");
  }

  /** Why nothing can be attached; null: something can. */
  get refusal(): string | null {
    const { images, documents } = this.#takes;
    return images || documents ? null : m.chat_attach_none({ model: this.#model });
  }

  /** Takes files, in their order. What can't be attached is told to the person. */
  async add(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const why = this.refusal ?? this.#unfit(file);
      if (why !== null) warn(why);
      else await this.#store(file);
    }
  }

  remove(attachment: Attachment): void {
    this.#keep(this.list.filter((known) => known !== attachment));
  }

  clear(): void {
    if (this.list.length > 0) this.#keep([]);
  }

  #keep(attachments: Attachment[]): void {
    this.#conversation.attached = attachments;
    void this.#app.ask("save_draft_attachments", { conversation: this.#conversation.id, attachments });
  }

  get #model(): string {
    return this.#conversation.row.model?.label ?? m.chat_attach_no_model();
  }

  get #takes(): { images: boolean; documents: boolean } {
    const model = this.#conversation.row.model;
    return { images: model?.images ?? false, documents: model?.documents ?? false };
  }

  #unfit(file: File): string | null {
    if (file.size > LARGEST) return m.chat_attach_too_large({ name: file.name, size: bytes(LARGEST) });
    if (this.list.length + this.busy >= MOST) return m.chat_attach_too_many({ count: MOST });
    return null;
  }

  async #store(file: File): Promise<void> {
    this.busy += 1;
    try {
      const data = await base64(file);
      const attachment = await this.#app.ask("attach", { conversation: this.#conversation.id, name: file.name, data });
      if (attachment) this.#put(attachment);
    } catch {
      // A folder, or a file that is gone.
      warn(m.chat_attach_unreadable({ name: file.name }));
    } finally {
      this.busy -= 1;
    }
  }

  #put(attachment: Attachment): void {
    const isImage = attachment.media_type !== "application/pdf";
    const takes = isImage ? this.#takes.images : this.#takes.documents;
    const isThere = this.list.some(({ content }) => content.hash === attachment.content.hash);
    if (!takes) warn(isImage ? m.chat_attach_no_images({ model: this.#model }) : m.chat_attach_no_documents({ model: this.#model }));
    else if (!isThere) this.#keep([...this.list, attachment]);
  }
}

/** The bytes of a file as base64. */
function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const address = typeof reader.result === "string" ? reader.result : "";
      resolve(address.slice(address.indexOf(",") + 1));
    };
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}
