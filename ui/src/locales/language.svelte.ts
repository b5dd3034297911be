// The language in force, as state: a message read in a template is read again when the language changes, without a reload.
// It does not guess: the caller asks `fromSystem` or sets what the person chose.
import { m } from "../paraglide/messages.js";
import { baseLocale, isLocale, locales, overwriteGetLocale, type Locale } from "../paraglide/runtime.js";

export type Language = Locale;

/** All languages of the catalogue, with their own names. */
export const languages: ReadonlyArray<{ value: Language; label: string }> = locales.map((value) => ({ value, label: m.language_name({}, { locale: value }) }));

class LanguageInForce {
  current = $state<Language>(baseLocale);

  /** Shows everything in `language` from now on, and tells the page, so that fonts and screen readers follow. */
  set(language: Language): void {
    this.current = language;
    if (typeof document !== "undefined") document.documentElement.lang = language;
  }

  /** The catalogue's best answer to the system's list of preferred languages. */
  fromSystem(preferred: readonly string[] = navigator.languages): Language {
    for (const tag of preferred) {
      if (isLocale(tag)) return tag;
      const base = tag.split("-")[0];
      const near = locales.find((locale) => locale.split("-")[0] === base);
      if (near) return near;
    }
    return baseLocale;
  }
}

export const language = new LanguageInForce();
overwriteGetLocale(() => language.current);
