// Numbers, sizes, durations and times in the language in force, by `Intl`. No unit is spelled by hand.
// It reads no clock: the caller says what "now" is.
import { m } from "../paraglide/messages.js";
import { language } from "./language.svelte";

const made = new Map<string, unknown>();

/** `Intl` objects are slow to make and a list of a thousand rows asks for the same few. */
function once<T>(key: string, make: () => T): T {
  const full = `${language.current} ${key}`;
  const known = made.get(full);
  if (known !== undefined) return known as T;
  const fresh = make();
  made.set(full, fresh);
  return fresh;
}

function numbers(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return once(key, () => new Intl.NumberFormat(language.current, options));
}

/** 1,234.5 */
export function number(value: number): string {
  return numbers("number", { maximumFractionDigits: 2 }).format(value);
}

/** 48k, in Chinese 4.8万: for counts that are read at a glance. */
export function compact(value: number): string {
  const text = numbers("compact", { notation: "compact", maximumSignificantDigits: 3 }).format(value);
  return language.current === "en" ? text.replace("K", "k") : text;
}

/** `share` is 0 to 1. */
export function percent(share: number): string {
  return numbers("percent", { style: "percent", maximumFractionDigits: 0 }).format(share);
}

/** US dollars; small sums keep the digits that tell them from nothing. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.00005) return `<${money(0.0001)}`;
  const small = dollars > 0 && dollars < 0.1;
  return numbers(small ? "money-small" : "money", {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: small ? 4 : 2,
    maximumFractionDigits: small ? 4 : 2,
  }).format(dollars);
}

/** What something cost, in millionths of a dollar (null: nothing is known), and how many requests that leaves out. */
export function cost(micros: number | null, unknown: number): string {
  if (micros === null && unknown > 0) return m.unknown();
  const known = money((micros ?? 0) / 1e6);
  return unknown > 0 ? m.cost_partly({ cost: known, count: number(unknown) }) : known;
}

/** Sizes in steps of 1,000, as file managers show them. */
export function bytes(count: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let step = 0;
  let value = count;
  while (value >= 1000 && step < units.length - 1) {
    value /= 1000;
    step += 1;
  }
  const unit = units[step] ?? "byte";
  return numbers(unit, { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumSignificantDigits: 3 }).format(value);
}

function unit(value: number, name: "second" | "minute" | "hour" | "day", digits: number): string {
  return numbers(`${name} ${digits}`, {
    style: "unit",
    unit: name,
    unitDisplay: name === "second" && language.current === "en" ? "narrow" : "short",
    maximumFractionDigits: digits,
    minimumFractionDigits: digits,
  })
    .format(value)
    .replace(/^([\d.,]+)s$/, "$1\u00a0s");
}

/** How long something took or has been waiting: 0.01 s, 14 s, 3 min, 2 hr. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 1) return unit(seconds, "second", 2);
  if (seconds < 10) return unit(seconds, "second", 1);
  if (seconds < 60) return unit(Math.floor(seconds), "second", 0);
  if (seconds < 3600) return unit(Math.floor(seconds / 60), "minute", 0);
  if (seconds < 86_400) return unit(Math.floor(seconds / 3600), "hour", 0);
  return unit(Math.floor(seconds / 86_400), "day", 0);
}

/** How long something has been going on, for a figure that counts: whole seconds, so that it doesn't flicker. */
export function elapsed(milliseconds: number): string {
  return milliseconds < 60_000 ? unit(Math.floor(Math.max(0, milliseconds) / 1000), "second", 0) : duration(milliseconds);
}

/** When something was, in the fewest letters: now, 9:40, Mon, 28 Nov. */
export function clock(at: number, now: number): string {
  const then = new Date(at);
  const today = new Date(now);
  if (now - at < 60_000) return m.time_now();
  const sameDay = then.toDateString() === today.toDateString();
  if (sameDay) return once("hour", () => new Intl.DateTimeFormat(language.current, { hour: "numeric", minute: "2-digit", hour12: false })).format(then);
  if (now - at < 6 * 86_400_000) return once("weekday", () => new Intl.DateTimeFormat(language.current, { weekday: "short" })).format(then);
  const sameYear = then.getFullYear() === today.getFullYear();
  return once(`day ${sameYear}`, () => new Intl.DateTimeFormat(language.current, { day: "numeric", month: "short", ...(sameYear ? {} : { year: "numeric" }) })).format(then);
}

/** A day of the calendar: 28 Nov. */
export function day(at: number): string {
  return once("day true", () => new Intl.DateTimeFormat(language.current, { day: "numeric", month: "short" })).format(at);
}

/** When something was, as a phrase: 20 seconds ago, yesterday. */
export function ago(at: number, now: number): string {
  const seconds = (at - now) / 1000;
  const steps: ReadonlyArray<[Intl.RelativeTimeFormatUnit, number]> = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const [name, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? ["second", 1];
  return once("ago", () => new Intl.RelativeTimeFormat(language.current, { numeric: "auto" })).format(Math.round(seconds / size), name);
}

/** a, b and c */
export function list(parts: readonly string[]): string {
  return once("list", () => new Intl.ListFormat(language.current, { type: "conjunction" })).format(parts);
}
