import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { answerOf, api } from '../api/client.js';
import { every } from '../api/queries.js';
import { setNeeds } from '../browser/needs.js';

const REPEAT_MS = 30_000;

/** Counts the open alerts of the restaurant that nobody takes care of. @param restaurantId undefined: there is none */
export function useCountedNeeds(restaurantId: string | undefined): void {
  const { data } = useQuery({
    queryKey: ['alerts', restaurantId ?? '', 'open'],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/restaurants/{restaurantId}/alerts', {
          params: { path: { restaurantId: restaurantId ?? '' }, query: { limit: 1 } },
          signal,
        }),
      ),
    enabled: restaurantId !== undefined,
    ...every(REPEAT_MS),
  });
  const count = data?.data.filter(
    ({ closedAt, acknowledgedAt }) => closedAt === null && acknowledgedAt === null,
  ).length;
  useEffect(() => setNeeds(count ?? 0), [count]);
}
