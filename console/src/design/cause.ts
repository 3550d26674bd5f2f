import type { View } from '../api/client.js';

/** Why an attempt failed (O30); null: it has not, or nobody knows. */
export type Cause = View<'AttemptView'>['cause'];

const OF_SETUP: ReadonlySet<Cause> = new Set<Cause>(['sign_in', 'no_code_store_pos', 'no_credentials']);
const NEVER_REPEATED: ReadonlySet<Cause> = new Set<Cause>([
  'refused',
  'unmappable',
  'refund',
  'lost',
  'withdrawn',
  null,
]);

/** Whether the set-up of the restaurant mends it. */
export const isOfSetup = (cause: Cause): boolean => OF_SETUP.has(cause);

/** Whether a job that is parked was tried again until its attempts were used up (O16). */
export const gaveUp = (cause: Cause): boolean => !NEVER_REPEATED.has(cause);

/** The words for a cause; those of `other` for none, and for one that only a later relay knows. */
export function wordsFor<Words>(words: { readonly other: Words }, cause: Cause): Words {
  return (words as Readonly<Record<string, Words>>)[cause ?? 'other'] ?? words.other;
}

/** Words for the middle of a sentence, at its beginning. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
