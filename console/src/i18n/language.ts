import { useSyncExternalStore } from 'react';

/** The languages of the console, in the order in which they are offered. */
export const LANGUAGES = ['en', 'pt-BR'] as const;
export type Language = (typeof LANGUAGES)[number];

/** What each language calls itself. */
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', 'pt-BR': 'Português (Brasil)' };

const KEY = 'console.language';
const listeners = new Set<() => void>();
let current = kept() ?? preferred(navigator.languages);

/** The first language of the browser that the console speaks; English when it speaks none of them. */
export function preferred(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [base] = tag.toLowerCase().split('-');
    if (base === 'pt') return 'pt-BR';
    if (base === 'en') return 'en';
  }
  return 'en';
}

export function language(): Language {
  return current;
}

/** Changes the language, and keeps the choice in this browser. */
export function setLanguage(chosen: Language): void {
  current = chosen;
  document.documentElement.lang = chosen;
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // a browser that keeps nothing: the choice lasts as long as the page
  }
  for (const listener of listeners) listener();
}

export function useLanguage(): Language {
  return useSyncExternalStore(subscribe, language);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function kept(): Language | undefined {
  try {
    return LANGUAGES.find((known) => known === localStorage.getItem(KEY));
  } catch {
    return undefined;
  }
}
