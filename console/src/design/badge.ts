import type { View } from '../api/client.js';

type OrderState = View<'OrderView'>['state'];

/** What a badge says of an order: its state, or that it is a recorded refund, or more exactly what happens in it; that it is a test. */
export type Badge = OrderState | 'sending' | 'retrying' | 'cancelling' | 'cancelParked' | 'test';

/** @param order its state, and the fields that say what happens in it; `status` and `withdrawn` are those of its CREATE job */
export function badgeOf(order: Pick<View<'OrderView'>, 'state' | 'status' | 'withdrawn' | 'cancellation'>): Badge {
  const { state, status, withdrawn, cancellation } = order;
  if (state === 'waiting' && status === 'PROCESSING') return 'sending';
  if (state === 'waiting' && status === 'FAILED') return 'retrying';
  if (state === 'parked' && cancellation !== null) return 'cancelParked';
  if (state === 'cancelled' && !withdrawn && cancellation !== 'SENT') return 'cancelling';
  return state;
}
