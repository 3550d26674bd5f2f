import { NEW_PRODUCT, NEW_RESTAURANT, RESTAURANT } from './evening.js';
import type { Paint } from './paint.js';
import type { Login } from './terminal.js';

export interface Addresses {
  readonly relayUrl: string;
  readonly posUrl: string;
  /** TERMINAL_BEARER_TOKEN */
  readonly token: string;
  /** the platform administrator, who is also the restaurant's owner */
  readonly login: Login;
  readonly restaurantId: string;
}

/** The address of the console and its sign-in. */
export function consoleLines({ relayUrl, login }: Pick<Addresses, 'relayUrl' | 'login'>, paint: Paint): string {
  return [
    ` ${paint('strong', `Watch it in a browser:  ${relayUrl}/console/`)}`,
    ` Sign in as ${login.email}, password ${login.password}`,
  ].join('\n');
}

/** What is left for the visitor, in six lines: an order that is parked, and a restaurant that is not set up. */
export function leftForYou(
  { relayUrl, login, restaurantId }: Addresses,
  parkedKey: string,
  fresh: { readonly id: string; readonly posIdPartner: string; readonly posSecret: string },
  paint: Paint,
): string {
  const place = (id: string, page: string) => `    ${relayUrl}/console/r/${id}/${page}`;
  return [
    paint('strong', ` It is yours now. Sign in as ${login.email}, password ${login.password}`),
    ` 1. A paid order is parked: its product is new. Choose ${NEW_PRODUCT.posCode}, and press "Keep and send again":`,
    place(restaurantId, `orders/${parkedKey}`),
    ` 2. Set up ${NEW_RESTAURANT.name}: store code ${NEW_RESTAURANT.codeStorePos} in the POS, partner id ${fresh.posIdPartner}, secret ${fresh.posSecret}:`,
    place(fresh.id, 'setup'),
    paint('dim', ' Commands to send, cancel and look at orders: npm run demo -- --commands'),
  ].join('\n');
}

/** Commands to try in another terminal; each works as pasted. */
export function nextSteps(addresses: Addresses, paint: Paint): string {
  const { relayUrl, posUrl, login, restaurantId } = addresses;
  const down = JSON.stringify({ mode: 'down', seconds: 20 });
  const orders = `${relayUrl}/restaurants/${restaurantId}/orders`;
  const bearer = '-H "Authorization: Bearer $TOKEN"';
  const sections: [title: string, command: string][] = [
    ['Send a sale. Sent again, it gets 400 and is not stored twice', order(addresses, '"transactionKey":"HAND-1"')],
    [
      'Send a test transaction. Sent again, it gets 200 and creates no second order',
      order(addresses, '"transactionKey":"HAND-T","isTestTransaction":true'),
    ],
    [
      `Sign in as ${login.email}, password ${login.password}`,
      `TOKEN=$(curl -s ${relayUrl}/auth/login -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(login)}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    ],
    ['Show an order with all its attempts', `curl -s ${orders}/SALE-1003 ${bearer}; echo`],
    ['Cancel an order that was delivered', `curl -s -X POST ${orders}/SALE-1001/cancel ${bearer}; echo`],
    [
      'Switch the POS off for 20 s and send a sale: it is retried after 30 s',
      `curl -s -X PUT ${posUrl}/simulator/behaviour -d '${down}'; echo\n${order(addresses, '"transactionKey":"HAND-2"')}`,
    ],
    ['List all jobs, as a platform administrator', `curl -s ${relayUrl}/admin/jobs ${bearer}; echo`],
    ['Health of the relay', `curl -s ${relayUrl}/health; echo`],
  ];
  return [
    paint('strong', ' Commands to try in another terminal'),
    ...sections.flatMap(([title, command]) => ['', paint('dim', `# ${title}`), command]),
    '',
    `${paint('dim', '# The documentation of the API:')} ${relayUrl}/docs`,
  ].join('\n');
}

/** Printed at the end of --once. */
export function afterwards(paint: Paint): string {
  return [
    paint('strong', ' Next'),
    '',
    ' npm run demo        the same, but keeps running: send, cancel and look at orders yourself',
    ' npm run simulator   a simulated POS for the relay of npm start (see README)',
  ].join('\n');
}

/** @param about JSON fields of the sale */
function order({ relayUrl, token }: Addresses, about: string): string {
  return [
    `curl -s ${relayUrl}/webhooks/terminal \\`,
    `  -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\`,
    `  -d '{${about},"storeCode":"${RESTAURANT.codeStoreTerminal}",`,
    '  "items":[{"itemCode":"PZ-01","itemName":"Pizza","quantity":1,"price":42}],',
    `  "payments":[{"tenderType":1,"amount":42}]}'; echo`,
  ].join('\n');
}
