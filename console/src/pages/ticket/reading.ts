import type { View } from '../../api/client.js';
import { badgeOf } from '../../design/badge.js';

export type Order = View<'OrderDetailView'>;

/** Whether the kitchen needs paper of an order, or why not. */
export type Standing = 'needed' | 'delivered' | 'cancelled' | 'resolved' | 'over';

/** What stands on the ticket in place of its state. @param dayBegan when the current business day began, ISO 8601 */
export function standingOf(order: Order, dayBegan: string): Standing {
  const { status = 'PENDING', withdrawn = false } = createJobOf(order) ?? {};
  switch (badgeOf({ ...order, status, withdrawn })) {
    case 'delivered':
    // the cancel was given up: the POS still has the order
    case 'cancelParked':
      return 'delivered';
    case 'cancelled':
    case 'cancelling':
      return 'cancelled';
    case 'resolved':
    case 'refund':
      return 'resolved';
    default:
      return Date.parse(order.receivedAt) < Date.parse(dayBegan) ? 'over' : 'needed';
  }
}

/** Whether a printer in the kitchen has printed the ticket, or may have. */
export function mayBePrinted({ ticket }: Order): boolean {
  return ticket?.state === 'PRINTED' || ticket?.state === 'OFFERED' || ticket?.failure === 'unconfirmed';
}

/** A refund is nothing to cook (K1). */
export function isRefund(order: Order): boolean {
  return createJobOf(order)?.cause === 'refund';
}

function createJobOf({ jobs }: Order) {
  return jobs.find(({ action }) => action === 'CREATE');
}
