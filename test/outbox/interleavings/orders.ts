import { readSale } from '../../../src/domain/sale.js';
import type { NewEvent } from '../../../src/outbox/store/new-row.js';
import { sale } from '../../support/client.js';
import { type Job, POS_STORES, RESTAURANTS } from './database.js';

/** The orders of a simulation: two of one restaurant, and one of another with the key of the first (W19). */
const ORDERS = [
  { key: 'K-1', restaurant: 0 },
  { key: 'K-2', restaurant: 0 },
  { key: 'K-1', restaurant: 1 },
] as const;

/** Number of an order, from 1. */
export type OrderNumber = 1 | 2 | 3;

export interface Order {
  readonly number: OrderNumber;
  readonly key: string;
  readonly restaurantId: string;
  /** as {@link file://./pos.ts} names it */
  readonly posName: string;
}

export const orders: readonly Order[] = ORDERS.map(({ key, restaurant }, i) => ({
  number: (i + 1) as OrderNumber,
  key,
  restaurantId: RESTAURANTS[restaurant],
  posName: `${POS_STORES[restaurant]}/${key}`,
}));

export const orderOf = (number: OrderNumber) => orders[number - 1] as Order;
export const orderAtPos = (posName: string) => orders.find((order) => order.posName === posName) as Order;
export const orderOfJob = ({ key, restaurant }: Pick<Job, 'key' | 'restaurant'>) =>
  orders.find((order) => order.key === key && order.restaurantId === restaurant) as Order;

/** `order 1`, or `cancel of order 1`. */
export const nameOf = (job: Pick<Job, 'key' | 'restaurant' | 'action'>) =>
  `${job.action === 'CANCEL' ? 'cancel of ' : ''}order ${orderOfJob(job).number}`;

/** The event of an order, as the webhook stores it. */
export function eventOf({ key, restaurantId }: Order): NewEvent {
  return {
    sale: readSale(sale({ transactionKey: key }), { acceptsTender: () => true, knowsTender: () => true }),
    place: { sender: 'terminal', storeCode: null, restaurantId },
    transactionKey: key,
    testMode: false,
    trace: { id: 'a'.repeat(32), parent: null, sampled: true },
  };
}
