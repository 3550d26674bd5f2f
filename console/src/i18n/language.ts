import { keep, kept } from '../browser/kept.js';
import { observable } from '../browser/observable.js';

/** The languages of the console, in the order of the menu. */
export const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The name of each language in that language. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', 'pt-BR': 'Português (Brasil)' };

const LANGUAGE_KEY = 'console.language';
const current = observable(LANGUAGES.find((known) => known === kept(LANGUAGE_KEY)) ?? preferred(navigator.languages));

/** The first language of the browser that the console has; else English. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [base] = tag.toLowerCase().split('-');
    if (base === 'pt') return 'pt-BR';
    if (base === 'en') return 'en';
  }
  return 'en';
}

export const language = current.get;
export const useLanguage = current.use;

/** Changes the language, and keeps the choice in this browser. */
export function setLanguage(chosen: Language): void {
  document.documentElement.lang = chosen;
  keep(LANGUAGE_KEY, chosen);
  current.set(chosen);
}
