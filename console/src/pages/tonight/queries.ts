import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';

/** The states by which orders are filtered, and all of them. */
export const FILTERS = ['all', 'waiting', 'parked', 'delivered', 'cancelled'] as const;
export type Filter = (typeof FILTERS)[number];

/** Fifty open pages are to be hardly felt by a relay under full load: `npm run bench -- --case consoles`. */
const STATE_MS = 5_000;
const TAKINGS_MS = 15_000;
const PAGE = 25;
/** More orders than one have the same number only after the terminal's counter has gone round. */
const FOUND = 100;

export function useRestaurantState(restaurantId: string) {
  return useQuery({
    queryKey: ['state', restaurantId],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/restaurants/{restaurantId}/state', { params: { path: { restaurantId } }, signal })),
    ...every(STATE_MS),
  });
}

/** What of the orders is asked for. */
export interface Wanted {
  readonly filter: Filter;
  /** a key or a number; empty: any */
  readonly search: string;
  /** cursor; undefined: the newest */
  readonly after: string | undefined;
  /** orders received since; undefined: whenever */
  readonly from: string | undefined;
}

/** One page of orders. What was found by a search comes whole, whatever the filter, so that each filter's count is known. */
export function useOrders(restaurantId: string, { filter, search, after, from }: Wanted, isEnabled: boolean) {
  const query = search
    ? { search, limit: FOUND }
    : { limit: PAGE, state: filter === 'all' ? undefined : filter, after, from };
  return useQuery({
    queryKey: ['orders', restaurantId, query],
    queryFn: ({ signal }): Promise<View<'OrderPageView'>> =>
      answerOf(api.GET('/restaurants/{restaurantId}/orders', { params: { path: { restaurantId }, query }, signal })),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    // older pages do not change under the reader's eyes
    ...(after === undefined ? every(STATE_MS) : {}),
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
