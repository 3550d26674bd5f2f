/** What a history can break. */
export const RULES = [
  'lost',
  'unexpected',
  'doubled without a reason',
  'sent after its cancel',
  'offered after its cancel',
  'offered to two',
  'not cancelled',
  'settled twice',
  'illegal move',
  'stuck',
  'accepted twice',
  'wrong answer',
  'parked though delivered',
  'receipt skipped',
  'statement lost',
  'recorded twice',
] as const;
export type Rule = (typeof RULES)[number];

/** A rule that an order breaks. */
export interface Violation {
  readonly rule: Rule;
  /** the order's key, or what stands for it */
  readonly key: string;
  readonly text: string;
}
