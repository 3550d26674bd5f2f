/** Keys that can stand in the path of an order's page, by the rule of the console; any other key stands in the query. */
const PLAIN_KEY = /^(?!key$)[\w-][\w.~-]{0,199}$/;

/** Path of the console's page of an order. @param key the transactionKey as stored */
export function orderPage(restaurantId: string, key: string): string {
  const place = PLAIN_KEY.test(key) ? key : `key?key=${encodeURIComponent(key)}`;
  return `/console/r/${restaurantId}/orders/${place}`;
}

/** Path of the console's page for operators. */
export function operatorsPage(): string {
  return '/console/operators';
}

/** Path of the first page of the console. */
export function homePage(): string {
  return '/console/';
}

/** Path of the console's page of an invitation. Browsers do not send the fragment, so the token is in no access log. */
export function invitationPage(token: string): string {
  return `/console/invitation#${token}`;
}
