/** Keys that stand in a path as they are: neither an encoded slash, nor a dot that a browser takes away. */
const PLAIN_KEY = /^(?!key$)[\w-][\w.~-]{0,199}$/;

/** The place of an order in the console; a key that no path can carry stands in the query. */
export function orderPlace(restaurantId: string, key: string): string {
  const orders = `/r/${restaurantId}/orders`;
  return PLAIN_KEY.test(key) ? `${orders}/${key}` : `${orders}/key?key=${encodeURIComponent(key)}`;
}
