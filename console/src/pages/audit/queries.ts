import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';

export type Entry = View<'AuditEntryView'>;
export type Action = Entry['action'];

const REPEAT_MS = 15_000;
const PAGE = 25;

/** The filters of the list; absent: any. */
export interface AuditFilter {
  readonly action?: Action | undefined;
  readonly actor?: string | undefined;
  /** instants, ISO 8601 */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly after?: string | undefined;
}

/** @param restaurantId undefined: the whole platform, for platform administrators */
export function useAudit(restaurantId: string | undefined, filter: AuditFilter) {
  const query = { ...filter, limit: PAGE };
  return useQuery({
    queryKey: ['audit', restaurantId ?? '', query],
    queryFn: ({ signal }): Promise<View<'AuditPageView'>> =>
      restaurantId === undefined
        ? answerOf(api.GET('/admin/audit', { params: { query }, signal }))
        : answerOf(api.GET('/restaurants/{restaurantId}/audit', { params: { path: { restaurantId }, query }, signal })),
    placeholderData: keepPreviousData,
    ...(filter.after === undefined ? every(REPEAT_MS) : {}),
  });
}
