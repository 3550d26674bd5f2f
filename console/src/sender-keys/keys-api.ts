import { answerOf, api, type View } from '../api/client.js';

export type SenderKey = View<'SenderKeyView'>;
/** The keys, and the persons with whose password or token sales still come. */
export type SenderKeys = View<'RestaurantSenderKeysView'>;
export type NewSenderKey = View<'NewSenderKeyView'>;

/** The calls for the keys of a restaurant, or of the platform. @param restaurantId null: the platform's */
export function keysApi(restaurantId: string | null) {
  const path = { restaurantId: restaurantId ?? '' };
  return {
    list: async (signal: AbortSignal): Promise<SenderKeys> => {
      if (restaurantId === null)
        return { ...(await answerOf<View<'SenderKeysView'>>(api.GET('/admin/sender-keys', { signal }))), persons: [] };
      return answerOf<SenderKeys>(api.GET('/restaurants/{restaurantId}/sender-keys', { params: { path }, signal }));
    },
    create: async (body: View<'CreateSenderKeyDto'>): Promise<NewSenderKey> => {
      const answer =
        restaurantId === null
          ? api.POST('/admin/sender-keys', { body })
          : api.POST('/restaurants/{restaurantId}/sender-keys', { params: { path }, body });
      return (await answerOf<View<'SenderKeyCreatedView'>>(answer)).data;
    },
    rotate: async (id: string, overlapHours: number): Promise<NewSenderKey> => {
      const body = { overlapHours };
      const answer =
        restaurantId === null
          ? api.POST('/admin/sender-keys/{id}/rotate', { params: { path: { id } }, body })
          : api.POST('/restaurants/{restaurantId}/sender-keys/{id}/rotate', {
              params: { path: { ...path, id } },
              body,
            });
      return (await answerOf<View<'SenderKeyCreatedView'>>(answer)).data;
    },
    revoke: async (id: string): Promise<void> => {
      const answer =
        restaurantId === null
          ? api.DELETE('/admin/sender-keys/{id}', { params: { path: { id } } })
          : api.DELETE('/restaurants/{restaurantId}/sender-keys/{id}', { params: { path: { ...path, id } } });
      await answerOf<View<'MessageView'>>(answer);
    },
  };
}

export type KeysApi = ReturnType<typeof keysApi>;
