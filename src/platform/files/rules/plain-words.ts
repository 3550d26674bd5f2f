import { normalized } from '../../../domain/text.js';

/** A text in lower case without accents, its words apart by single blanks. */
export function plainWords(text: string): string {
  return normalized(text, 'NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, ' ')
    .trim();
}
