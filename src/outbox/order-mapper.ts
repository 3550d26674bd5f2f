import type { OrderReference, Unmappable } from '../domain/order.js';
import { NO_CODES, type PosCodes, rulesWith, withCodes } from '../domain/pos-codes.js';
import { orderOf, parseSale, readSale, type Sale } from '../domain/sale.js';
import { ERASED, isErased } from '../domain/transaction.js';
import type { VendorName } from '../domain/vendor.js';
import type { PosConfig } from '../platform/config/pos-config.js';
import type { MissingSetting } from '../pos/target.js';
import type { OrderFormat, OrderOrigin, WireRequest } from '../pos/vendor.js';
import { formatOf } from '../pos/vendors.js';

/** A stored event, and the fields of its restaurant that the order needs. */
export interface StoredEvent {
  /** the stored key, which becomes the order_id (M1) */
  readonly eventKey: string;
  /** the body of the webhook as stored (W16) */
  readonly payload: Record<string, unknown>;
  readonly receivedAt: Date;
  /** the restaurant's store code at the POS; null when not set */
  readonly codeStorePos: string | null;
  /** what the orders of a POS that pulls say beside (Q8); absent: not read */
  readonly origin?: OrderOrigin | undefined;
}

/** The POS vendor's request that creates the order, or why there is none: a missing setting, or an unmappable field (M10). */
export type MappedOrder = { readonly request: WireRequest & { readonly body: object } } | MissingSetting | Unmappable;

/** The map step: turns a stored event into the POS vendor's requests. The worker sends these requests; staff see the same order. */
export class OrderMapper {
  constructor(private readonly vendor: OrderFormat) {}

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
    const reference = vendor.needs === 'currency' ? referenceInCurrency(event) : referenceOf(event);
    if ('missing' in reference) return reference;
    const order = orderOf(sale, reference, event.receivedAt);
    return 'unmappable' in order ? order : { request: vendor.createOrder(withCodes(order, codes), event.origin) };
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

/** As {@link referenceOf}, for a POS that needs the currency and no store code (Q8). */
function referenceInCurrency({ eventKey, codeStorePos, origin }: StoredEvent): OrderReference | MissingSetting {
  if (origin?.currency) return { id: eventKey, store: codeStorePos ?? '' };
  return { missing: 'restaurant has no currency', cause: 'no_currency' };
}

/** The map step by the vendor of a restaurant (Q1). */
export class OrderMappers {
  private readonly made = new Map<OrderFormat, OrderMapper>();

  constructor(private readonly pos: PosConfig) {}

  /** @param vendor null: the deployment's */
  of(vendor: VendorName | null): OrderMapper {
    const format = formatOf(this.pos, vendor);
    const mapper = this.made.get(format) ?? new OrderMapper(format);
    this.made.set(format, mapper);
    return mapper;
  }
}
