import { PosSimulator, type PosSimulatorOptions } from '../../tools/simulator/simulator.js';
import type { PosOrder, PosPath } from '../../tools/simulator/wire.js';

export const CREDENTIALS = { 'id-partner': 'demo-partner', secret: 'demo-secret' };
export const STORE = { order_id: 'T-1', cod_store: '0042' };

type Changes = Record<string, unknown>;
export type Answered = [status: number, body: unknown];

/** 2 x 5.50 + 0.400 x 32.50 = 24.00, less 1.05, plus 0.50 = 23.45 */
export function anOrder(changes: Changes = {}): PosOrder {
  return {
    ...STORE,
    created_at: '2026-02-03T14:05:00.000Z',
    total_amount: 23.45,
    total_discount: 1.05,
    total_increase: 0.5,
    items: [
      { integration_code: 'A', desc_item: 'Pão de queijo', quantity: 2, unit_price: 5.5 },
      { integration_code: 'B', desc_item: 'Feijoada', quantity: 0.4, unit_price: 32.5 },
    ],
    payment_types: [
      { code: 'DIN', amount: 20 },
      { code: 'CRE', amount: 3.45 },
    ],
    ...changes,
  };
}

/** The body of a refusal. */
export const refused = (errorCode: number, message: unknown = expect.any(String)) => ({ errorCode, message });

export async function answer(response: Response): Promise<Answered> {
  return [response.status, await response.json()];
}

let opened: PosSimulator | undefined;
afterEach(() => opened?.close());

/** A simulator that listens until the end of the test, with the calls of a partner. */
export async function open(options: PosSimulatorOptions = {}) {
  const pos = new PosSimulator(options);
  opened = pos;
  await pos.listen();
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${pos.url}${path}`, { method: 'POST', redirect: 'manual', ...init });
  const signIn = async (headers: Record<string, string> = CREDENTIALS) =>
    ((await (await call('/auth', { headers })).json()) as { token: string }).token;
  const signedIn = async (): Promise<Record<string, string>> => ({
    ...CREDENTIALS,
    authorization: `Bearer ${await signIn()}`,
    'content-type': 'application/json',
  });
  const send = async (path: PosPath, body: unknown, init: RequestInit = {}) =>
    call(path, { headers: await signedIn(), body: JSON.stringify(body), ...init });
  const order = async (changes: Changes = {}) => answer(await send('/order', anOrder(changes)));
  const cancel = async (body: unknown = STORE) => answer(await send('/cancel-order', body));
  /** Looks up an order, signed in. */
  const lookUp = async (path: string, init: RequestInit = {}) =>
    answer(await call(path, { method: 'GET', headers: await signedIn(), ...init }));
  return { pos, call, signIn, signedIn, send, order, cancel, lookUp };
}
