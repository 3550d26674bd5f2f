/** Keys that a path can hold: no character that must be encoded, and no `.` or `..`, which browsers resolve. */
const PLAIN_KEY = /^(?!key$)[\w-][\w.~-]{0,199}$/;

/** The place of an order in the console; a key that a path cannot hold is in the query. */
export function orderPlace(restaurantId: string, key: string): string {
  return placeOf(restaurantId, key, '');
}

/** The place of the page of an order for paper, see {@link orderPlace}. */
export function ticketPlace(restaurantId: string, key: string): string {
  return placeOf(restaurantId, key, '/ticket');
}

function placeOf(restaurantId: string, key: string, part: string): string {
  const orders = `/r/${restaurantId}/orders`;
  return PLAIN_KEY.test(key) ? `${orders}/${key}${part}` : `${orders}/key${part}?key=${encodeURIComponent(key)}`;
}
