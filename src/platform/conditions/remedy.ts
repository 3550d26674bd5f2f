import type { Cause, Subject } from '../../domain/cause.js';

/** What mends a cause: its word (O30), or for what the POS refused its subject (O47). `other`: nobody knows the cause. */
export type RemedyKey = Exclude<Cause, 'refused'> | `refused_${Subject}` | 'other';

/** The remedy of a cause. @param subject null: the refusal was stored by a version that did not tell it */
export function remedyKeyOf(cause: string | null, subject: string | null = null): RemedyKey {
  if (cause === 'refused') return `refused_${(subject ?? 'other') as Subject}`;
  return Object.hasOwn(ACTS, cause ?? '') ? (cause as RemedyKey) : 'other';
}

/**
 * What a person can do about an order here: open the set-up, say what the POS calls its products and send it again (I8), send it again, or record that it was
 * entered in the till by hand (R65). All but `setup` are for those who may send orders again: OWNER, ADMIN and MANAGER.
 */
export type Act = 'setup' | 'map' | 'send' | 'entered';

/**
 * What helps against a cause, the first before the others. Nothing else is offered: sending what cannot be mapped parks it again, and what may have
 * arrived is looked up in the till first, by the person.
 */
export const ACTS: Readonly<Record<RemedyKey, readonly Act[]>> = {
  refused_product: ['map', 'send', 'entered'],
  refused_store: ['setup', 'send'],
  refused_credentials: ['setup', 'send'],
  refused_other: ['send', 'entered'],
  unanswered: ['send', 'entered'],
  failing: ['send', 'entered'],
  busy: ['send', 'entered'],
  sign_in: ['setup', 'send'],
  no_code_store_pos: ['setup', 'send'],
  no_currency: ['setup', 'send'],
  no_credentials: ['setup', 'send'],
  unmappable: ['entered'],
  refund: ['entered'],
  unconfirmed: ['entered', 'send'],
  lost: ['entered', 'send'],
  internal: ['send', 'entered'],
  withdrawn: [],
  other: ['send', 'entered'],
};

/** A step of a remedy; `act`: only for those who can do it here. */
export interface Step {
  readonly say: string;
  readonly act?: Act;
}

/** The words for one cause. */
export interface RemedyWords {
  /** why one order failed: for the middle of a sentence */
  readonly cause: string;
  /** why orders are not in the POS, behind a colon: of one, of several */
  readonly reason: readonly [one: string, other: string];
  /** what to do, in one line */
  readonly inShort: string;
  /** what operators do while restaurants of several founders have it (R22); absent: the same */
  readonly inCommon?: string;
}
export type RemedySteps = Readonly<Record<RemedyKey, readonly Step[]>>;
export type RemedyTexts = Readonly<Record<RemedyKey, RemedyWords>>;
