import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../api/client.js';
import { keep, kept, LAST_RESTAURANT } from '../browser/kept.js';

export type OwnRestaurant = View<'OwnRestaurantView'>;
export type Role = OwnRestaurant['role'];

/** The caller's restaurants with their role in each. */
export function useRestaurants() {
  return useQuery({
    queryKey: ['restaurants'],
    queryFn: async ({ signal }) => (await answerOf(api.GET('/users/me/restaurants', { signal }))).restaurants,
    staleTime: 60_000,
  });
}

/** What the caller's role may do in a restaurant, by name. */
export function usePermissions({ id: restaurantId, role }: OwnRestaurant) {
  return useQuery({
    queryKey: ['permissions', restaurantId, role],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/my-role', { params, signal }))).permissions;
    },
    staleTime: 60_000,
  });
}

/** Whether a role may cancel orders and see the people of a restaurant. The server refuses it all the same. */
export function mayManage(role: Role): boolean {
  return role === 'OWNER' || role === 'ADMIN' || role === 'MANAGER';
}

/** Whether a role may change a restaurant and its people. */
export function mayAdminister(role: Role): boolean {
  return role === 'OWNER' || role === 'ADMIN';
}

/** The restaurant that was last shown in this browser, or the user's first. */
export function lastRestaurant(restaurants: readonly OwnRestaurant[]): OwnRestaurant | undefined {
  const id = kept(LAST_RESTAURANT);
  return restaurants.find((restaurant) => restaurant.id === id) ?? restaurants[0];
}

export const rememberRestaurant = (id: string): void => keep(LAST_RESTAURANT, id);
