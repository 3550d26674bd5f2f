import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../random.js';
import { type Door, post } from './client.js';
import { type ClientCall, type ClientOrder, isAccepted } from './history.js';
import { type Restaurant, type Sale, saleOf } from './sale.js';

const CANCEL_SHARE = 0.06;
/** Two requests of one key at once, as a terminal with a nervous finger sends them. */
const TWICE_SHARE = 0.02;
/** Unanswered sales above which no new one is sent. */
const MOST_OPEN = 150;
/** The pause before sending again grows with each try, up to this many times the first one. */
const LONGEST_PAUSE = 5;

/** What terminals and staff need to call the relay. */
export interface Callers {
  /** where they call it: any of these */
  readonly doors: readonly Door[];
  readonly restaurants: readonly Restaurant[];
  /** TERMINAL_BEARER_TOKEN */
  readonly terminalToken: string;
  /** of an OWNER of all the restaurants */
  readonly jwt: string;
}

/**
 * Terminals that send sales to all instances, and staff who cancel some. After no answer, or a 5xx, the same is sent again,
 * to any instance, until the relay says that it has it.
 */
export class Load {
  readonly orders: ClientOrder[] = [];
  private open = 0;
  private stopped = false;
  private readonly flows = new Set<Promise<void>>();

  constructor(
    private readonly callers: Callers,
    private readonly random: Random,
  ) {}

  /** Sales whose terminal knows that the relay has them. */
  get accepted(): number {
    return this.orders.filter(({ posts }) => posts.some(isAccepted)).length;
  }

  /**
   * Sends `count` sales, evenly over `overMs`, and more at the same pace while `goesOn`. Resolves when each, and each cancel, is
   * answered, or after {@link stop}.
   */
  async send(count: number, overMs: number, goesOn: () => boolean = () => false): Promise<void> {
    const startedAt = performance.now();
    for (let number = 1; (number <= count || goesOn()) && !this.stopped; number++) {
      const dueAt = startedAt + (overMs * number) / count;
      await delay(Math.max(0, dueAt - performance.now()));
      while (this.open >= MOST_OPEN && !this.stopped) await delay(50);
      const flow = this.serveGuest(number, this.random.of(`sale ${number}`)).finally(() => this.flows.delete(flow));
      this.flows.add(flow);
    }
    await Promise.all(this.flows);
  }

  /** Nothing more is sent, nor sent again. */
  stop(): void {
    this.stopped = true;
  }

  private async serveGuest(number: number, random: Random): Promise<void> {
    const sale = saleOf(number, random.pick(this.callers.restaurants), random);
    const { key, testMode, content } = sale;
    const order = { key, testMode, content, store: sale.restaurant.codeStorePos, posts: [], cancels: [] };
    this.orders.push(order);
    this.open += 1;
    const terminals = random.chance(TWICE_SHARE) ? 2 : 1;
    await Promise.all(Array.from({ length: terminals }, () => this.pay(sale, order, random)));
    this.open -= 1;
    // in test mode the stored key is not the terminal's to know
    if (!testMode && random.chance(CANCEL_SHARE)) await this.cancel(sale, order, random);
  }

  private pay({ body }: Sale, { posts }: ClientOrder, random: Random): Promise<void> {
    const send = () => post(random.pick(this.callers.doors), '/webhooks/terminal', this.callers.terminalToken, body);
    return this.untilAnswered(send, posts, random);
  }

  private async cancel({ key, restaurant }: Sale, { cancels }: ClientOrder, random: Random): Promise<void> {
    await delay(random.pick([0, 20, 200, 2_000, 8_000]) * random.next());
    const path = `/restaurants/${restaurant.id}/orders/${key}/cancel`;
    const send = () => post(random.pick(this.callers.doors), path, this.callers.jwt, undefined);
    return this.untilAnswered(send, cancels, random);
  }

  private async untilAnswered(send: () => Promise<ClientCall>, calls: ClientCall[], random: Random): Promise<void> {
    for (let tries = 1; !this.stopped; tries++) {
      const call = await send();
      calls.push(call);
      if (call.status !== null && call.status < 500) return;
      await delay(random.between(100, 500) * Math.min(tries, LONGEST_PAUSE));
    }
  }
}
