import { readArguments, wholeNumber } from '../../command-line.js';

/** What a POS does wrong, each with a line for the help. */
export const FAULTS = {
  'lost-polls': 'loses the answers of its polls',
  'lost-acknowledgements': 'loses the answers of its acknowledgements, and sends them again',
  twice: 'acknowledges each event twice',
  late: 'acknowledges after --late ms',
  never: 'prints orders and does not acknowledge them',
  refuse: 'refuses orders with requestCancellation; invalidItems has all items',
} as const;
export type PullingFault = keyof typeof FAULTS;

const faults = Object.entries(FAULTS).map(([name, what]) => `                    ${name.padEnd(22)} ${what}`);

export const HELP = `Usage: npm run simulator -- --open-delivery [options]

A simulated restaurant POS that fetches its orders from a relay by Open Delivery 1.7. It prints every
order, acknowledges it and confirms it. It keeps nothing when it ends. With --listen it gets events
in place of polls.

  --relay <url>         the relay (RELAY_URL, else http://127.0.0.1:3000)
  --client-id <id>      the credentials of the POS (CLIENT_ID)
  --client-secret <s>   their secret (CLIENT_SECRET)
  --every <ms>          the pause between two polls (2000)
  --listen <port>       the relay sends the events to http://127.0.0.1:<port>: the POS does not poll
  --fault <name>        what it does wrong:
${faults.join('\n')}
  --times <n>           number of polls, acknowledgements or orders with the fault (default: all)
  --late <ms>           see the fault late (70000; a relay offers an event again after 60000)
  --help                this text

A restaurant whose POS fetches its orders, and credentials for the POS:

  curl -X PATCH $RELAY_URL/restaurants/$ID -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' -d '{"posVendor":"open-delivery","currency":"BRL"}'
  curl -X POST $RELAY_URL/restaurants/$ID/pos-credentials -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' -d '{"name":"Till"}'

For --listen the relay needs OUTBOUND_ALLOW=127.0.0.1, and the restaurant the address:

  curl -X PATCH $RELAY_URL/restaurants/$ID -H "Authorization: Bearer $TOKEN" \\
    -H 'Content-Type: application/json' -d '{"posBaseUrl":"http://127.0.0.1:4020"}'`;

export interface PullingOptions {
  readonly relay: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** ms */
  readonly every: number;
  /** the port of the events; absent: the POS polls */
  readonly listen?: number | undefined;
  readonly fault?: PullingFault | undefined;
  readonly times: number;
  /** ms */
  readonly late: number;
  readonly help: boolean;
}

/** @throws an error of one line */
export function readPullingOptions(args: string[], env: Readonly<Record<string, string | undefined>>): PullingOptions {
  const given = readArguments(args, {
    'open-delivery': { type: 'boolean' },
    relay: { type: 'string', default: env.RELAY_URL ?? 'http://127.0.0.1:3000' },
    'client-id': { type: 'string', default: env.CLIENT_ID ?? '' },
    'client-secret': { type: 'string', default: env.CLIENT_SECRET ?? '' },
    every: { type: 'string', default: '2000' },
    listen: { type: 'string' },
    fault: { type: 'string' },
    times: { type: 'string' },
    late: { type: 'string', default: '70000' },
    help: { type: 'boolean', default: false },
  });
  const { relay, fault, help, 'client-id': clientId, 'client-secret': clientSecret } = given;
  if (!help && (clientId === '' || clientSecret === ''))
    throw new Error('--client-id and --client-secret are required; try --help');
  if (fault !== undefined && !isFault(fault))
    throw new Error(`--fault must be one of ${Object.keys(FAULTS).join(', ')}, not "${fault}"`);
  if (!URL.canParse(relay)) throw new Error(`--relay must be a URL, not "${relay}"`);
  return {
    relay: relay.replace(/\/+$/, ''),
    clientId,
    clientSecret,
    every: wholeNumber('every', given.every),
    listen: given.listen === undefined ? undefined : wholeNumber('listen', given.listen),
    fault,
    times: given.times === undefined ? Number.POSITIVE_INFINITY : wholeNumber('times', given.times, 1),
    late: wholeNumber('late', given.late),
    help,
  };
}

function isFault(name: string): name is PullingFault {
  return Object.hasOwn(FAULTS, name);
}
