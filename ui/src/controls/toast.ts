// Short notices at the window's edge. They never carry the only copy of something a person needs.
import { toast } from "svelte-sonner";

export type Notice = {
  /** A second, quieter line. */
  detail?: string;
  /** One thing that can be done about it. */
  action?: { label: string; run: () => void };
  /** How long it stays, in ms; default 5,000, with an action 10,000. */
  stays?: number;
};

/** Shows a notice; returns what takes it away again. */
export function notify(text: string, notice: Notice = {}): () => void {
  return show(notice, (options) => toast(text, options));
}

/** Shows that something went wrong. It stays until it is closed. */
export function warn(text: string, notice: Notice = {}): () => void {
  return show({ stays: Number.POSITIVE_INFINITY, ...notice }, (options) => toast.error(text, options));
}

type Options = NonNullable<Parameters<typeof toast>[1]>;

function show(notice: Notice, put: (options: Options) => number | string): () => void {
  const { detail, action, stays } = notice;
  const id = put({
    duration: stays ?? (action ? 10_000 : 5000),
    ...(detail === undefined ? {} : { description: detail }),
    ...(action ? { action: { label: action.label, onClick: action.run } } : {}),
  });
  return () => toast.dismiss(id);
}
