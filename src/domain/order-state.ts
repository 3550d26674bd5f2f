/**
 * The states of a sale by its jobs, by which takings (R17) and closings (B3) split amounts. The SQL function `order_state()` of three arguments
 * derives them, from the CREATE job and the status of the CANCEL job. Takings and closings pass it no parked cancel: the POS still has such an order.
 */
export const SALE_STATES = ['waiting', 'delivered', 'parked', 'cancelled'] as const;
export type SaleState = (typeof SALE_STATES)[number];

/**
 * The states of an order (R33), as lists, orders and receipts have them. `order_state()` of five arguments derives them: of what is parked, what
 * somebody settled by hand is `resolved` (R41), and a refund is a `refund` whatever becomes of its job.
 */
export const ORDER_STATES = [...SALE_STATES, 'refund', 'resolved'] as const;
export type OrderState = (typeof ORDER_STATES)[number];
