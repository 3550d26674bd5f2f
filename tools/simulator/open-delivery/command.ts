import { setTimeout as delay } from 'node:timers/promises';
import { renderTicket } from '../ticket.js';
import { EventReceiver } from './event-receiver.js';
import { HELP, readPullingOptions } from './options.js';
import { PullingSimulator } from './pulling-simulator.js';
import { ticketOrder } from './wire.js';

/** The command `npm run simulator -- --open-delivery`. @throws an error of one line when the relay refuses the credentials */
export async function pullOrders(args: string[], print: (text: string) => void, colour: boolean): Promise<void> {
  const options = readPullingOptions(args, process.env);
  if (options.help) return print(HELP);
  const pos = new PullingSimulator(options, {
    onOrder: (order) => print(renderTicket(ticketOrder(order), { colour })),
    onCancel: (orderId, printed) => print(`cancelled: ${printed?.order.displayId ?? `${orderId}, not printed`}`),
    onNote: print,
  });
  const stop = new AbortController();
  if (options.listen === undefined)
    print(`POS simulator: asks ${options.relay} for orders every ${options.every} ms\n`);
  else {
    const receiver = new EventReceiver(options.clientSecret, (event) => pos.receive(event));
    print(`POS simulator: gets events at ${await receiver.listen(options.listen)}/v1/newEvent\n`);
    stop.signal.addEventListener('abort', () => receiver.close());
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  while (!stop.signal.aborted) {
    await pos.step();
    await delay(options.every, undefined, { signal: stop.signal }).catch(() => {});
  }
}
