import { answerOf, api, type View } from './client.js';

/** Reads one order. Its key is in the query: some keys cannot be in a path. */
export function readOrder(
  restaurantId: string,
  key: string,
  signal: AbortSignal | null = null,
): Promise<View<'OrderDetailView'>> {
  return answerOf(
    api.GET('/restaurants/{restaurantId}/orders/{transactionKey}', {
      params: { path: { restaurantId, transactionKey: 'key' }, query: { key } },
      signal,
    }),
  );
}

/** Reads the state of a restaurant, with the time at which its business day began. */
export function readState(restaurantId: string, signal: AbortSignal): Promise<View<'StateView'>> {
  return answerOf(api.GET('/restaurants/{restaurantId}/state', { params: { path: { restaurantId } }, signal }));
}
