// Opens a folder as a project and begins a conversation in it. A home folder is asked about first.
import { m } from "../locales";
import type { ProjectRow } from "../protocol";
import type { App } from "../state";

export class Folders {
  /** A home folder that was chosen and awaits a word. */
  home = $state<string | null>(null);
  readonly #app: App;
  /** What the first message in the folder shall be. */
  #message: string | null = null;

  constructor(app: App) {
    this.#app = app;
  }

  /** Lets a person choose one. `message` is said in it at once. */
  async pick(message: string | null = null): Promise<void> {
    this.#message = message;
    const path = await this.#app.host.pickFolder(m.app_pick_folder()).catch((error: unknown) => this.#app.failed(error));
    if (path) await this.open(path);
  }

  async open(path: string, allowHome = false): Promise<void> {
    this.home = null;
    try {
      const project = await this.#app.host.call("open_folder", { path, allow_home: allowHome });
      await this.#begin(project);
    } catch (error) {
      // The only question that opening asks; whatever else is wrong is told.
      if (!allowHome && isHome(path, error)) this.home = path;
      else this.#app.failed(error);
    }
  }

  /** Goes to the newest conversation of the project, or begins its first. */
  async #begin(project: ProjectRow): Promise<void> {
    const text = this.#message;
    this.#message = null;
    if (text !== null) {
      const row = await this.#app.create(project.id);
      if (row) await this.#app.ask("send", { conversation: row.id, text, delivery: "next-turn", reject: false, attachments: [] });
      return;
    }
    const known = this.#app.conversations.rows.find((row) => row.project === project.id && !row.archived);
    if (known) await this.#app.open(known.id);
    else await this.#app.create(project.id);
  }
}

/** A person's own folder, by the shapes it has on the three systems; the engine refuses it until it is told otherwise. */
const HOME = /^(\/root|\/(home|Users)\/[^/]+|[A-Za-z]:\\Users\\[^\\]+)[\\/]?$/;

function isHome(path: string, error: unknown): boolean {
  return HOME.test(path) && typeof error === "object" && error !== null && "code" in error && error.code === "workspace";
}
