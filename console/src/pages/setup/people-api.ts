import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import type { OwnRestaurant, Role } from '../../session/restaurants.js';

export type LinkedUser = View<'LinkedUserView'>;

/** From the highest to the lowest. */
export const ROLES: readonly Role[] = ['OWNER', 'ADMIN', 'MANAGER', 'EMPLOYEE', 'VIEWER'];

/** The roles that a user may give or take: none above their own (A14). */
export function rolesUpTo(own: Role): readonly Role[] {
  return ROLES.slice(ROLES.indexOf(own));
}

/** The people of a restaurant. */
export function usePeople({ id: restaurantId }: OwnRestaurant) {
  return useQuery({
    queryKey: ['people', restaurantId],
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/users', { params, signal }))).users;
    },
  });
}

/** Reads people and the user's own roles again. */
export function useRefresh({ id }: OwnRestaurant) {
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['people', id] }),
      queries.invalidateQueries({ queryKey: ['restaurants'] }),
    ]);
}

/** A person's name. An account may have none, and one that was added by its id shows only the id until the person accepts. */
export const personName = ({ name, email, userId }: Pick<LinkedUser, 'name' | 'email' | 'userId'>) =>
  name ?? email ?? userId;
