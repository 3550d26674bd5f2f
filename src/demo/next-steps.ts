import { fileURLToPath } from 'node:url';
import { RESTAURANT } from './evening.js';
import type { Paint } from './paint.js';

/** The operators' own statement. */
const RESET_JOB = fileURLToPath(new URL('../../prisma/sql/reset-job.sql', import.meta.url));

export interface Addresses {
  readonly relayUrl: string;
  readonly posUrl: string;
  /** TERMINAL_BEARER_TOKEN */
  readonly token: string;
  /** the socket folder of the embedded database */
  readonly databaseFolder: string;
  readonly parkedJob: string;
}

/** What to try next: every command works as it is pasted, in another terminal. */
export function nextSteps(addresses: Addresses, paint: Paint): string {
  const { relayUrl, posUrl, databaseFolder, parkedJob } = addresses;
  const psql = `psql -h '${databaseFolder}' -U postgres postgres`;
  const down = JSON.stringify({ mode: 'down', seconds: 20 });
  const sections: [title: string, command: string][] = [
    ['Send an order; the same again is answered 400, and kept once', order(addresses, '"transactionKey":"HAND-1"')],
    [
      'A test transaction; the same again: 200, and still one order',
      order(addresses, '"transactionKey":"HAND-T","isTestTransaction":true'),
    ],
    [
      'Switch the POS off for 20 seconds and sell something: it arrives 30 s later',
      `curl -s -X PUT ${posUrl}/simulator/behaviour -d '${down}'; echo\n${order(addresses, '"transactionKey":"HAND-2"')}`,
    ],
    [
      'Every job, as an operator sees it',
      `${psql} -c "\n  SELECT event_key, status, attempts, last_error FROM outbox_jobs ORDER BY created_at"`,
    ],
    [
      'The tiramisu has been entered in the POS: reset the parked order, it goes through',
      `${psql} \\\n  -v job=${parkedJob} -f '${RESET_JOB}'`,
    ],
    ['Is it well?', `curl -s ${relayUrl}/health; echo`],
  ];
  return [
    paint('strong', ' What to try next, in another terminal'),
    ...sections.flatMap(([title, command]) => ['', paint('dim', `# ${title}`), command]),
    '',
    `${paint('dim', '# The API, page and document:')} ${relayUrl}/docs`,
  ].join('\n');
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
