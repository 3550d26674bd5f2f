import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Behaviour, reset, send, type Treatment, treat } from './behaviour.js';
import { control } from './control.js';
import { Kitchen, type KitchenOrder } from './kitchen.js';
import { BODY_LIMIT_BYTES, parseJson, readBody } from './request-body.js';
import { type RecordedRequest, RequestLog } from './request-log.js';
import type { PosSimulatorOptions } from './settings.js';
import { TokenDesk } from './token-desk.js';
import { Watchers } from './watchers.js';
import {
  ERROR,
  isRecord,
  LOOKUP,
  lookedUpOrder,
  type PosCancel,
  type PosOrder,
  type PosPath,
  posPathOf,
  type Reply,
  refusal,
} from './wire.js';

export type { PosSimulatorOptions };

const DEFAULT_PATHS: readonly PosPath[] = ['/order', '/cancel-order'];

/** The order interface of a POS over HTTP, with its rules and, on request, failures. */
export class PosSimulator {
  authCalls = 0;
  orderCalls = 0;
  cancelCalls = 0;
  lookupCalls = 0;

  private readonly options: PosSimulatorOptions;
  private readonly now: () => Date;
  private readonly desk: TokenDesk;
  private readonly kitchen: Kitchen;
  private readonly server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    void this.serve(request, response);
  });
  private readonly watchers = new Watchers();
  private readonly log: RequestLog;
  private address = { host: '127.0.0.1', port: 0 };
  private current: Behaviour = { mode: 'ok' };
  private held: (() => void)[] = [];
  private comeBack?: NodeJS.Timeout;
  private closed: Promise<unknown> = Promise.resolve();

  constructor(options: PosSimulatorOptions = {}) {
    this.options = options;
    this.now = options.now ?? (() => new Date());
    this.log = new RequestLog(this.now);
    this.desk = new TokenDesk({
      partners: options.partners ?? { 'demo-partner': 'demo-secret' },
      tokenPrefix: options.tokenPrefix ?? '',
      ttlSeconds: options.tokenTtlSeconds ?? 3_000,
      singleSession: options.singleSession ?? false,
      now: this.now,
    });
    const { stores, products } = options;
    this.kitchen = new Kitchen({ stores, products, refuseDuplicates: true }, this.now);
  }

  /** Accepted orders by `order_id`; the first one where several stores have the same id. */
  get orders(): ReadonlyMap<string, KitchenOrder> {
    return this.kitchen.orders;
  }

  /** Enters a product, as staff do in the catalogue of the POS. */
  addProduct(code: string): void {
    this.kitchen.addProduct(code);
  }

  /** @returns the order that this store accepted; undefined when there is none */
  orderOf(store: string, orderId: string): KitchenOrder | undefined {
    return this.kitchen.find(store, orderId);
  }

  /** The last 10,000 calls, oldest first. */
  get requests(): RecordedRequest[] {
    return this.log.requests;
  }

  /** The base URL, valid once `listen` has resolved. */
  get url(): string {
    const { host, port } = this.address;
    return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
  }

  /** The current behaviour, with the remaining `times`. */
  get behaviour(): Behaviour {
    return this.current;
  }

  /** False while connections are refused. */
  get isUp(): boolean {
    return this.server.listening;
  }

  /** The number of calls that the gate holds. */
  get waiting(): number {
    return this.held.length;
  }

  /** Listens, on any free port by default, and resolves to the base URL. */
  async listen(port = 0, host = '127.0.0.1'): Promise<string> {
    this.server.listen(port, host);
    await once(this.server, 'listening');
    this.address = { host, port: (this.server.address() as AddressInfo).port };
    this.watchers.changed();
    return this.url;
  }

  /** Stops; open connections are destroyed. */
  async close(): Promise<void> {
    await this.down();
  }

  /** Refuses connections and destroys the open ones. Calls that the gate holds are lost, accepted orders are kept. */
  async down(): Promise<void> {
    clearTimeout(this.comeBack);
    this.held = [];
    if (this.server.listening) {
      this.closed = once(this.server, 'close');
      this.server.close();
      this.server.closeAllConnections();
    }
    await this.closed;
    this.watchers.changed();
  }

  /** Listens again, on the same port. */
  async up(): Promise<void> {
    clearTimeout(this.comeBack);
    await this.closed;
    if (!this.server.listening) await this.listen(this.address.port, this.address.host);
  }

  /** Sets the behaviour for the next calls; `{mode: 'ok'}` ends it. The gate keeps the calls that it holds. */
  behave(behaviour: Behaviour): void {
    this.current = { ...behaviour };
  }

  /** Releases the calls that the gate holds now; later calls are held while the behaviour is set. */
  release(): void {
    const held = this.held;
    this.held = [];
    for (const go of held) go();
    this.watchers.changed();
  }

  /** Makes all tokens invalid: they are refused with 902. */
  revokeTokens(): void {
    this.desk.revoke();
  }

  /**
   * Resolves once `predicate` holds; it is checked after every call, answer, broken connection, `up` and `down`.
   * Rejects after `timeoutMs` milliseconds, naming the predicate.
   */
  when(predicate: () => boolean, timeoutMs = 30_000): Promise<void> {
    return this.watchers.when(predicate, timeoutMs);
  }

  /** Refuses connections for this time, then listens again. */
  async downFor(seconds: number): Promise<void> {
    await this.down();
    this.upIn(seconds * 1_000);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('close', () => this.watchers.changed());
    try {
      await this.route(request, response, request.url?.split('?', 1)[0] ?? '');
    } catch (error) {
      // not an error of the simulator when the caller disconnected while sending
      if (!request.readableAborted) send(response, refusal(500, 500, `simulator: ${error}`));
    }
    this.watchers.changed();
  }

  private async route(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    if (this.options.control && path.startsWith('/simulator/')) return control(this, request, response);
    const posPath = posPathOf(path);
    if (!posPath) return send(response, refusal(404, 404, `${path}: no such path`));
    const method = posPath === LOOKUP ? 'GET' : 'POST';
    if (request.method !== method) return send(response, refusal(405, 405, `${path}: ${method} only`));
    this.countCall(posPath);
    if (this.current.mode === 'reset' && !this.current.stores && this.takeBehaviour(posPath, undefined)) {
      this.log.record(request, path, undefined);
      return reset(response);
    }
    const text = await readBody(request);
    if (text === undefined) {
      this.log.record(request, path, undefined);
      return send(response, refusal(413, ERROR.TOO_LARGE, `body: must be at most ${BODY_LIMIT_BYTES} bytes`));
    }
    const json = posPath === LOOKUP ? lookedUpOrder(request.url as string) : parseJson(text);
    this.log.record(request, path, posPath === LOOKUP ? undefined : (json ?? (text || undefined)));
    if (posPath === '/order') this.kitchen.count(json);
    const { headers } = request;
    const body = posPath === LOOKUP || headers['content-type']?.startsWith('application/json') ? json : undefined;
    const treatment = this.takeBehaviour(posPath, json) ?? { mode: 'ok' };
    treat(treatment, {
      headers,
      response,
      carryOut: () => this.carryOut(posPath, headers, body),
      hold: (go) => this.held.push(go),
    });
  }

  private countCall(path: PosPath): void {
    if (path === '/auth') this.authCalls += 1;
    else if (path === '/order') this.orderCalls += 1;
    else if (path === LOOKUP) this.lookupCalls += 1;
    else this.cancelCalls += 1;
  }

  /** The behaviour for this call, counted against `times`; undefined when it applies to other calls. */
  private takeBehaviour(path: PosPath, body: unknown): Treatment | undefined {
    const behaviour = this.current;
    const { mode, times, paths = mode === 'in-progress' ? [LOOKUP] : DEFAULT_PATHS, stores } = behaviour;
    if (times === 0 || !paths.includes(path)) return undefined;
    if (stores && !(isRecord(body) && stores.includes(String(body.cod_store)))) return undefined;
    if (times !== undefined) this.current = times > 1 ? { ...behaviour, times: times - 1 } : { mode: 'ok' };
    return behaviour;
  }

  private carryOut(path: PosPath, headers: IncomingHttpHeaders, body: unknown): Reply {
    const reply = this.replyTo(path, headers, body);
    if (reply.status >= 300) this.options.onRefusal?.(path, reply);
    else if (path === '/order' || path === '/cancel-order') this.announce(path, body as PosOrder);
    return reply;
  }

  private replyTo(path: PosPath, headers: IncomingHttpHeaders, body: unknown): Reply {
    if (path === '/auth') return this.desk.signIn(headers);
    const refused = this.desk.check(headers);
    if (refused) return refused;
    if (path === LOOKUP) return this.kitchen.lookUp(body as Partial<PosCancel>);
    return path === '/order' ? this.kitchen.accept(body) : this.kitchen.cancel(body);
  }

  private announce(path: '/order' | '/cancel-order', { cod_store, order_id }: PosOrder): void {
    const info = this.kitchen.find(cod_store, order_id);
    if (info) (path === '/order' ? this.options.onOrder : this.options.onCancel)?.(info.order, info);
  }

  private upIn(ms: number): void {
    // another process may have taken the port: try again until it is free
    this.comeBack = setTimeout(() => this.up().catch(() => this.upIn(1_000)), ms);
  }
}
