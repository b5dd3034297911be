// What waits to be sent, folded from its events: added, changed, put elsewhere, taken back.
import type { Attachment, Delivery, Event, ItemId } from "../protocol";

export type Queued = { item: ItemId; text: string; delivery: Delivery; attachments: readonly Attachment[] };

export function edited(queue: readonly Queued[], { item, edit }: Extract<Event, { kind: "queue/edited" }>): readonly Queued[] {
  const change = (changes: Partial<Queued>): readonly Queued[] => queue.map((queued) => (queued.item === item ? { ...queued, ...changes } : queued));
  switch (edit.edit) {
    case "added":
      return [...queue, { item, text: edit.text, delivery: edit.delivery, attachments: edit.attachments ?? [] }];
    case "changed":
      return change({ text: edit.text });
    case "delivery":
      return change({ delivery: edit.delivery });
    case "moved":
      return moved(queue, item, edit.before);
    case "withdrawn":
      return queue.filter((queued) => queued.item !== item);
  }
}

/** The line with an item directly before another one, or at the end. */
function moved(queue: readonly Queued[], item: ItemId, before: ItemId | null): readonly Queued[] {
  const one = queue.find((queued) => queued.item === item);
  if (!one) return queue;
  const others = queue.filter((queued) => queued !== one);
  const place = others.findIndex((queued) => queued.item === before);
  return place < 0 ? [...others, one] : [...others.slice(0, place), one, ...others.slice(place)];
}
