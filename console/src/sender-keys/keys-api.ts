import { answerOf, api, type View } from '../api/client.js';

export type SenderKey = View<'SenderKeyView'>;
export type NewSenderKey = View<'NewSenderKeyView'>;

/** The calls for the keys of a restaurant, or of the platform. @param restaurantId null: the platform's */
export function keysApi(restaurantId: string | null) {
  const path = { restaurantId: restaurantId ?? '' };
  return {
    list: async (signal: AbortSignal): Promise<SenderKey[]> => {
      const answer =
        restaurantId === null
          ? api.GET('/admin/sender-keys', { signal })
          : api.GET('/restaurants/{restaurantId}/sender-keys', { params: { path }, signal });
      return (await answerOf<View<'SenderKeysView'>>(answer)).data;
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
