// Where a model was found, in words. It looks at what is offered and asks for nothing.
import { m } from "../locales";
import type { ModelChoice, OfferedModel } from "../protocol";

export function nameOf({ label, model }: ModelChoice): string {
  return label || model;
}

export function where({ choice, found }: OfferedModel): string {
  if (choice.protocol === "practice") return m.first_practice();
  if (choice.provider !== null) return m.first_provider({ name: found });
  return isHere(choice.base_url) ? m.first_local({ name: found }) : m.first_environment({ name: found });
}

/** An address of this computer. */
function isHere(address: string): boolean {
  if (!URL.canParse(address)) return false;
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(address).hostname);
}
