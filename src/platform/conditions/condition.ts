import type { Subject } from '../../domain/cause.js';
import type { Language } from '../http/fields/languages.js';
import { describeEnum } from '../http/openapi/document.js';

/** What a condition is about: its newest order, or the name of what is away. */
export interface ConditionDetails {
  /** what the POS refused its orders for (O47); null: not known */
  readonly subject?: Subject | null;
  readonly transactionKey?: string;
  readonly transactionNumber?: string | null;
  readonly paidCents?: number;
  /** ISO 8601 */
  readonly receivedAt?: string;
  /** the instance, the printer, the sender key or the terminal's file */
  readonly name?: string;
  /** of the terminal's file */
  readonly fileId?: string;
  /** of the sender key */
  readonly keyId?: string;
  /** ISO 8601: when the sender key expires or has expired */
  readonly expiresAt?: string;
  /** how long it was away, in seconds */
  readonly seconds?: number;
  /** of the platform: what the POS answers, in short (`HTTP 503`) and with its text */
  readonly short?: string;
  readonly answer?: string;
  /** of the platform: how many orders wait */
  readonly orders?: number;
  /** ISO 8601: since when it holds, or since when the oldest order has been due */
  readonly since?: string;
  /** in how many minutes a backlog is sent; null: nothing is sent now */
  readonly minutes?: number | null;
  /** names of restaurants, 10 at most; of the sender key: of its restaurant, null for the platform's */
  readonly names?: readonly string[];
  readonly restaurant?: string | null;
  /** how many sender keys are refused; the others are of the newest */
  readonly keys?: number;
  /** why requests with the sender key are refused: one of REFUSAL_REASONS */
  readonly reason?: string;
  /** how long the check of a slow database took, in ms; null: it is not slow */
  readonly ms?: number | null;
  /** false: it closed, and what it was about is not solved (G3) */
  readonly solved?: boolean;
}

/**
 * What people read of a condition, in messages behind the name of the restaurant and a colon, and as a title of the console. `name` is that of an
 * instance, a printer, a key or a file; `when` the time of `expiresAt` or `since` by the clock of the restaurant, of the platform in UTC.
 */
export interface ConditionWords {
  readonly title: (count: number, name: string, when: string) => string;
  readonly closed: (name: string) => string;
  /** what is said in place of `closed` when it is not {@link Condition.solved} */
  readonly ended?: string;
  /** what helps; absent: what helps against the cause of the orders, while they wait or are parked */
  readonly help?: string;
}
export type WordsByLanguage = Readonly<Record<Language, ConditionWords>>;

/** Something that needs somebody while it holds (G1). */
export interface Condition {
  /** clients depend on it */
  readonly kind: string;
  /** for the document */
  readonly meaning: string;
  /**
   * SQL that selects `restaurant_id` (NULL: the platform's), `cause`, `count`, `newest_at` (of what makes it hold again after somebody acknowledged
   * it, else NULL), `object` (what tells it from others of its kind), `details` (jsonb of {@link ConditionDetails}), in this order. It may
   * read `place` (the ids of all restaurants), its own {@link with}, and `(SELECT mine FROM turn)`, which is false while another instance reads.
   * Absent: the database cannot say it.
   */
  readonly select?: string;
  /** SQL: common table expressions of `select`, and of the conditions that are added after it */
  readonly with?: string;
  /**
   * SQL, of a row of `select`: whether an alert of the platform covers it, and the people of the restaurant can do nothing about it (G55). It then
   * opens no alert, and an open one takes no further step.
   */
  readonly folded?: string;
  /**
   * Of the platform: the restaurants that it covers (G55). `select` is SQL of a row `found` of the condition: `restaurant_id`, the founder `party`
   * (O44), and a number. A sum of `newRoundFrom` over the founders that were not in the alert when it was acknowledged begins a new round (G57).
   */
  readonly covers?: { readonly select: string; readonly newRoundFrom: number };
  /**
   * SQL, of a row `alerts` that closes: whether what {@link ConditionWords.closed} says is true. A condition ceases to hold for other reasons, too: the restaurant
   * is paused, or another alert says more. Absent: it is true whenever the condition does not hold. $2 as in `select`.
   */
  readonly solved?: string;
  /** quiet hours never hold it back (G7); it goes before those without it (G57) */
  readonly isUrgent?: boolean;
  /** what is wrong only in some days: its steps are a day apart (G31), and it holds again when `newest_at` is set */
  readonly isSlow?: (details: ConditionDetails) => boolean;
  /** its orders wait, and are sent automatically: what helps is that of `waiting.ts` */
  readonly areWaiting?: boolean;
  /** the page of the console; undefined: that of alerts */
  readonly page?: (restaurantId: string, details: ConditionDetails, count: number) => string | undefined;
  /** the page of an alert of the platform; absent: that of its alerts */
  readonly platformPage?: string;
  readonly words: (details: ConditionDetails) => WordsByLanguage;
}

/** The most orders, sales or rows of a condition that are counted. */
export const COUNTED = 1_000;
export const upTo = (count: number): string => (count >= COUNTED ? '1,000+' : String(count));

/** The kinds by name. */
export const KINDS: string[] = [];
const conditions = new Map<string, Condition>();

/** Adds conditions of a module. To be called when its file is imported. */
export function addConditions(...added: readonly Condition[]): void {
  for (const condition of added) {
    KINDS.push(condition.kind);
    KINDS.sort();
    conditions.set(condition.kind, condition);
  }
}

export const allConditions = (): readonly Condition[] => [...conditions.values()];

/** The kinds that go before others (G57). */
export const urgentKinds = (): string[] => allConditions().flatMap(({ kind, isUrgent }) => (isUrgent ? kind : []));

/** @returns undefined for a kind that this process has not loaded */
export const conditionOf = (kind: string): Condition | undefined => conditions.get(kind);

describeEnum('AlertKind', () =>
  allConditions()
    .map(({ kind, meaning }) => `${kind}: ${meaning}`)
    .join('; '),
);
