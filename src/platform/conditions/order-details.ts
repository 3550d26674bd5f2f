/**
 * SQL: the details of an order or sale, as jsonb. The two expressions stand where `terminal_events` is not in scope: it has a column `restaurant_id`
 * too, and a key is unique only within its restaurant (W19).
 * @param restaurant SQL: the id of its restaurant
 * @param key SQL: its transactionKey
 */
export const orderDetails = (restaurant: string, key: string): string => `(
  SELECT jsonb_build_object('transactionKey', transaction_key, 'transactionNumber', left(transaction_number, 255),
           'paidCents', paid_cents, 'receivedAt', received_at)
  FROM (SELECT ${restaurant} AS of_restaurant, ${key} AS of_key) AS wanted
  JOIN terminal_events ON transaction_key = of_key AND terminal_events.restaurant_id = of_restaurant)`;
