import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import type { Order } from './reading.js';

/** The audit entry of a cancel has the time of its job, within this many ms. */
const TOLERANCE_MS = 5_000;
const MOST = 100;

/** Who requested the cancel of an order, from the audit, which OWNERs may read (R23). @returns an email; undefined: unknown */
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
