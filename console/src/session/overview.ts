import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../api/client.js';
import { every } from '../api/queries.js';
import type { IconName } from '../design/icons.js';

const OVERVIEW_MS = 30_000;
/** The most restaurants of a page. */
const PAGE = 100;
/** The most pages that are read for the lights of all restaurants. */
const PAGES = 5;

type Light = View<'RestaurantOverviewView'>['light'];

/** How a light is shown, the worst first. */
export const LIGHTS: Readonly<Record<Light, readonly [icon: IconName, tone: string]>> = {
  bad: ['stop', 'bad'],
  wait: ['clock', 'wait'],
  good: ['check', 'good'],
  idle: ['clock', 'quiet'],
};

/**
 * The user's restaurants with their lights (R45).
 * @param search a part of the name; empty: all
 * @param after cursor; undefined: the first page
 * @param everyMs how often it is read, in ms
 */
export function useOverview(search = '', after?: string, everyMs = OVERVIEW_MS) {
  const query = { limit: PAGE, search: search === '' ? undefined : search, after };
  return useQuery({
    queryKey: ['overview', query],
    queryFn: ({ signal }) => answerOf(api.GET('/restaurants/overview', { params: { query }, signal })),
    placeholderData: keepPreviousData,
    ...every(everyMs),
  });
}

/** The lights of the user's restaurants, by id: of the first 500 (N44), read once. */
export function useLights(isEnabled: boolean): ReadonlyMap<string, Light> | undefined {
  const { data } = useQuery({
    queryKey: ['overview', 'lights'],
    queryFn: async ({ signal }) => {
      const lights = new Map<string, Light>();
      let after: string | null = null;
      for (let page = 0; page < PAGES && (page === 0 || after !== null); page++) {
        const query: { limit: number; after: string | undefined } = { limit: PAGE, after: after ?? undefined };
        const { data, meta } = await answerOf(api.GET('/restaurants/overview', { params: { query }, signal }));
        for (const { id, light } of data) lights.set(id, light);
        after = meta.next;
      }
      return lights;
    },
    enabled: isEnabled,
  });
  return data;
}
