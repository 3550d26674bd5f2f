import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { PosOrder } from '../domain/pos-order.js';
import { ERROR, isRecord, Kitchen, type KitchenOrder, type Reply, refusal, TokenDesk } from './simulator-kitchen.js';

export type PosPath = '/auth' | '/order' | '/cancel-order';

/**
 * How the simulator treats a call. An answer with a 2xx status is only given to a call that was carried out (a refused
 * one gets its refusal); one with any other status is given instead of carrying it out.
 */
export type Treatment =
  | { readonly mode: 'ok' }
  /** carries the call out at once, answers after `delayMs` milliseconds */
  | { readonly mode: 'slow'; readonly delayMs: number }
  /** reads the call, never answers */
  | { readonly mode: 'hang' }
  /** carries the call out, never answers */
  | { readonly mode: 'hang-after' }
  /** `errorCode`: default the status; `retryAfter`: seconds or an HTTP date */
  | {
      readonly mode: 'status';
      readonly status: number;
      readonly errorCode?: number;
      readonly message?: string;
      readonly retryAfter?: number | string;
    }
  /** resets the connection, before reading the body unless `stores` must be told apart */
  | { readonly mode: 'reset' }
  /** carries the call out, then resets the connection */
  | { readonly mode: 'reset-after' }
  /** an HTML body, as a proxy in front of the POS sends it */
  | { readonly mode: 'html'; readonly status: number }
  /** breaks the body off before the announced Content-Length */
  | { readonly mode: 'truncated'; readonly status: number }
  /** `status`: default 302 */
  | { readonly mode: 'redirect'; readonly location: string; readonly status?: number }
  /** 200 and its headers at once, then one byte every `everyMs` milliseconds, for ever */
  | { readonly mode: 'trickle'; readonly everyMs: number }
  /** a JSON body of `bytes` bytes */
  | { readonly mode: 'huge'; readonly status: number; readonly bytes: number }
  /** 400 with the caller's own secret and token in the message */
  | { readonly mode: 'echo-secret' }
  /** holds the answer until `release()`; the call is carried out before or after the wait */
  | { readonly mode: 'gate'; readonly register: 'before' | 'after' };

/** A treatment, and the calls it is for. */
export type Behaviour = Treatment & {
  /** only the next so many calls; ok again after them */
  readonly times?: number;
  /** default `/order` and `/cancel-order` */
  readonly paths?: readonly PosPath[];
  /** only calls whose body names one of these `cod_store` */
  readonly stores?: readonly string[];
};

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** the JSON sent, or the text when it was not JSON; undefined when there was none or it was not read */
  readonly body: unknown;
  readonly at: Date;
}

export interface PosSimulatorOptions {
  /** accepted credentials, partner id -> secret; default `demo-partner`: `demo-secret` */
  readonly partners?: Readonly<Record<string, string>>;
  /** known `cod_store`; default: every store is known */
  readonly stores?: readonly string[];
  /** known `integration_code`; default: every product is known */
  readonly products?: readonly string[];
  /** default 3000 */
  readonly tokenTtlSeconds?: number;
  /** true: signing in ends the partner's earlier tokens; default false */
  readonly singleSession?: boolean;
  /** false: a duplicate `order_id` is accepted and cooked again; default true */
  readonly refuseDuplicates?: boolean;
  /** false: `id-partner` and `secret` are enough to order; default true */
  readonly requireToken?: boolean;
  /** true: behaviour can be read and set over HTTP under `/simulator`; default false */
  readonly control?: boolean;
  readonly onOrder?: (order: PosOrder, info: KitchenOrder) => void;
  readonly onCancel?: (order: PosOrder, info: KitchenOrder) => void;
  /** a call that was refused by the rules, not by a misbehaviour */
  readonly onRefusal?: (path: PosPath, reply: Reply) => void;
  readonly now?: () => Date;
}

const BODY_LIMIT_BYTES = 1_048_576;
const REQUESTS_KEPT = 10_000;
const PATHS: readonly PosPath[] = ['/auth', '/order', '/cancel-order'];
const DEFAULT_PATHS: readonly PosPath[] = ['/order', '/cancel-order'];

