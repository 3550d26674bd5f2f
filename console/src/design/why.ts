import { isolated } from '../i18n/isolated.js';
import { type Cause, type Subject, wordsFor } from './cause.js';
import { useCauseWords } from './cause-words.js';

/** The text names what a word cannot: a field, a product. */
const TOLD_BY_TEXT: ReadonlySet<Cause> = new Set<Cause>(['refused', 'unmappable', 'internal', null]);

/** What kept an order from the POS, for the middle of a sentence, with `lastError` in brackets where that says more. */
export function useWhy(): (cause: Cause, lastError: string | null, subject?: Subject) => string {
  const texts = useCauseWords();
  return (cause, lastError, subject = null) => {
    const { cause: words } = wordsFor(texts, cause, subject);
    return lastError && TOLD_BY_TEXT.has(cause) ? `${words} (${isolated(lastError)})` : words;
  };
}
