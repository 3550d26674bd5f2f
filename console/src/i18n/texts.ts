import { type Language, useLanguage } from './language.js';

/** A dictionary of another language: the same keys, the same parameters. */
export type Same<Dictionary> = {
  readonly [Key in keyof Dictionary]: Dictionary[Key] extends (...parameters: infer Parameters) => string
    ? (...parameters: Parameters) => string
    : Dictionary[Key] extends string
      ? string
      : Same<Dictionary[Key]>;
};

/**
 * Makes the hook for the texts of a page. Each page has its own dictionaries (`en.ts`, `pt-BR.ts` in its folder), which load with
 * it.
 */
export function textsOf<Dictionary>(dictionaries: Record<Language, Dictionary>): () => Dictionary {
  return () => dictionaries[useLanguage()];
}

export { plural } from './plural.js';
