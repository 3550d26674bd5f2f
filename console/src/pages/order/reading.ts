import type { View } from '../../api/client.js';
import { type Badge, badgeOf } from '../../design/badge.js';
import { isolated } from '../../i18n/isolated.js';
import { type Body, type Json, readPos } from './bodies.js';
import { isOpenDelivery, readOpenDelivery } from './open-delivery-body.js';

/** An order with its jobs and their attempts. */
export type Order = View<'OrderDetailView'>;
export type Job = Order['jobs'][number];
export type Attempt = Job['history'][number];

/** The number of the order, or its key; for a sentence. */
export function orderName(order: Order | undefined, key: string): string {
  const number = order?.event.transactionNumber;
  return isolated(typeof number === 'string' && number !== '' ? number : (order?.sourceKey ?? key));
}

/** The job that delivers the order. */
export function createJobOf({ jobs }: Order): Job | undefined {
  return jobs.find(({ action }) => action === 'CREATE');
}

export function orderBadgeOf(order: Order): Badge {
  const { status = 'PENDING', withdrawn = false } = createJobOf(order) ?? {};
  return badgeOf({ ...order, status, withdrawn });
}

/** Whether a job of the order is still open. */
export function isMoving({ jobs }: Order): boolean {
  return jobs.some(({ status }) => status === 'PENDING' || status === 'PROCESSING' || status === 'FAILED');
}

/** Reads the order of the POS, in the form of its vendor. */
export const readOrder = (order: Json): Body => (isOpenDelivery(order) ? readOpenDelivery(order) : readPos(order));

/** What was paid, in cents; undefined: the order of the POS does not say it. */
export function paidOf({ order }: Order): number | undefined {
  return order ? readOrder(order).total : undefined;
}
