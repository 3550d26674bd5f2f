import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { askWithoutSession as ask } from '../../api/connection.js';
import { every } from '../../api/queries.js';
import { useLanguage } from '../../i18n/language.js';

export type Alert = View<'AlertView'>;

const REPEAT_MS = 10_000;
const PAGE = 20;

/** @param restaurantId undefined: the alerts of the platform */
export function useAlerts(restaurantId: string | undefined, after: string | undefined) {
  const language = useLanguage();
  const query = { limit: PAGE, language, ...(after !== undefined && { after }) };
  return useQuery({
    queryKey: ['alerts', restaurantId ?? '', after ?? '', language],
    queryFn: ({ signal }): Promise<View<'AlertPageView'>> =>
      restaurantId === undefined
        ? answerOf(api.GET('/admin/alerts', { params: { query }, signal }))
        : answerOf(
            api.GET('/restaurants/{restaurantId}/alerts', { params: { path: { restaurantId }, query }, signal }),
          ),
    placeholderData: keepPreviousData,
    ...every(REPEAT_MS),
  });
}

export function useAcknowledge(restaurantId: string | undefined) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (alertId: string) => {
      if (restaurantId === undefined)
        await answerOf(api.POST('/admin/alerts/{alertId}/acknowledge', { params: { path: { alertId } } }));
      else
        await answerOf(
          api.POST('/restaurants/{restaurantId}/alerts/{alertId}/acknowledge', {
            params: { path: { restaurantId, alertId } },
          }),
        );
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alerts'] }),
  });
}

/** Acknowledges by the token of a message, without a session. @returns the path of the page that shows what it is about */
export async function acknowledgeByToken(token: string): Promise<string> {
  return (await ask<View<'AcknowledgedView'>>('/alerts/acknowledge', { token })).data.page;
}

export const readByToken = (token: string) => ask<View<'AlertOfTokenView'>>('/alerts/read', { token });
