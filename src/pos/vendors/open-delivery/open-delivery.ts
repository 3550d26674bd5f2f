import type { OrderFormat } from '../../vendor.js';
import { documentOf } from './document.js';
import { isKnownTender } from './payments.js';

/** The vendor `open-delivery`: a POS that fetches its orders by Open Delivery 1.7 (Q). Every tender type has a means of payment, if only OTHER. */
export const openDelivery: OrderFormat = {
  needs: 'currency',
  foldsOddLines: true,
  acceptsTender: () => true,
  knowsTender: isKnownTender,
  createOrder(order, origin) {
    if (!origin?.currency) throw new Error('an order of Open Delivery needs a currency');
    const { currency } = origin;
    return { path: orderPath(origin.jobId), body: documentOf(order, { ...origin, currency }) };
  },
};

/** Where the POS reads an order. @param jobId of its CREATE job */
export function orderPath(jobId: string): string {
  return `/v1/orders/${jobId}`;
}
