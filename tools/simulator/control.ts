import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Behaviour, send } from './behaviour.js';
import { parseCommand } from './command.js';
import { parseJson, readBody } from './request-body.js';
import { ERROR, refusal } from './wire.js';

/** What of a simulator can be seen and changed over HTTP. */
export interface Controls {
  readonly orders: ReadonlyMap<string, object>;
  readonly behaviour: Behaviour;
  /** orders held back by the mode `gate` */
  readonly waiting: number;
  behave(behaviour: Behaviour): void;
  release(): void;
  /** closes the port for so long */
  downFor(seconds: number): Promise<void>;
}

/** The routes under `/simulator`, by which a person sees what the simulator took and makes it misbehave. */
export async function control(pos: Controls, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = `${request.method} ${request.url?.split('?', 1)[0]}`;
  if (route === 'GET /simulator/orders')
    return send(response, { status: 200, body: { orders: [...pos.orders.values()] } });
  if (route === 'POST /simulator/release') {
    send(response, { status: 200, body: { released: pos.waiting } });
    return pos.release();
  }
  if (route === 'GET /simulator/behaviour') return send(response, { status: 200, body: { ...pos.behaviour } });
  if (route !== 'PUT /simulator/behaviour') return send(response, refusal(404, 404, `${route}: no such route`));
  const command = parseCommand(parseJson((await readBody(request)) ?? ''));
  if ('problem' in command) return send(response, refusal(400, ERROR.FIELD, command.problem));
  if (command.mode === 'down') response.once('close', () => void pos.downFor(command.seconds));
  else pos.behave(command);
  send(response, { status: 200, body: { ...command } });
}
