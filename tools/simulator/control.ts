import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Behaviour, send } from './behaviour.js';
import { parseCommand } from './command.js';
import { parseJson, readBody } from './request-body.js';
import { ERROR, refusal } from './wire.js';

/** The parts of a simulator that HTTP can read and change. */
export interface Controls {
  readonly orders: ReadonlyMap<string, object>;
  readonly behaviour: Behaviour;
  /** number of calls that the gate holds */
  readonly waiting: number;
  behave(behaviour: Behaviour): void;
  /** enters a product in the catalogue */
  addProduct(code: string): void;
  release(): void;
  /** refuses connections for this time */
  downFor(seconds: number): Promise<void>;
}

/** The routes under `/simulator`: list the accepted orders, enter a product, set the behaviour. */
export async function control(pos: Controls, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url?.split('?', 1)[0]}`;
  if (route === 'GET /simulator/orders')
    return send(response, { status: 200, body: { orders: [...pos.orders.values()] } });
  if (route === 'POST /simulator/release') {
    send(response, { status: 200, body: { released: pos.waiting } });
    return pos.release();
  }
  if (route === 'POST /simulator/products') {
    const body = parseJson((await readBody(request)) ?? '');
    const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
    if (typeof code !== 'string')
      return send(response, refusal(400, ERROR.FIELD, 'code: the code of the product, a text'));
    pos.addProduct(code);
    return send(response, { status: 200, body: { code } });
  }
  if (route === 'GET /simulator/behaviour') return send(response, { status: 200, body: { ...pos.behaviour } });
  if (route !== 'PUT /simulator/behaviour') return send(response, refusal(404, 404, `${route}: no such route`));
  const command = parseCommand(parseJson((await readBody(request)) ?? ''));
  if ('problem' in command) return send(response, refusal(400, ERROR.FIELD, command.problem));
  if (command.mode === 'down') response.once('close', () => void pos.downFor(command.seconds));
  else pos.behave(command);
  send(response, { status: 200, body: { ...command } });
}
