// The files that a person trusts, of all folders, and taking that back. It decides nothing, and what it shows is what was there when it
// was asked.
import { asFailure, type Host } from "../host";
import type { Failure, TrustedFile } from "../protocol";

/** The trusted files of one folder. */
export type TrustedFolder = { root: string; files: readonly TrustedFile[] };

export class TrustedFiles {
  /** By folder, in the engine's order; null: not known yet. */
  folders = $state.raw<readonly TrustedFolder[] | null>(null);
  failure = $state.raw<Failure | null>(null);
  readonly #host: Host;
  #asked = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  /** Looks anew; what is shown stays until then. */
  async load(): Promise<void> {
    const number = ++this.#asked;
    try {
      const files = await this.#host.call("trusted", {});
      if (number !== this.#asked) return;
      this.folders = byFolder(files);
      this.failure = null;
    } catch (error) {
      if (number === this.#asked) this.failure = asFailure(error);
    }
  }

  /** Trusts these files of a folder no longer. True when it was done. */
  async takeBack(root: string, paths: readonly string[]): Promise<boolean> {
    const failure = await this.#host.call("distrust", { root, paths: [...paths] }).then(() => null, asFailure);
    await this.load();
    if (failure) this.failure = failure;
    return failure === null;
  }
}

function byFolder(files: readonly TrustedFile[]): TrustedFolder[] {
  const roots = [...new Set(files.map(({ root }) => root))];
  return roots.map((root) => ({ root, files: files.filter((file) => file.root === root) }));
}
