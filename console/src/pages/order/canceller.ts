import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import type { Order } from './reading.js';

/** The entry of a cancel is written with its job; clocks of databases differ by less, in ms. */
const TOLERANCE_MS = 5_000;
const MOST = 100;

/** Who requested the cancel of an order, by the audit, which OWNERs read (R23). @returns an email; undefined: nobody knows */
export function useCanceller(order: Order, { id: restaurantId, role }: OwnRestaurant): string | undefined {
  const requestedAt = order.jobs.find(({ action }) => action === 'CANCEL')?.createdAt;
  const { transactionKey } = order;
  const { data } = useQuery({
    queryKey: ['canceller', restaurantId, transactionKey, requestedAt],
    enabled: role === 'OWNER' && requestedAt !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const around = (ms: number) => new Date(Date.parse(requestedAt as string) + ms).toISOString();
      const action = 'order.cancel_requested' as const;
      const query = { action, from: around(-TOLERANCE_MS), to: around(TOLERANCE_MS), limit: MOST };
      const params = { path: { restaurantId }, query };
      const { data: entries } = await answerOf(api.GET('/restaurants/{restaurantId}/audit', { params, signal }));
      return entries.find(({ target }) => target === transactionKey)?.actorEmail ?? null;
    },
  });
  return data ?? undefined;
}
