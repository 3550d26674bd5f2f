import type { OrderReference, Unmappable } from '../domain/order.js';
import { NO_CODES, type PosCodes, rulesWith, withCodes } from '../domain/pos-codes.js';
import { orderOf, parseSale, readSale, type Sale } from '../domain/sale.js';
import { ERASED, isErased } from '../domain/transaction.js';
import type { MissingSetting } from '../pos/target.js';
import type { PosVendor, WireRequest } from '../pos/vendor.js';

/** A stored event, and the field of its restaurant that the order needs. */
export interface StoredEvent {
  /** the stored key, which becomes the order_id (M1) */
  readonly eventKey: string;
  /** the body of the webhook as stored (W16) */
  readonly payload: Record<string, unknown>;
  readonly receivedAt: Date;
  /** the restaurant's store code at the POS; null when not set */
  readonly codeStorePos: string | null;
}

/** The POS vendor's request that creates the order, or why there is none: a missing setting, or an unmappable field (M10). */
export type MappedOrder = { readonly request: WireRequest & { readonly body: object } } | MissingSetting | Unmappable;

/** The map step: turns a stored event into the POS vendor's requests. The worker sends these requests; staff see the same order. */
export class OrderMapper {
  constructor(private readonly vendor: PosVendor) {}

  /** Checks and reads a webhook body by the rules of the POS vendor (W12). @returns the problems of a body that is refused */
  parse(body: unknown): ReturnType<typeof parseSale> {
    return parseSale(body, this.vendor);
  }

  /**
   * Maps an event to the request of its CREATE job (M1 to M15). An erased sale has none (W40).
   * @param event `sale`: the sale that {@link parse} read from the body of the event; without it, the stored payload is read
   * @param codes of the restaurant, as they are now (I1)
   */
  mapCreate(event: StoredEvent & { readonly sale?: Sale | undefined }, codes: PosCodes = NO_CODES): MappedOrder {
    const { vendor } = this;
    const rules = rulesWith(vendor, codes);
    const sale = readOf(event, rules === vendor) ?? readSale(event.payload, rules);
    // a refund needs no setting, since it is sent nowhere (M16)
    if ('recorded' in sale.order) return sale.order;
    if (isErased(event.payload)) return { unmappable: ERASED };
    const reference = referenceOf(event);
    if ('missing' in reference) return reference;
    const order = orderOf(sale, reference, event.receivedAt);
    return 'unmappable' in order ? order : { request: vendor.createOrder(withCodes(order, codes)) };
  }

  /** Maps an event to the request of its CANCEL job (C4). */
  mapCancel(event: StoredEvent): { readonly request: WireRequest } | MissingSetting {
    const reference = referenceOf(event);
    return 'missing' in reference ? reference : { request: this.vendor.cancelOrder(reference) };
  }
}

/** The sale as it was read when it arrived. Then the tenders of its restaurant were not known: they may make an order of what had none (I6). */
function readOf({ sale }: { readonly sale?: Sale | undefined }, bySameRules: boolean): Sale | undefined {
  return sale && (bySameRules || !('unmappable' in sale.order)) ? sale : undefined;
}

/** The id and the store code by which the POS knows an order (M1), or the setting that the restaurant lacks (M13). */
export function referenceOf({
  eventKey,
  codeStorePos,
}: Pick<StoredEvent, 'eventKey' | 'codeStorePos'>): OrderReference | MissingSetting {
  if (codeStorePos) return { id: eventKey, store: codeStorePos };
  return { missing: 'restaurant has no codeStorePos', cause: 'no_code_store_pos' };
}
