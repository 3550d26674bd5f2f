import type { Document } from '../../tools/contract.js';
import { Random } from '../random.js';
import { Connection, type Exchange } from './connection.js';
import { Judge } from './judge.js';
import { type Route, routesOf } from './operations.js';
import { type FuzzRequest, requestOf } from './requests.js';
import type { Tenants } from './tenants.js';
import type { World } from './world.js';

/** A limit that was broken, and the request that broke it. */
export interface Violation {
  /** number of the request within its seed */
  readonly n: number;
  readonly text: string;
  readonly request: FuzzRequest;
}

/** A request that was sent. */
export interface Sent {
  readonly n: number;
  readonly request: FuzzRequest;
  /** sends it once more, and judges nothing */
  readonly again: () => Promise<unknown>;
}

/** Requests after which the tenants' accounts are checked. */
const LOOK_EVERY = 250;
/** Requests sent at once: each costs no more than all of them. */
const AT_ONCE = 4;
/** The campaign ends after this many. */
const MAX_VIOLATIONS = 30;

/** Sends the requests of a seed, a few at a time, and judges every answer. */
export class Campaign {
  readonly violations: Violation[] = [];
  /** answers by their status; 0: closed without one */
  readonly statuses = new Map<number, number>();
  readonly judge: Judge;
  /** how often new tenants were made */
  renewals = 0;
  private readonly connections: readonly Connection[];
  private readonly routes: readonly Route[];
  private world: World | undefined;

  /** @param url of the relay @param document its OpenAPI document, as it serves it */
  constructor(
    url: string,
    private readonly document: Document,
    private readonly tenants: Tenants,
  ) {
    this.judge = new Judge(document);
    this.connections = Array.from({ length: AT_ONCE }, () => new Connection(url));
    this.routes = routesOf(document);
  }

  /**
   * Sends the requests `from` to below `to` of the seed.
   * @param sentSome called after each few
   * @returns early when there are too many violations
   */
  async run(
    seed: number,
    from: number,
    to: number,
    sentSome: (sent: Sent[]) => Promise<void> = async () => {},
  ): Promise<void> {
    let looked = Number.NEGATIVE_INFINITY;
    for (let n = from; n < to && this.violations.length < MAX_VIOLATIONS; ) {
      if (n >= looked + LOOK_EVERY) {
        await this.lookAfterTenants();
        looked = n;
      }
      const requests = this.nextFew(seed, n, Math.min(to, n + AT_ONCE));
      const exchanges = await Promise.all(requests.map((request, lane) => this.send(request, lane)));
      const sent = requests.map((request, index): Sent => {
        return { n: n + index, request, again: () => this.send(request, 0) };
      });
      for (const [index, exchange] of exchanges.entries())
        this.judgeOne(n + index, requests[index] as FuzzRequest, exchange);
      await sentSome(sent);
      n += requests.length;
    }
    for (const connection of this.connections) connection.close();
  }

  report(n: number, text: string, request: FuzzRequest): void {
    this.violations.push({ n, text, request });
  }

  private request(seed: number, n: number): FuzzRequest {
    const random = new Random(`${seed}/${n}`);
    const world = this.world as World;
    const own = random.pick(world.tenants);
    const other = world.tenants.find((tenant) => tenant !== own) ?? own;
    return requestOf({ document: this.document, world, random, own, other }, this.routes, n);
  }

  /** One that checks a password goes alone: what it costs says nothing of the others. */
  private nextFew(seed: number, from: number, to: number): FuzzRequest[] {
    const requests: FuzzRequest[] = [];
    for (let n = from; n < to; n++) {
      const request = this.request(seed, n);
      if (request.checksPassword && requests.length > 0) break;
      requests.push(request);
      if (request.checksPassword) break;
    }
    return requests;
  }

  private judgeOne(n: number, request: FuzzRequest, exchange: Exchange): void {
    for (const text of this.judge.violations(request, exchange)) this.report(n, text, request);
    const { answers } = exchange;
    for (const status of answers.length > 0 ? answers.map((answer) => answer.status) : [0])
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  private send({ bytes, method, isBroken }: FuzzRequest, lane: number): Promise<Exchange> {
    const connection = this.connections[lane] as Connection;
    return isBroken ? connection.sendAlone(bytes) : connection.send(bytes, method === 'HEAD');
  }

  /** Requests may delete a restaurant, hand it on, or change a password: then there are new ones. */
  private async lookAfterTenants(): Promise<void> {
    if (this.world && (await this.tenants.stand(this.world))) return;
    this.world = await this.tenants.renew();
    this.judge.know(this.world);
    this.renewals++;
  }
}
