import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { centsOf } from '../../tools/simulator/amounts.js';
import { reset, send, treat } from '../../tools/simulator/behaviour.js';
import { Kitchen } from '../../tools/simulator/kitchen.js';
import { parseJson, readBody } from '../../tools/simulator/request-body.js';
import { TokenDesk } from '../../tools/simulator/token-desk.js';
import { isRecord, type PosOrder, type Reply, refusal } from '../../tools/simulator/wire.js';
import type { Random } from '../random.js';
import { contentOf, type PosCall } from './history.js';
import type { PosFault } from './plan.js';
import { type CallTreatment, RESET, treatmentOf } from './pos-faults.js';

const LOOKUP = /^\/order\/(.+)$/;
const KINDS = { '/order': 'order', '/cancel-order': 'cancel' } as const;
/** Short, so that signing in is a part of the run. */
const TOKEN_SECONDS = 30;

export const PARTNER = { id: 'chaos-partner', secret: 'chaos-partner-secret' };

/**
 * The restaurants' POS: one address, many stores, the rules of the simulator, and a true history of every call. While it has a
 * fault it treats a part of the calls badly.
 */
export class ChaosPos {
  /** in the order in which they came */
  readonly calls: PosCall[] = [];
  private fault: PosFault | undefined;
  private readonly desk = new TokenDesk({
    partners: { [PARTNER.id]: PARTNER.secret },
    tokenPrefix: '',
    ttlSeconds: TOKEN_SECONDS,
    singleSession: true,
    now: () => new Date(),
  });
  private readonly kitchens: ReadonlyMap<string, Kitchen>;
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    this.serve(request, response).catch(() => response.destroy());
  });
  private port = 0;

  /**
   * @param stores `cod_store`, and whether its POS refuses an order that it has already
   * @param timeoutMs POS_TIMEOUT_MS: an answer after it is late
   */
  constructor(
    stores: ReadonlyMap<string, boolean>,
    private readonly timeoutMs: number,
    private readonly random: Random,
  ) {
    this.kitchens = new Map(
      [...stores].map(([store, refuseDuplicates]) => [
        store,
        new Kitchen({ stores: [store], refuseDuplicates }, () => new Date()),
      ]),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async listen(): Promise<void> {
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  /** Has this fault for `ms`. */
  async misbehave(fault: PosFault, ms: number): Promise<void> {
    if (fault === 'down') return this.downFor(ms);
    if (fault === 'sessions-lost') return this.desk.revoke();
    this.fault = fault;
    await delay(ms);
    this.fault = undefined;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async downFor(ms: number): Promise<void> {
    const closed = once(this.server, 'close');
    this.close();
    await closed;
    await delay(ms);
    await this.listen();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    if (request.method === 'POST' && path === '/auth') return this.signIn(request, response);
    const lookedUp = request.method === 'GET' ? LOOKUP.exec(path)?.[1] : undefined;
    const kind = lookedUp ? 'lookup' : KINDS[path as keyof typeof KINDS];
    if (!kind) return send(response, refusal(404, 404, `${path}: no such path`));
    const treatment = treatmentOf(this.fault, this.timeoutMs, this.random);
    if (treatment === RESET) {
      // before the body is read: the order has not arrived
      reset(response);
      return;
    }
    const body = lookedUp
      ? { order_id: decodeURIComponent(lookedUp), cod_store: '' }
      : parseJson((await readBody(request)) ?? '');
    const call = this.record(kind, treatment.text, request.headers, body, response);
    await answer(treatment, request.headers, response, () => {
      const reply = this.replyTo(kind, request.headers, body);
      call.effect = reply.status < 300 ? EFFECTS[kind] : 'refused';
      call.doneAt = Date.now();
      return reply;
    });
  }

  private async signIn({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const treatment = treatmentOf(this.fault, this.timeoutMs, this.random);
    if (treatment === RESET) reset(response);
    else await answer(treatment, headers, response, () => this.desk.signIn(headers));
  }

  private record(
    kind: PosCall['kind'],
    treatment: string,
    headers: IncomingHttpHeaders,
    body: unknown,
    response: ServerResponse,
  ): Recorded {
    const named = isRecord(body) ? body : {};
    const call: Recorded = {
      at: Date.now(),
      kind,
      orderId: String(named.order_id),
      store: String(named.cod_store),
      pid: Number(headers['x-chaos-pid']),
      treatment,
      effect: null,
      doneAt: null,
      content: kind === 'order' ? contentIn(named) : null,
      status: null,
      answeredAt: null,
    };
    this.calls.push(call);
    response.on('finish', () => {
      call.answeredAt = Date.now();
      call.status = response.statusCode;
    });
    return call;
  }

  private replyTo(kind: PosCall['kind'], headers: IncomingHttpHeaders, body: unknown): Reply {
    const refused = this.desk.check(headers);
    if (refused) return refused;
    if (!isRecord(body)) return refusal(400, 100, 'body: must be a JSON object');
    if (kind === 'lookup') return this.lookUp(String(body.order_id));
    const kitchen = this.kitchens.get(String(body.cod_store));
    if (!kitchen) return refusal(400, 300, `cod_store: ${body.cod_store} is unknown`);
    return kind === 'order' ? kitchen.accept(body) : kitchen.cancel(body);
  }

  private lookUp(orderId: string): Reply {
    const known = [...this.kitchens.values()].some(({ orders }) => orders.has(orderId));
    return known
      ? { status: 200, body: { orderId, status: 'ACCEPTED' } }
      : refusal(404, 404, `order_id: ${orderId} is unknown`);
  }
}

async function answer(
  { waitMs, carriesOutFirst, inner }: CallTreatment,
  headers: IncomingHttpHeaders,
  response: ServerResponse,
  carryOut: () => Reply,
): Promise<void> {
  if (waitMs > 0) await delay(waitMs);
  if (carriesOutFirst) carryOut();
  treat(inner, { headers, response, carryOut, hold: () => {} });
}

type Recorded = { -readonly [Field in keyof PosCall]: PosCall[Field] };

const EFFECTS = { order: 'cooked', cancel: 'cancelled', lookup: 'found' } as const;

function contentIn(body: Record<string, unknown>): string {
  try {
    const { cod_store, total_amount, items } = body as unknown as PosOrder;
    const named = items.map(({ integration_code: code, quantity, unit_price: price }) => ({ code, quantity, price }));
    return contentOf(cod_store, Number(centsOf(total_amount)), named);
  } catch {
    return `unreadable: ${JSON.stringify(body)}`;
  }
}
