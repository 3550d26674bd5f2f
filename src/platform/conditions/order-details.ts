/**
 * SQL: the details of an order or sale, as jsonb.
 * @param restaurant SQL: the id of its restaurant
 * @param key SQL: its transactionKey
 */
export const orderDetails = (restaurant: string, key: string): string => `(
  SELECT jsonb_build_object('transactionKey', transaction_key, 'transactionNumber', left(transaction_number, 255),
           'paidCents', paid_cents, 'receivedAt', received_at)
  FROM terminal_events WHERE transaction_key = ${key} AND terminal_events.restaurant_id = ${restaurant})`;
