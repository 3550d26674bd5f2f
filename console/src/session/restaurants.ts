import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../api/client.js';

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

const KEY = 'console.restaurant';

/** The restaurant that somebody looked at last in this browser, or else their first. */
export function lastRestaurant(restaurants: readonly OwnRestaurant[]): OwnRestaurant | undefined {
  let id: string | null = null;
  try {
    id = localStorage.getItem(KEY);
  } catch {
    // a browser that keeps nothing
  }
  return restaurants.find((restaurant) => restaurant.id === id) ?? restaurants[0];
}

export function rememberRestaurant(id: string): void {
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // a browser that keeps nothing
  }
}
