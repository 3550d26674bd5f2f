import {
  ACTS,
  type Act,
  type RemedyTexts,
  type RemedyWords,
  remedyKeyOf,
} from '../../../src/platform/conditions/remedy.js';
import type { View } from '../api/client.js';
import type { SetupTopic } from '../api/setup-place.js';

/** Why an attempt failed (O30); null: it has not, or nobody knows. */
export type Cause = View<'AttemptView'>['cause'];
/** What the POS refused is about (O47). */
export type Subject = View<'OrderView'>['subject'];

const NEVER_REPEATED: ReadonlySet<Cause> = new Set<Cause>([
  'refused',
  'unmappable',
  'refund',
  'lost',
  'withdrawn',
  null,
]);

/** Whether the set-up of the restaurant mends it. */
export const isOfSetup = (cause: Cause, subject: Subject = null): boolean =>
  ACTS[remedyKeyOf(cause, subject)][0] === 'setup';

/** Whether the POS may have it: a person looks in the till first, and then says that it is there or sends it again. */
export const mayBeThere = (cause: Cause): boolean => ACTS[remedyKeyOf(cause)][0] === 'entered' && mayHelpToSend(cause);

/** Whether sending it again can help. */
export const mayHelpToSend = (cause: Cause, subject: Subject = null): boolean =>
  ACTS[remedyKeyOf(cause, subject)].includes('send');

/**
 * What can be done about an order, by its remedy alone: the card, the row and the page of an order have the same buttons (R67).
 * @param badge what is shown of the order: see `badgeOf`; what waits for a retry is tried now
 */
export function actsFor(badge: string, cause: Cause, subject: Subject = null): readonly Act[] {
  if (badge === 'refund') return ACTS.refund;
  return badge === 'parked' ? ACTS[remedyKeyOf(cause, subject)] : ['send'];
}

/** The topic of the set-up that mends it. */
export const topicOf = (cause: Cause, subject: Subject = null): SetupTopic =>
  remedyKeyOf(cause, subject).includes('store') ? 'restaurant' : 'pos';

/** Whether a job that is parked was tried again until its attempts were used up (O16). */
export const gaveUp = (cause: Cause): boolean => !NEVER_REPEATED.has(cause);

/** The words for a cause; those of `other` for none, and for one that only a later relay knows. */
export const wordsFor = (texts: RemedyTexts, cause: Cause, subject: Subject = null): RemedyWords =>
  texts[remedyKeyOf(cause, subject)];

/** Words for the beginning of a sentence, in its middle. */
export const uncapitalised = (words: string): string => words.charAt(0).toLowerCase() + words.slice(1);

/** Words for the middle of a sentence, at its beginning. */
export const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