/** A call, and what carries it out. */
interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  readonly carryOut: () => Reply;
  /** puts what is left to do behind the gate */
  readonly hold: (go: () => void) => void;
}

/** A restaurant POS's order interface over HTTP, faithful in its rules and, when told so, in its failures. */
export class PosSimulator {
  authCalls = 0;
  orderCalls = 0;
  cancelCalls = 0;
  /** the last 10,000 calls, oldest first */
  readonly requests: RecordedRequest[] = [];

  private readonly options: PosSimulatorOptions;
  private readonly now: () => Date;
  private readonly desk: TokenDesk;
  private readonly kitchen: Kitchen;
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void this.serve(request, response);
  });
  private readonly watchers = new Set<() => void>();
  private address = { host: '127.0.0.1', port: 0 };
  private current: Behaviour = { mode: 'ok' };
  private held: (() => void)[] = [];
  private comeBack?: NodeJS.Timeout;
  private closed: Promise<unknown> = Promise.resolve();

  constructor(options: PosSimulatorOptions = {}) {
    this.options = options;
    this.now = options.now ?? (() => new Date());
    this.desk = new TokenDesk({
      partners: options.partners ?? { 'demo-partner': 'demo-secret' },
      ttlSeconds: options.tokenTtlSeconds ?? 3_000,
      singleSession: options.singleSession ?? false,
      requireToken: options.requireToken ?? true,
      now: this.now,
    });
    const { stores, products, refuseDuplicates = true } = options;
    this.kitchen = new Kitchen({ stores, products, refuseDuplicates }, this.now);
  }

  /** Accepted orders by `order_id`. */
  get orders(): ReadonlyMap<string, KitchenOrder> {
    return this.kitchen.orders;
  }

  /** The base URL; its port is known once `listen` has resolved. */
  get url(): string {
    const { host, port } = this.address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** The behaviour in force, with the `times` that are left. */
  get behaviour(): Behaviour {
    return this.current;
  }

  /** False while connections are refused. */
  get isUp(): boolean {
    return this.server.listening;
  }

  /** How many answers the `gate` holds. */
  get waiting(): number {
    return this.held.length;
  }

  /** Listens, on any free port by default, and resolves to the base URL. */
  async listen(port = 0, host = '127.0.0.1'): Promise<string> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    this.address = { host, port: (this.server.address() as AddressInfo).port };
    this.changed();
    return this.url;
  }

  /** Stops for good; open connections are destroyed. */
  async close(): Promise<void> {
    await this.down();
  }

  /** Refuses connections and destroys the open ones; what the gate holds is lost, what was registered is kept. */
  async down(): Promise<void> {
    clearTimeout(this.comeBack);
    this.held = [];
    if (this.server.listening) {
      this.closed = once(this.server, 'close');
      this.server.close();
      this.server.closeAllConnections();
    }
    await this.closed;
    this.changed();
  }

  /** Listens again, on the same port. */
  async up(): Promise<void> {
    clearTimeout(this.comeBack);
    await this.closed;
    if (!this.server.listening) await this.listen(this.address.port, this.address.host);
  }

  /** Treats calls like this from now on; `{mode: 'ok'}` ends it. What the gate already holds stays held. */
  behave(behaviour: Behaviour): void {
    this.current = { ...behaviour };
  }

  /** Lets everything go that the gate holds now; later calls are held as long as the behaviour stands. */
  release(): void {
    const held = this.held;
    this.held = [];
    for (const go of held) go();
    this.changed();
  }

  /** Every token issued so far is refused with 902 from now on. */
  revokeTokens(): void {
    this.desk.revoke();
  }

  /**
   * Resolves once `predicate` holds; it is asked again after every call, answer, broken connection, `up` and `down`.
   * Rejects after `timeoutMs` milliseconds, naming the predicate.
   */
  when(predicate: () => boolean, timeoutMs = 30_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (conclude: () => void) => {
        clearTimeout(timer);
        this.watchers.delete(check);
        conclude();
      };
      const check = () => {
        try {
          if (predicate()) settle(resolve);
        } catch (error) {
          settle(() => reject(error));
        }
      };
      const late = new Error(`not within ${timeoutMs} ms: ${predicate}`);
      const timer = setTimeout(() => settle(() => reject(late)), timeoutMs);
      this.watchers.add(check);
      check();
    });
  }

  private changed(): void {
    for (const check of [...this.watchers]) check();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => this.changed());
    try {
      await this.route(request, response, request.url?.split('?', 1)[0] ?? '');
    } catch (error) {
      // A caller that went away while it was sending is no error of the simulator's.
      if (!request.readableAborted) send(response, refusal(500, 500, `simulator: ${error}`));
    }
    this.changed();
  }

  private async route(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (this.options.control && path.startsWith('/simulator/')) return this.control(request, response, path);
    if (!isPosPath(path)) return send(response, refusal(404, 404, `${path}: no such path`));
    if (request.method !== 'POST') return send(response, refusal(405, 405, `${path}: POST only`));
    this.countCall(path);
    if (this.current.mode === 'reset' && !this.current.stores && this.takeBehaviour(path, undefined)) {
      this.record(request, path, undefined);
      return reset(response);
    }
    const text = await readBody(request);
    if (text === undefined) {
      this.record(request, path, undefined);
      return send(response, refusal(413, ERROR.TOO_LARGE, `body: must be at most ${BODY_LIMIT_BYTES} bytes`));
    }
    const json = parseJson(text);
    this.record(request, path, json ?? (text || undefined));
    if (path === '/order') this.kitchen.count(json);
    const { headers } = request;
    const body = headers['content-type']?.startsWith('application/json') ? json : undefined;
    const treatment = this.takeBehaviour(path, json) ?? { mode: 'ok' };
    treat(treatment, {
      headers,
      response,
      carryOut: () => this.carryOut(path, headers, body),
      hold: (go) => this.held.push(go),
    });
  }

  private countCall(path: PosPath): void {
    if (path === '/auth') this.authCalls += 1;
    else if (path === '/order') this.orderCalls += 1;
    else this.cancelCalls += 1;
  }

  private record({ method = '', headers }: IncomingMessage, path: string, body: unknown): void {
    this.requests.push({ method, path, headers, body, at: this.now() });
    if (this.requests.length > REQUESTS_KEPT) this.requests.shift();
  }

  /** The behaviour this call meets, counted against its `times`; undefined when it is meant for other calls. */
  private takeBehaviour(path: PosPath, body: unknown): Treatment | undefined {
    const behaviour = this.current;
    const { times, paths = DEFAULT_PATHS, stores } = behaviour;
    if (times === 0 || !paths.includes(path)) return undefined;
    if (stores && !(isRecord(body) && stores.includes(String(body.cod_store)))) return undefined;
    if (times !== undefined) this.current = times > 1 ? { ...behaviour, times: times - 1 } : { mode: 'ok' };
    return behaviour;
  }

  private carryOut(path: PosPath, headers: IncomingHttpHeaders, body: unknown): Reply {
    const reply = this.replyTo(path, headers, body);
    if (reply.status >= 300) this.options.onRefusal?.(path, reply);
    else if (path !== '/auth') this.announce(path, (body as PosOrder).order_id);
    return reply;
  }

  private replyTo(path: PosPath, headers: IncomingHttpHeaders, body: unknown): Reply {
    if (path === '/auth') return this.desk.signIn(headers);
    const refused = this.desk.check(headers);
    if (refused) return refused;
    return path === '/order' ? this.kitchen.accept(body) : this.kitchen.cancel(body);
  }

  private announce(path: '/order' | '/cancel-order', orderId: string): void {
    const info = this.kitchen.orders.get(orderId);
    if (info) (path === '/order' ? this.options.onOrder : this.options.onCancel)?.(info.order, info);
  }

  private async control(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const route = `${request.method} ${path}`;
    if (route === 'GET /simulator/orders')
      return send(response, { status: 200, body: { orders: [...this.orders.values()] } });
    if (route === 'POST /simulator/release') {
      send(response, { status: 200, body: { released: this.waiting } });
      return this.release();
    }
    if (route === 'GET /simulator/behaviour') return send(response, { status: 200, body: { ...this.current } });
    if (route !== 'PUT /simulator/behaviour') return send(response, refusal(404, 404, `${route}: no such route`));
    const command = parseCommand(parseJson((await readBody(request)) ?? ''));
    if ('problem' in command) return send(response, refusal(400, ERROR.FIELD, command.problem));
    if (command.mode === 'down') response.once('close', () => void this.downFor(command.seconds));
    else this.behave(command);
    send(response, { status: 200, body: { ...command } });
  }

  private async downFor(seconds: number): Promise<void> {
    await this.down();
    this.upIn(seconds * 1_000);
  }

  private upIn(ms: number): void {
    // Somebody else may have taken the port meanwhile: try again until it is free.
    this.comeBack = setTimeout(() => this.up().catch(() => this.upIn(1_000)), ms);
  }
}

