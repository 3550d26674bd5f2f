/**
 * The states of an order (R33). The SQL function `order_state()` alone derives them, from the CREATE job and the status of the CANCEL job. Takings
 * (R17) and closings (B3) pass it no parked cancel: the POS still has such an order.
 */
export const ORDER_STATES = ['waiting', 'delivered', 'parked', 'cancelled'] as const;
export type OrderState = (typeof ORDER_STATES)[number];
