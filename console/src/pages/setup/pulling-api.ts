import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { every } from '../../api/queries.js';
import type { OwnRestaurant } from '../../session/restaurants.js';

export type PosCredential = View<'PosCredentialView'>;
export type NewPosCredential = View<'NewPosCredentialView'>;

/** Whether the POS of a restaurant fetches its orders. */
export function fetches({ posVendor }: OwnRestaurant): boolean {
  return posVendor === 'open-delivery';
}

/** Whether the relay sends events to such a POS, which then need not ask for them (Q19). */
export function isPushed(restaurant: OwnRestaurant): boolean {
  return fetches(restaurant) && restaurant.posBaseUrl !== null;
}

/** A POS is seen soon after its credentials are entered. */
const POLLS_MS = 10_000;

export const credentialsKey = (restaurantId: string) => ['pos credentials', restaurantId];

/** The credentials of the POS of a restaurant. */
export function usePosCredentials(restaurantId: string) {
  return useQuery({
    queryKey: credentialsKey(restaurantId),
    queryFn: async ({ signal }) => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.GET('/restaurants/{restaurantId}/pos-credentials', { params, signal }))).data;
    },
    ...every(POLLS_MS),
  });
}

/** The calls that change them. */
export function posCredentialsApi(restaurantId: string) {
  const pathOf = (id: string) => ({ params: { path: { restaurantId, id } } });
  return {
    create: async (name: string): Promise<NewPosCredential> => {
      const params = { path: { restaurantId } };
      const answer = api.POST('/restaurants/{restaurantId}/pos-credentials', { params, body: { name } });
      return (await answerOf(answer)).data;
    },
    rotate: async (id: string): Promise<NewPosCredential> => {
      const answer = api.POST('/restaurants/{restaurantId}/pos-credentials/{id}/rotate', { ...pathOf(id), body: {} });
      return (await answerOf(answer)).data;
    },
    revoke: async (id: string): Promise<void> => {
      await answerOf(api.DELETE('/restaurants/{restaurantId}/pos-credentials/{id}', pathOf(id)));
    },
  };
}
