import { parseArgs } from 'node:util';
import { PosSimulator } from './simulator.js';
import { renderTicket } from './simulator-ticket.js';

/** The command `npm run simulator`: a POS to order from, by hand or with the relay. */

const HELP = `Usage: npm run simulator -- [options]

A stand-in for a restaurant POS. It prints every order it accepts.

  --port <n>        port to listen on (4010; 0: any free one)
  --host <address>  address to listen on (127.0.0.1)
  --partner <id>    partner id it accepts (demo-partner)
  --secret <text>   that partner's secret (demo-secret)
  --store <code>    a cod_store it knows; repeat for more (default: it knows every store)
  --help            this text
`;

const DEFAULT_SECRET = 'demo-secret';
const colour = Boolean(process.stdout.isTTY) && !process.env.NO_COLOR;

interface Options {
  readonly port: number;
  readonly host: string;
  readonly partner: string;
  readonly secret: string;
  readonly store?: string[];
  readonly help: boolean;
}

function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      port: { type: 'string', default: '4010' },
      host: { type: 'string', default: '127.0.0.1' },
      partner: { type: 'string', default: 'demo-partner' },
      secret: { type: 'string', default: DEFAULT_SECRET },
      store: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  });
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`--port must be a whole number from 0 to 65535, not "${values.port}"`);
  for (const name of ['host', 'partner', 'secret'] as const)
    if (values[name] === '') throw new Error(`--${name} must not be empty`);
  if (values.store?.includes('')) throw new Error('--store must not be empty');
  return { ...values, port };
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function welcome(url: string, { partner, secret, store }: Options): string {
  const shownSecret = secret === DEFAULT_SECRET ? secret : '<the one given>';
  return `POS simulator at ${url}, ${store ? `stores ${store.join(', ')}` : 'any store'}

  Point the relay at it:
    POS_BASE_URL=${url} POS_PARTNER_ID=${partner} POS_SECRET=${shownSecret}

  See what it took:
    curl ${url}/simulator/orders

  Make it misbehave, and behave again:
    curl -X PUT ${url}/simulator/behaviour -d '{"mode":"status","status":503,"times":3}'
    curl -X PUT ${url}/simulator/behaviour -d '{"mode":"down","seconds":20}'
    curl -X PUT ${url}/simulator/behaviour -d '{"mode":"ok"}'
`;
}

function simulator({ partner, secret, store }: Options): PosSimulator {
  return new PosSimulator({
    partners: { [partner]: secret },
    stores: store,
    control: true,
    onOrder: (order, { cooked }) => {
      print(renderTicket(order, { colour }));
      if (cooked > 1) print(`cooked ${cooked} times: ${JSON.stringify(order.order_id)}`);
    },
    onCancel: ({ order_id, cod_store }) =>
      print(`cancelled: ${JSON.stringify(order_id)} of store ${JSON.stringify(cod_store)}`),
    onRefusal: (path, { status, body }) => print(`refused: ${path} ${status} ${JSON.stringify(body)}`),
  });
}

/** One line, without what Node adds on how to write odd arguments. */
function oneLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split(/\n|\. To specify/)[0] ?? message;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) return print(HELP.trimEnd());
  const pos = simulator(options);
  print(welcome(await pos.listen(options.port, options.host), options));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void pos.close());
}

main().catch((error: unknown) => {
  process.stderr.write(`simulator: ${oneLine(error)}\n`);
  process.exitCode = 1;
});
