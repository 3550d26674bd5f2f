import { wantsColour } from '../command-line.js';
import { pullOrders } from './open-delivery/command.js';
import { DEFAULT_SECRET, HELP, type Options, readOptions } from './options.js';
import { PosSimulator } from './simulator.js';
import { renderTicket } from './ticket.js';

/** The command `npm run simulator`: a simulated POS for manual tests. */

const colour = wantsColour(process.env, process.stdout.isTTY);

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function welcome(url: string, { partner, secret, store }: Options): string {
  const shownSecret = secret === DEFAULT_SECRET ? secret : '<your secret>';
  return `POS simulator at ${url}, ${store ? `stores ${store.join(', ')}` : 'any store'}

  Settings of the relay:
    POS_BASE_URL=${url} POS_PARTNER_ID=${partner} POS_SECRET=${shownSecret}

  List the orders that it accepted:
    curl ${url}/simulator/orders

  Make it misbehave, and end it:
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

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.includes('--open-delivery')) return pullOrders(args, print, colour);
  const options = readOptions(args);
  if (options.help) return print(HELP);
  const pos = simulator(options);
  print(welcome(await pos.listen(options.port, options.host), options));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void pos.close());
}

main().catch((error: NodeJS.ErrnoException) => {
  const hint = error.code === 'EADDRINUSE' ? ': choose another port with --port' : '';
  process.stderr.write(`simulator: ${error.message}${hint}\n`);
  process.exitCode = 1;
});
