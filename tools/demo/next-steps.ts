import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RESTAURANT } from './evening.js';
import type { Paint } from './paint.js';
import type { Login } from './terminal.js';

/** The operators' own statement. */
const RESET_JOB = fileURLToPath(new URL('../../prisma/sql/reset-job.sql', import.meta.url));

export interface Addresses {
  readonly relayUrl: string;
  readonly posUrl: string;
  /** TERMINAL_BEARER_TOKEN */
  readonly token: string;
  /** the platform administrator, who is also the restaurant's owner */
  readonly login: Login;
  readonly restaurantId: string;
  /** the socket folder of the embedded database */
  readonly databaseFolder: string;
  readonly parkedJob: string;
}

/** Where the evening is to be watched, and how to get in. */
export function consoleLines({ relayUrl, login }: Pick<Addresses, 'relayUrl' | 'login'>, paint: Paint): string {
  return [
    ` ${paint('strong', `Watch it in a browser:  ${relayUrl}/console/`)}`,
    ` sign in as ${login.email}, password ${login.password}`,
  ].join('\n');
}

/** What to try next: every command works as it is pasted, in another terminal. */
export function nextSteps(addresses: Addresses, withPsql: boolean, paint: Paint): string {
  const { relayUrl, posUrl, login, restaurantId } = addresses;
  const down = JSON.stringify({ mode: 'down', seconds: 20 });
  const orders = `${relayUrl}/restaurants/${restaurantId}/orders`;
  const bearer = '-H "Authorization: Bearer $TOKEN"';
  const sections: [title: string, command: string][] = [
    ['Send an order; the same again is answered 400, and kept once', order(addresses, '"transactionKey":"HAND-1"')],
    [
      'A test transaction; the same again: 200, and still one order',
      order(addresses, '"transactionKey":"HAND-T","isTestTransaction":true'),
    ],
    [
      `Sign in as ${login.email}, password ${login.password}`,
      `TOKEN=$(curl -s ${relayUrl}/auth/login -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(login)}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    ],
    ['The whole journey of an order, attempt by attempt', `curl -s ${orders}/SALE-1003 ${bearer}; echo`],
    ['Cancel an order that the kitchen has', `curl -s -X POST ${orders}/SALE-1001/cancel ${bearer}; echo`],
    [
      'Switch the POS off for 20 seconds and sell something: it arrives 30 s later',
      `curl -s -X PUT ${posUrl}/simulator/behaviour -d '${down}'; echo\n${order(addresses, '"transactionKey":"HAND-2"')}`,
    ],
    ['Every job, as the platform administrator sees it', `curl -s ${relayUrl}/admin/jobs ${bearer}; echo`],
    ...(withPsql ? [reset(addresses)] : []),
    ['Is it well?', `curl -s ${relayUrl}/health; echo`],
  ];
  return [
    paint('strong', ' What to try next, in another terminal'),
    ...sections.flatMap(([title, command]) => ['', paint('dim', `# ${title}`), command]),
    '',
    `${paint('dim', '# The API, page and document:')} ${relayUrl}/docs`,
    '',
    consoleLines(addresses, paint),
  ].join('\n');
}

/** What to do when the demo has ended by itself. */
export function afterwards(paint: Paint): string {
  return [
    paint('strong', ' What to do next'),
    '',
    ' npm run demo        the same, and it stays: send, cancel and look up orders yourself',
    ' npm run simulator   a POS of your own, for the relay that npm start starts (README)',
  ].join('\n');
}

/** True when `psql` is on the PATH. */
export function hasPsql(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, 'psql'), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Operators repair by SQL: there is no endpoint for it. */
function reset({ databaseFolder, parkedJob }: Addresses): [title: string, command: string] {
  return [
    'The tiramisu has been entered in the POS: reset the parked order, it goes through',
    `psql -h '${databaseFolder}' -U postgres postgres \\\n  -v job=${parkedJob} -f '${RESET_JOB}'`,
  ];
}

/** @param about the JSON fields that make it this order */
function order({ relayUrl, token }: Addresses, about: string): string {
  return [
    `curl -s ${relayUrl}/webhooks/terminal \\`,
    `  -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' \\`,
    `  -d '{${about},"storeCode":"${RESTAURANT.codeStoreTerminal}",`,
    '  "items":[{"itemCode":"PZ-01","itemName":"Pizza","quantity":1,"price":42}],',
    `  "payments":[{"tenderType":1,"amount":42}]}'; echo`,
  ].join('\n');
}
