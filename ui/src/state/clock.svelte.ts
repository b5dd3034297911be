// The time of day, for "waiting 20 s": read in a template it is read again every second. It runs only while somebody looks.
import { createSubscriber } from "svelte/reactivity";

const subscribe = createSubscriber((update) => {
  const timer = setInterval(update, 1000);
  return () => clearInterval(timer);
});

/** Milliseconds since 1970. */
export function now(): number {
  subscribe();
  return Date.now();
}