type How<Mode extends Treatment['mode']> = Extract<Treatment, { mode: Mode }>;

const TREATMENTS: { readonly [Mode in Treatment['mode']]: (call: Call, how: How<Mode>) => void } = {
  ok: ({ response, carryOut }) => send(response, carryOut()),
  slow: ({ response, carryOut }, { delayMs }) => sendLater(response, carryOut(), delayMs),
  hang: () => {},
  'hang-after': ({ carryOut }) => void carryOut(),
  status: (call, how) => instead(call, how.status, () => sendStatus(call.response, how)),
  reset: ({ response }) => reset(response),
  'reset-after': ({ response, carryOut }) => {
    carryOut();
    reset(response);
  },
  html: (call, { status }) => instead(call, status, () => sendHtml(call.response, status)),
  truncated: (call, { status }) => instead(call, status, () => sendTruncated(call.response, status)),
  redirect: ({ response }, { status = 302, location }) =>
    response.writeHead(status, { location, 'content-length': '0' }).end(),
  trickle: (call, { everyMs }) => instead(call, 200, () => trickle(call.response, everyMs)),
  huge: (call, { status, bytes }) => instead(call, status, () => sendHuge(call.response, status, bytes)),
  'echo-secret': ({ response, headers }) => send(response, echo(headers)),
  gate: ({ response, carryOut, hold }, { register }) => {
    const reply = register === 'before' ? carryOut() : undefined;
    // A caller that gave up waiting does not stop a POS that has its order in hand.
    hold(() => send(response, reply ?? carryOut()));
  },
};

