// A person's word on a model beside what is known of it: which counts, and how both are said.
import { compact, m, money, number } from "../locales";
import type { Known, KnownModel, ModelFacts, Price } from "../protocol";

export const UNSAID: ModelFacts = { window: null, output_limit: null, images: null, documents: null, tools: null, reasoning: null, price: null };
export const NO_PRICE: Price = { input: null, output: null, cache_read: null, cache_write: null, up_to: null, ceiling: false };
export type PriceField = "input" | "output" | "cache_read" | "cache_write";

/** A word without figures is none. */
export function isSaid(word: ModelFacts): boolean {
  return Object.values(word).some((figure) => figure !== null);
}

/** The figures that count: the person's word, else what is known. */
export function counting(known: KnownModel, word: ModelFacts): { window: number; images: boolean; documents: boolean; price: Price | null } {
  const price = known.price?.value ?? null;
  return {
    window: word.window ?? known.window.value,
    images: word.images ?? known.images?.value ?? false,
    documents: word.documents ?? known.documents?.value ?? false,
    price: word.price ? { ...NO_PRICE, ...price, ...set(word.price), up_to: null, ceiling: false } : price,
  };
}

function set(price: Price): Partial<Price> {
  return Object.fromEntries(Object.entries(price).filter(([, figure]) => figure !== null));
}

/** What counts of a model, in one line. */
export function summary(known: KnownModel, word: ModelFacts): string {
  const { window, images, documents, price } = counting(known, word);
  const parts = [m.settings_model_tokens({ count: window < 10_000 ? number(window) : compact(window) })];
  if (images) parts.push(m.settings_model_images());
  if (documents) parts.push(m.settings_model_documents());
  parts.push(price && (price.input !== null || price.output !== null) ? m.settings_model_price({ input: dollars(price.input), output: dollars(price.output) }) : m.settings_model_price_unknown());
  return parts.join(" · ");
}

function dollars(price: number | null): string {
  return price === null ? "?" : money(price);
}

/** A known figure and whose word it is. */
export function origin<T>(known: Known<T> | null, model: KnownModel, say: (value: T) => string | null): string {
  const value = known === null ? null : say(known.value);
  if (known === null || value === null) return m.settings_model_unknown();
  switch (known.origin) {
    case "server":
      return m.settings_model_by_server({ value });
    case "data":
      return m.settings_model_by_data({ value, date: model.data?.date ?? "" });
    case "usual":
      return m.settings_model_by_usual({ value });
  }
}

export const yesOrNo = (value: boolean): string => (value ? m.settings_model_yes() : m.settings_model_no());
export const tokens = (value: number): string => number(value);
export const priceOf = (field: PriceField) => (price: Price): string | null => (price[field] === null ? null : money(price[field]));

/** Tokens as a person typed them: a number, none, or not to be read. */
export function readTokens(text: string): number | null | undefined {
  const bare = text.replaceAll(/[\s,]/g, "");
  if (bare === "") return null;
  return /^\d{4,9}$/.test(bare) && Number(bare) > 1000 ? Number(bare) : undefined;
}

/** Seconds as a person typed them: a number, none, or not to be read. */
export function readSeconds(text: string): number | null | undefined {
  const bare = text.replaceAll(/[\s,]/g, "");
  if (bare === "") return null;
  return /^\d{1,4}$/.test(bare) && Number(bare) >= 5 && Number(bare) <= 3600 ? Number(bare) : undefined;
}

/** A figure that may be none, as a person would type it. */
export function written(figure: number | null): string {
  return figure === null ? "" : String(figure);
}

/** Dollars as a person typed them: a number, none, or not to be read. */
export function readPrice(text: string): number | null | undefined {
  const bare = text.trim().replace(/^\$/, "");
  if (bare === "") return null;
  return /^\d{1,5}(\.\d{1,6})?$/.test(bare) && Number(bare) <= 10_000 ? Number(bare) : undefined;
}
