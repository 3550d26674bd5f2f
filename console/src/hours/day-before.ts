import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { type DayHours, hoursTaken } from './hours.js';

const A_DAY_MS = 86_400_000;

/**
 * The hours of the business day that many days before another. Read once: a day that is over hardly changes.
 * @param by the time that decides the hour of a sale (R29)
 * @returns undefined: not known yet, or without a sale
 */
export function useDayBefore(
  restaurantId: string,
  day: string,
  days: number,
  by: 'receipt' | 'sale',
): DayHours | undefined {
  const before = new Date(Date.parse(`${day}T00:00:00Z`) - days * A_DAY_MS).toISOString().slice(0, 10);
  const { data } = useQuery({
    queryKey: ['day before', restaurantId, before, by],
    queryFn: async ({ signal }): Promise<DayHours> => {
      const params = { path: { restaurantId }, query: { day: before, by } };
      const { from, amounts } = await answerOf(api.GET('/restaurants/{restaurantId}/statistics', { params, signal }));
      return { from, hours: hoursTaken(amounts.byHour) };
    },
    staleTime: A_DAY_MS,
    gcTime: A_DAY_MS,
  });
  return data?.hours.length ? data : undefined;
}