function treat(treatment: Treatment, call: Call): void {
  const treatThus = TREATMENTS[treatment.mode] as (call: Call, how: Treatment) => void;
  treatThus(call, treatment);
}

function isPosPath(path: string): path is PosPath {
  return (PATHS as readonly string[]).includes(path);
}

/** The text of the body; undefined when it is above the limit. All of it is read, so that the caller reads the answer. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return bytes <= BODY_LIMIT_BYTES ? Buffer.concat(chunks).toString() : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, { status, body }: Reply, headers: Record<string, string> = {}): void {
  if (response.destroyed || response.headersSent) return;
  const json = JSON.stringify(body);
  const length = String(Buffer.byteLength(json));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(json);
}

function sendLater(response: ServerResponse, reply: Reply, delayMs: number): void {
  const timer = setTimeout(() => send(response, reply), delayMs);
  response.on('close', () => clearTimeout(timer));
}

/** A 2xx answer stands for a call that was carried out; if the rules refuse it, the refusal is the answer. */
function instead({ response, carryOut }: Call, status: number, answer: () => void): void {
  const reply = status < 300 ? carryOut() : undefined;
  if (reply && reply.status >= 300) send(response, reply);
  else answer();
}

function sendStatus(response: ServerResponse, treatment: How<'status'>): void {
  const { status, errorCode = status, message = `simulated status ${status}`, retryAfter } = treatment;
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
  send(response, status < 300 ? { status, body: { message } } : refusal(status, errorCode, message), headers);
}

