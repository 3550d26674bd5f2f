/** The topics of the set-up, in the order of its index; each has a place of its own (N34). */
export const SETUP_TOPICS = ['restaurant', 'pos', 'terminals', 'printers', 'people', 'alerts'] as const;
export type SetupTopic = (typeof SETUP_TOPICS)[number];

/** The place of the set-up of a restaurant, or of a topic of it. */
export function setupPlace(restaurantId: string, topic?: SetupTopic): string {
  return `/r/${restaurantId}/setup${topic === undefined ? '' : `/${topic}`}`;
}
