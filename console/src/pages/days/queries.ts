import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';

export type ClosedDay = View<'ClosedDayView'>;

const REPEAT_MS = 60_000;
const PAGE = 31;

export function useDays(restaurantId: string, after: string | undefined) {
  const query = { limit: PAGE, ...(after !== undefined && { after }) };
  return useQuery({
    queryKey: ['days', restaurantId, after ?? ''],
    queryFn: ({ signal }) =>
      answerOf(api.GET('/restaurants/{restaurantId}/days', { params: { path: { restaurantId }, query }, signal })),
    placeholderData: keepPreviousData,
    ...every(REPEAT_MS),
  });
}

/** A closed day never changes. */
export function useDay(restaurantId: string, day: string) {
  return useQuery({
    queryKey: ['day', restaurantId, day],
    queryFn: async ({ signal }) =>
      (
        await answerOf(
          api.GET('/restaurants/{restaurantId}/days/{day}', { params: { path: { restaurantId, day } }, signal }),
        )
      ).data,
  });
}

export function useClose(restaurantId: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (day: string) =>
      answerOf(api.POST('/restaurants/{restaurantId}/days/{day}/close', { params: { path: { restaurantId, day } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['days', restaurantId] }),
  });
}

/** @param noted a head that somebody noted; undefined: only the chain is checked */
export function useCheck(restaurantId: string) {
  return useMutation({
    mutationFn: async (noted: { day: string; hash: string } | undefined) =>
      (
        await answerOf(
          api.GET('/restaurants/{restaurantId}/days/check', {
            params: { path: { restaurantId }, query: noted ?? {} },
          }),
        )
      ).data,
  });
}
