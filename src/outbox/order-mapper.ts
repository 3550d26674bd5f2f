import { Injectable } from '@nestjs/common';
import { computeOrder, type OrderReference, type Unmappable } from '../domain/order.js';
import { type Paid } from '../domain/paid.js';
import { readTransaction, type Transaction } from '../domain/transaction.js';
import { type Warning, warningsOf } from '../domain/warnings.js';
import { PosClient } from '../pos/client.js';
import type { MissingSetting } from '../pos/target.js';
import type { WireRequest } from '../pos/vendor.js';

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
@Injectable()
export class OrderMapper {
  constructor(private readonly pos: PosClient) {}

  /** Maps an event to the request of its CREATE job (M1 to M15). */
  mapCreate(event: StoredEvent): MappedOrder {
    const reference = referenceOf(event);
    if ('missing' in reference) return reference;
    const { vendor } = this.pos;
    const computed = computeOrder(readTransaction(event.payload), {
      ...reference,
      receivedAt: event.receivedAt,
      acceptsTender: (tenderType) => vendor.acceptsTender(tenderType),
      foldsOddLines: vendor.foldsOddLines ?? false,
    });
    return 'unmappable' in computed ? computed : { request: vendor.createOrder(computed.order) };
  }

  /**
   * The warnings of a received transaction: its fields that make the order unmappable or look wrong (W26).
   * @param payload the stored payload that the transaction was read from
   */
  warningsOf(transaction: Transaction, payload: StoredEvent['payload'], paid: Paid | null): Warning[] {
    const { vendor } = this.pos;
    return warningsOf(transaction, payload, {
      paid,
      acceptsTender: (tenderType) => vendor.acceptsTender(tenderType),
      knowsTender: (tenderType) => vendor.knowsTender(tenderType),
      foldsOddLines: vendor.foldsOddLines ?? false,
    });
  }

  /** Maps an event to the request of its CANCEL job (C4). */
  mapCancel(event: StoredEvent): { readonly request: WireRequest } | MissingSetting {
    const reference = referenceOf(event);
    return 'missing' in reference ? reference : { request: this.pos.vendor.cancelOrder(reference) };
  }
}

/** The id and the store code by which the POS knows an order (M1), or the setting that the restaurant lacks (M13). */
export function referenceOf({
  eventKey,
  codeStorePos,
}: Pick<StoredEvent, 'eventKey' | 'codeStorePos'>): OrderReference | MissingSetting {
  if (codeStorePos) return { id: eventKey, store: codeStorePos };
  return { missing: 'restaurant has no codeStorePos', cause: 'no_code_store_pos' };
}
