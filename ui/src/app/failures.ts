// Says what a failed request means, in words by its code; what the engine said follows as detail.
import { clipboard, warn, type CopyText } from "../controls";
import { m } from "../locales";
import type { Code, Failure } from "../protocol";

const words: Record<Code, () => string> = {
  "not-found": m.app_failed_not_found,
  "not-pending": m.app_failed_not_pending,
  "card-changed": m.app_failed_card_changed,
  workspace: m.app_failed_workspace,
  key: m.app_failed_key,
  provider: m.app_failed_provider,
  "file-changed": m.app_failed_file_changed,
  untrusted: m.app_failed_untrusted,
  storage: m.app_failed_storage,
  invalid: m.app_failed_invalid,
  other: m.app_failed,
};

/** Shows a failure with a button that copies its details. To be called while a component is made; returns what shows it. */
export function failureNotices(): (failure: Failure) => void {
  const copy: CopyText = clipboard();
  return ({ code, message }) => {
    warn(words[code](), { detail: message, action: { label: m.app_details(), run: () => void copy(`${code}: ${message}`) } });
  };
}
