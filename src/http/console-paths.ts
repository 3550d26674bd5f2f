/** Keys that can stand in the path of an order's page, by the rule of the console; any other key stands in the query. */
const PLAIN_KEY = /^(?!key$)[\w-][\w.~-]{0,199}$/;

/** Path of the console's page of an order. @param key the transactionKey as stored */
export function orderPage(restaurantId: string, key: string): string {
  const place = PLAIN_KEY.test(key) ? key : `key?key=${encodeURIComponent(key)}`;
  return `/console/r/${restaurantId}/orders/${place}`;
}

/** Path of the console's page of the closed days of a restaurant. */
export function daysPage(restaurantId: string): string {
  return `/console/r/${restaurantId}/days`;
}

/** Path of the first page of the console. */
export function homePage(): string {
  return '/console/';
}

/** Path of the console's page of alerts. @param restaurantId null: of the platform */
export function alertsPage(restaurantId: string | null): string {
  return restaurantId === null ? '/console/operators/alerts' : `/console/r/${restaurantId}/alerts`;
}

/** Path of the console's page of a terminal's file, with what differs. */
export function terminalFilePage(restaurantId: string, fileId: string): string {
  return `/console/r/${restaurantId}/terminal-files/${fileId}`;
}

/** Path of the console's page of an invitation. Browsers do not send the fragment, so the token is in no access log. */
export function invitationPage(token: string): string {
  return `/console/invitation#${token}`;
}
