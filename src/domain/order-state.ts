/** What became of an order (R33): in every order of the API, and counted by a restaurant's state (R19) and its takings (R17). */
export const ORDER_STATES = ['waiting', 'delivered', 'parked', 'cancelled'] as const;
export type OrderState = (typeof ORDER_STATES)[number];