function sendHtml(response: ServerResponse, status: number): void {
  const page = `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>nginx</p></body></html>\n`;
  response.writeHead(status, { 'content-type': 'text/html' }).end(page);
}

function sendTruncated(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"errorCode":', () => response.destroy());
}

function trickle(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const timer = setInterval(() => response.write(' '), everyMs);
  response.on('close', () => clearInterval(timer));
}

function sendHuge(response: ServerResponse, status: number, bytes: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(bytes) });
  Readable.from(hugeJson(bytes)).pipe(response);
}

/** `{"message":"xxx..."}` of exactly `bytes` bytes, piece by piece; at least 14. */
function* hugeJson(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(65_536, 'x');
  yield Buffer.from('{"message":"');
  for (let left = bytes - 14; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield Buffer.from('"}');
}

function echo({ secret, authorization = '' }: IncomingHttpHeaders): Reply {
  const token = authorization.replace(/^Bearer /i, '');
  return refusal(400, ERROR.FIELD, `rejected: secret ${secret}, token ${token}`);
}

function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}

/** What a person may ask for over HTTP. */
type Command = Behaviour | { readonly mode: 'down'; readonly seconds: number };

interface Field {
  readonly required?: true;
  readonly be: string;
  readonly holds: (value: unknown) => boolean;
}

const number = (least: number, most: number): Field => ({
  be: `a whole number from ${least} to ${most}`,
  holds: (value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most,
});
const required = (field: Field): Field => ({ ...field, required: true });
const string: Field = { be: 'a non-empty string', holds: (value) => typeof value === 'string' && value !== '' };
const httpStatus = required(number(200, 599));

const SCOPE: Record<string, Field> = {
  times: number(1, 1_000_000),
  paths: {
    be: `a list of ${PATHS.join(', ')}`,
    holds: (value) => Array.isArray(value) && value.length > 0 && value.every(isPosPath),
  },
  stores: { be: 'a list of cod_store', holds: (value) => Array.isArray(value) && value.every(string.holds) },
};

const FIELDS: Record<Command['mode'], Record<string, Field>> = {
  ok: {},
  slow: { delayMs: required(number(0, 3_600_000)), ...SCOPE },
  hang: SCOPE,
  'hang-after': SCOPE,
  status: {
    status: httpStatus,
    errorCode: number(0, 1_000_000),
    message: string,
    retryAfter: { be: 'seconds or an HTTP date', holds: (value) => Number.isFinite(value) || string.holds(value) },
    ...SCOPE,
  },
  reset: SCOPE,
  'reset-after': SCOPE,
  html: { status: httpStatus, ...SCOPE },
  truncated: { status: httpStatus, ...SCOPE },
  redirect: { location: required(string), status: number(300, 399), ...SCOPE },
  trickle: { everyMs: required(number(1, 3_600_000)), ...SCOPE },
  huge: { status: httpStatus, bytes: required(number(14, 1_073_741_824)), ...SCOPE },
  'echo-secret': SCOPE,
  gate: {
    register: required({ be: '"before" or "after"', holds: (value) => value === 'before' || value === 'after' }),
    ...SCOPE,
  },
  down: { seconds: required(number(1, 86_400)) },
};

function parseCommand(body: unknown): Command | { readonly problem: string } {
  if (!isRecord(body)) return { problem: 'body: must be a JSON object such as {"mode":"status","status":503}' };
  const { mode, ...rest } = body;
  const modes = Object.keys(FIELDS).join(', ');
  if (typeof mode !== 'string' || !Object.hasOwn(FIELDS, mode)) return { problem: `mode: must be one of ${modes}` };
  const fields = FIELDS[mode as Command['mode']];
  const names = Object.keys(fields).join(', ') || 'none';
  for (const name of Object.keys(rest))
    if (!Object.hasOwn(fields, name)) return { problem: `${name}: unknown; mode ${mode} takes: ${names}` };
  for (const [name, { required, be, holds }] of Object.entries(fields)) {
    if (rest[name] === undefined && !required) continue;
    if (!holds(rest[name])) return { problem: `${name}: must be ${be} (mode ${mode})` };
  }
  return body as unknown as Command;
}
