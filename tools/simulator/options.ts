import { readArguments, wholeNumber } from '../command-line.js';
import { type Command, fieldsOf, MISBEHAVIOURS } from './command.js';
import { LOOKUP } from './wire.js';

export const DEFAULT_SECRET = 'demo-secret';

const modes = Object.entries(MISBEHAVIOURS).map(([mode, what]) => {
  const fields = fieldsOf(mode as Command['mode']).join(', ');
  return `  ${mode.padEnd(12)} ${what}${fields ? `\n${' '.repeat(17)}${fields}` : ''}`;
});

export const HELP = `Usage: npm run simulator -- [options]

A simulated restaurant POS. It prints every order that it accepts.

  --port <n>        port to listen on (4010; 0: any free one)
  --host <address>  address to listen on (127.0.0.1)
  --partner <id>    partner id that it accepts (demo-partner)
  --secret <text>   that partner's secret (${DEFAULT_SECRET})
  --store <code>    a cod_store that it accepts; repeat for more (default: any)
  --open-delivery   a POS that fetches its orders instead; --open-delivery --help
  --help            this text

Set its behaviour while it runs:

  curl -X PUT http://127.0.0.1:4010/simulator/behaviour -d '{"mode":"status","status":503,"times":3}'

The modes and their fields (? marks optional ones):

${modes.join('\n')}

Every mode except ok and down also has times (number of calls), paths (a list; default
/order and /cancel-order, ${LOOKUP} for in-progress) and stores (a list of cod_store).

It reads notes, nested options and evidence, and prints them:

  POS_ITEM_NOTES_FIELD=notes POS_ORDER_NOTES_FIELD=notes POS_OPTIONS_FIELD=options
  POS_PAYMENT_FIELDS='{"authorizationCode":"authorization_code","brand":"brand"}'

Orders can be looked up with the headers of an order (POS_ORDER_LOOKUP_PATH):

  GET  ${LOOKUP}?cod_store={cod_store}   200 {order_id, cod_store, status}, or 404

Its own routes:

  GET  /simulator/orders      the accepted orders
  GET  /simulator/behaviour   the current behaviour
  POST /simulator/release     releases the calls that the gate holds`;

export interface Options {
  readonly port: number;
  readonly host: string;
  readonly partner: string;
  readonly secret: string;
  readonly store?: string[];
  readonly help: boolean;
}

/** @throws an error of one line */
export function readOptions(args: string[]): Options {
  const values = readArguments(args, {
    port: { type: 'string', default: '4010' },
    host: { type: 'string', default: '127.0.0.1' },
    partner: { type: 'string', default: 'demo-partner' },
    secret: { type: 'string', default: DEFAULT_SECRET },
    store: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  });
  const port = wholeNumber('port', values.port);
  if (port > 65_535) throw new Error(`--port must be at most 65535, not "${values.port}"`);
  for (const name of ['host', 'partner', 'secret'] as const)
    if (values[name] === '') throw new Error(`--${name} must not be empty`);
  if (values.store?.includes('')) throw new Error('--store must not be empty');
  return { ...values, port };
}
