import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client.js';
import { every } from '../api/queries.js';

const OVERVIEW_MS = 30_000;
/** The most restaurants of a page; the switcher shows the lights of the first page. */
const PAGE = 100;

/**
 * The user's restaurants with their lights (R45).
 * @param search a part of the name; empty: all
 * @param after cursor; undefined: the first page
 * @param everyMs how often it is read, in ms
 */
export function useOverview(search = '', after?: string, isEnabled = true, everyMs = OVERVIEW_MS) {
  const query = { limit: PAGE, search: search === '' ? undefined : search, after };
  return useQuery({
    queryKey: ['overview', query],
    queryFn: ({ signal }) => answerOf(api.GET('/restaurants/overview', { params: { query }, signal })),
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    ...every(everyMs),
  });
}
