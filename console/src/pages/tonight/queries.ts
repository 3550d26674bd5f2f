import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { readState } from '../../api/orders.js';
import { every } from '../../api/queries.js';
import { everyUnlessLive } from '../../session/live.js';

/** The states by which orders are filtered, and all of them. */
export const FILTERS = ['all', 'waiting', 'parked', 'delivered', 'cancelled'] as const;
export type Filter = (typeof FILTERS)[number];

/** For fifty open pages beside full load: `npm run bench -- --case consoles`. */
const STATE_MS = 5_000;
const TAKINGS_MS = 15_000;
const PAGE = 25;
/** What a search shows at most. */
const FOUND = 100;

export function useRestaurantState(restaurantId: string) {
  return useQuery({
    queryKey: ['state', restaurantId],
    queryFn: ({ signal }) => readState(restaurantId, signal),
    ...everyUnlessLive(restaurantId, STATE_MS),
  });
}

/** Which orders to read. */
export interface OrdersQuery {
  readonly filter: Filter;
  /** what somebody typed to find (R43); empty: any order */
  readonly search: string;
  /** cursor; undefined: the newest */
  readonly after: string | undefined;
  /** the earliest time of receipt; undefined: any */
  readonly from: string | undefined;
}

/** One page of orders, or the newest that a search finds. */
export function useOrders(restaurantId: string, { filter, search, after, from }: OrdersQuery, isEnabled: boolean) {
  const state = filter === 'all' ? undefined : filter;
  const query = search ? { q: search, limit: FOUND, state } : { limit: PAGE, state, after, from };
  return useQuery({
    queryKey: ['orders', restaurantId, query],
    queryFn: ({ signal }): Promise<View<'OrderPageView'>> =>
      answerOf(api.GET('/restaurants/{restaurantId}/orders', { params: { path: { restaurantId }, query }, signal })),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    // older pages stay as they are while they are read
    ...(after === undefined ? everyUnlessLive(restaurantId, STATE_MS) : {}),
  });
}

/** @param day undefined: not known yet */
export function useTakings(restaurantId: string, day: string | undefined) {
  return useQuery({
    queryKey: ['statistics', restaurantId, day],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/restaurants/{restaurantId}/statistics', {
          params: { path: { restaurantId }, query: { day } },
          signal,
        }),
      ),
    enabled: day !== undefined,
    placeholderData: keepPreviousData,
    ...every(TAKINGS_MS),
  });
}
