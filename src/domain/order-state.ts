/** The states of an order (R33). Every order of the API has a state; the state of a restaurant (R19) and its takings (R17) count by it. */
export const ORDER_STATES = ['waiting', 'delivered', 'parked', 'cancelled'] as const;
export type OrderState = (typeof ORDER_STATES)[number];
