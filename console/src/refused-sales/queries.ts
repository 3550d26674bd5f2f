import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../api/client.js';
import { every } from '../api/queries.js';

const REPEAT_MS = 10_000;
const PAGE = 20;

/** The sales that came under the key of another one, the newest first. */
export function useRefusedSales(restaurantId: string) {
  return useQuery({
    queryKey: ['refused-sales', restaurantId],
    queryFn: ({ signal }): Promise<View<'RefusedSalePageView'>> =>
      answerOf(
        api.GET('/restaurants/{restaurantId}/refused-sales', {
          params: { path: { restaurantId }, query: { limit: PAGE } },
          signal,
        }),
      ),
    ...every(REPEAT_MS),
  });
}

/** One of them, with what the terminal sent. */
export function useRefusedSale(restaurantId: string, saleId: string) {
  return useQuery({
    queryKey: ['refused-sales', restaurantId, saleId],
    queryFn: ({ signal }): Promise<View<'RefusedSaleDetailView'>> =>
      answerOf(
        api.GET('/restaurants/{restaurantId}/refused-sales/{saleId}', {
          params: { path: { restaurantId, saleId } },
          signal,
        }),
      ),
  });
}
