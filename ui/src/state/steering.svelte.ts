// Which files of each project steer the model, and whether the person trusts them. It asks the engine; it decides nothing: what isn't
// trusted is left out there, whatever is shown here.
import type { Host } from "../host";
import type { ProjectId, Steering, SteeringFile } from "../protocol";

export class Steerings {
  readonly #host: Host;
  #known = $state.raw<ReadonlyMap<ProjectId, Steering>>(new Map());
  /** Contents that the person chose to go on without, in this run of the program. */
  #without = $state.raw<ReadonlySet<string>>(new Set());
  #asked = 0;

  constructor(host: Host) {
    this.#host = host;
  }

  of(project: ProjectId): Steering | undefined {
    return this.#known.get(project);
  }

  /** Files that would steer and aren't trusted. */
  untrusted(project: ProjectId): readonly SteeringFile[] {
    return this.of(project)?.files.filter(({ trusted }) => !trusted) ?? [];
  }

  /** Those of them that the person has neither trusted nor put aside. */
  waiting(project: ProjectId): readonly SteeringFile[] {
    return this.untrusted(project).filter((file) => !this.#without.has(key(project, file)));
  }

  /** Looks anew. What was known stays where that fails: then nothing new is asked of the person. */
  async refresh(project: ProjectId): Promise<void> {
    const asked = ++this.#asked;
    const found = await this.#host.call("steering", { project }).catch(() => null);
    if (found && asked === this.#asked) this.#known = new Map([...this.#known, [project, found]]);
  }

  /** Goes on without these files as they are now. */
  setAside(project: ProjectId, files: readonly SteeringFile[]): void {
    this.#without = new Set([...this.#without, ...files.map((file) => key(project, file))]);
  }

  /** Trusts exactly what was shown. */
  async trust(project: ProjectId, files: readonly SteeringFile[]): Promise<void> {
    const contents = files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
    try {
      await this.#host.call("trust", { project, files: contents });
    } finally {
      await this.refresh(project);
    }
  }
}

function key(project: ProjectId, { path, hash }: SteeringFile): string {
  return `${project} ${path} ${hash ?? ""}`;
}
