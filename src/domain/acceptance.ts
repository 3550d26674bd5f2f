/**
 * What a POS says of an order that it has (Q15). ACCEPTED and REFUSED decide whether it is in the kitchen; the others say how far it is. CANCELLED:
 * the POS has done the cancel that it was told of.
 */
export const POS_STATES = [
  'ACCEPTED',
  'REFUSED',
  'PREPARING',
  'READY',
  'DISPATCHED',
  'PICKED_UP',
  'DELIVERED',
  'CANCELLED',
] as const;
export type PosState = (typeof POS_STATES)[number];

/** A state of an order, as its POS says it. Texts are cut to fit. */
export interface Said {
  readonly state: PosState;
  /** ACCEPTED: of the order at the POS */
  readonly number?: string | undefined;
  readonly reason?: string | undefined;
  /** REFUSED: a code of the POS */
  readonly code?: string | undefined;
  /** REFUSED: the codes of the products that the POS does not know */
  readonly items?: readonly string[] | undefined;
  /** REFUSED: `items` are names; which codes the POS read is not known (Q16) */
  readonly byName?: boolean | undefined;
  readonly preparationMinutes?: number | undefined;
  /** the event of the order that it is about; absent: the POS does not say (Q23) */
  readonly eventId?: string | undefined;
}

/** `lastError` of an order that the POS refused after it was delivered (Q16); it names the products, so that they can be mapped (I21). */
export function refusalLine({ reason, code, items = [], byName = false }: Said): string {
  const why = [code, reason].filter((text) => text).join(': ');
  const since = byName ? ' (their codes may have changed since it read the order)' : '';
  return `the POS refused it: ${why}${items.length > 0 ? `; it does not know: ${items.join(', ')}${since}` : ''}`;
}
