import { setTimeout as delay } from 'node:timers/promises';
import type { PosEvent, PulledOrder } from '../../tools/simulator/open-delivery/wire.js';
import type { Random } from '../random.js';
import { type Answer, ask, type Door } from './client.js';
import { LEASE_MS } from './deployment.js';
import type { Callers } from './load.js';
import { PullingKitchen, type PullingRecord } from './pulling-kitchen.js';
import type { Credentials } from './sale.js';
import type { Statement } from './statements.js';

const PAUSE_MS = { least: 150, most: 350 };
/** Orders that a till reads, or speaks of, at the same time. */
const AT_ONCE = 10;
/** The share of polls, and of what is said of orders, whose answer is lost. */
const LOST_SHARE = 0.1;
/** The share of rounds after which a POS acknowledges nothing for up to two leases. */
const AWAY_SHARE = 0.004;
/** The share of orders that are confirmed, and of those that are refused, most of them after they were confirmed. */
const CONFIRMED_SHARE = 0.5;
const REFUSED_SHARE = 0.1;
/** A refusal comes up to this long after the order was taken, in ms. */
const REFUSED_WITHIN_MS = 3_000;
/** What becomes of the acknowledgements of a round; `well` is drawn more often. */
const ACKNOWLEDGEMENTS = [
  ...Array<'well'>(6).fill('well'),
  ...(['lost', 'twice', 'late', 'dropped', 'of another type', 'of another restaurant'] as const),
];

/** What a POS has to say of an order; it repeats the call until that is answered. */
interface Decision extends Pick<Statement, 'state' | 'text'> {
  readonly event: PosEvent;
  readonly from: number;
}

/** All POSs that pull: each has two tills, which share its kitchen and poll any of the instances. */
export class PullingPoses {
  readonly record: PullingRecord = { calls: [], offers: [], statements: [], answers: [] };
  /** how often each fault was met */
  readonly faults: Record<string, number> = {};
  readonly pace = { isCalm: false, isStopped: false };
  private readonly tills: readonly Till[];
  private running: Promise<unknown> = Promise.resolve();

  constructor({ doors, restaurants }: Callers, random: Random) {
    this.tills = restaurants.flatMap((restaurant, place) => {
      // every second POS names the event that it speaks of (Q23)
      const kitchen = new PullingKitchen(restaurant.codeStorePos, this.record, place % 2 === 1);
      return restaurant.tills.map(
        (credentials, number) =>
          new Till(this, kitchen, number, doors, credentials, random.of(`${restaurant.codeStorePos} ${number}`)),
      );
    });
  }

  start(): void {
    this.running = Promise.all(this.tills.map((till) => till.run()));
  }

  /** What the POSs have to say, and nobody has answered yet. */
  get unanswered(): number {
    return this.tills.reduce((sum, { decisions }) => sum + decisions.length, 0);
  }

  /** From now on no POS does anything wrong, nor refuses an order again. */
  calm(): void {
    this.pace.isCalm = true;
  }

  async stop(): Promise<void> {
    this.pace.isStopped = true;
    await this.running;
  }

  count(fault: string): void {
    this.faults[fault] = (this.faults[fault] ?? 0) + 1;
  }
}

class Till {
  private token: string | undefined;
  /** acknowledgements that are sent later, or again */
  private waiting: { readonly event: PosEvent; readonly from: number }[] = [];
  decisions: readonly Decision[] = [];
  private decided = 0;

  constructor(
    private readonly all: PullingPoses,
    private readonly kitchen: PullingKitchen,
    private readonly number: number,
    private readonly doors: readonly Door[],
    private readonly credentials: Credentials,
    private readonly random: Random,
  ) {}

  async run(): Promise<void> {
    while (!this.all.pace.isStopped) {
      await this.round();
      await delay(this.random.between(PAUSE_MS.least, PAUSE_MS.most));
    }
  }

  private async round(): Promise<void> {
    const polled = await this.poll();
    const fresh = polled.filter((event) => !this.kitchen.has(event));
    await Promise.all(fresh.filter((event) => !isToRead(event)).map((event) => this.handle(event)));
    const toRead = fresh.filter(isToRead);
    // the rest comes again: a till that read all of it first would lose its lease on a slow machine
    const until = performance.now() + LEASE_MS / 3;
    for (let i = 0; i < toRead.length && performance.now() < until; i += AT_ONCE)
      await Promise.all(toRead.slice(i, i + AT_ONCE).map((event) => this.handle(event)));
    const now = performance.now();
    if (this.meets(AWAY_SHARE, 'POS away')) this.kitchen.awayUntil = now + 2 * LEASE_MS * this.random.next();
    if (!this.all.pace.isCalm && now < this.kitchen.awayUntil) return;
    const due = this.waiting.filter(({ from }) => from <= now).map(({ event }) => event);
    this.waiting = this.waiting.filter(({ from }) => from > now);
    await this.acknowledge([...polled.filter((event) => this.kitchen.has(event)), ...due]);
    const toSay = this.decisions.filter(({ from }) => from <= now).slice(0, AT_ONCE);
    await Promise.all(toSay.map((decision) => this.say(decision)));
  }

  private async poll(): Promise<readonly PosEvent[]> {
    const at = Date.now();
    const { call, body } = await this.call('GET', '/v1/events:polling', '/v1/events:polling');
    const events = call.status === 200 ? (body as unknown as PosEvent[]) : [];
    this.kitchen.offered(events, at);
    return events.length > 0 && this.meets(LOST_SHARE, 'poll lost') ? [] : events;
  }

  private async handle(event: PosEvent): Promise<void> {
    const isCancel = event.eventType === 'CANCELLED';
    if (isCancel && !this.kitchen.isRefused(event)) return this.kitchen.cancel(event);
    if (!isCancel && event.eventType !== 'CREATED') return this.kitchen.note(event);
    const { call, body } = await this.call('GET', `/v1/orders/${event.orderId}`, '/v1/orders/:orderId');
    if (call.status !== 200) return;
    const order = body as unknown as PulledOrder & { readonly lastEvent: string };
    if (!isCancel) return this.kitchen.cook(event, order);
    // of an order that it has refused it may be its own refusal
    if (order.lastEvent === 'CANCELLED') this.kitchen.cancel(event);
    else this.kitchen.note(event);
  }

  private async acknowledge(events: readonly PosEvent[]): Promise<void> {
    if (events.length === 0) return;
    const how = this.all.pace.isCalm ? 'well' : this.random.pick(ACKNOWLEDGEMENTS);
    if (how !== 'well') this.all.count(`acknowledgement ${how}`);
    const later = (ms: number) => {
      this.waiting.push(...events.map((event) => ({ event, from: performance.now() + ms })));
    };
    if (how === 'dropped') return;
    // also after the lease, when somebody else may have got the event again
    if (how === 'late') return later(2 * LEASE_MS * this.random.next());
    if (how === 'twice') return void (await Promise.all([this.send(events), this.send(events)]));
    if (how === 'of another type') await this.send(events.map((event) => ({ ...event, eventType: 'CONFIRMED' })));
    if (how === 'of another restaurant') await this.send(this.ofAnother());
    const status = await this.send(events);
    if (status !== 202 || how === 'lost') return later(0);
    for (const event of events) if (event.eventType === 'CREATED') this.decide(event);
  }

  /** What it says of an order that it has taken. A refusal comes after the confirmation, or in place of it. */
  private decide(event: PosEvent): void {
    const now = performance.now();
    const add = (state: Decision['state'], from: number) => {
      const text = `${this.kitchen.store}-${this.number}-${++this.decided}`;
      this.decisions = [...this.decisions, { state, text, event, from }];
    };
    if (this.random.chance(CONFIRMED_SHARE)) add('ACCEPTED', now);
    // at the end each order is refused once at most, so that the run comes to its end
    const isFirst = event.eventId === event.orderId;
    if (this.random.chance(REFUSED_SHARE) && (isFirst || !this.all.pace.isCalm))
      add('REFUSED', now + REFUSED_WITHIN_MS * this.random.next());
  }

  private async say(decision: Decision): Promise<void> {
    const { event, state, text } = decision;
    const done = () => {
      this.decisions = this.decisions.filter((each) => each !== decision);
    };
    // it was offered again, or the other till has refused it: what was decided of it before does not count
    if (!this.kitchen.isLatest(event) || (state === 'ACCEPTED' && this.kitchen.hasRefused(event))) return done();
    if (state === 'REFUSED') this.kitchen.refuse(event);
    const [path, body] =
      state === 'ACCEPTED'
        ? ['confirm', { createdAt: new Date().toISOString(), orderExternalCode: text }]
        : ['requestCancellation', { reason: 'the kitchen is closed', code: text, mode: 'MANUAL' }];
    const { orderId, eventId } = event;
    const json = this.kitchen.namesEvents ? { ...body, eventId } : body;
    const { call } = await this.call('POST', `/v1/orders/${orderId}/${path}`, `/v1/orders/:orderId/${path}`, json);
    const { at, until, status, code } = call;
    this.all.record.statements.push({ at, until, store: this.kitchen.store, orderId, state, text, status, code });
    if ([202, 404, 422].includes(status ?? 0) && !this.meets(LOST_SHARE, 'statement repeated')) done();
  }

  /** Events that another POS was offered a moment ago. */
  private ofAnother(): PosEvent[] {
    const recent = this.all.record.offers.slice(-20).filter(({ store }) => store !== this.kitchen.store);
    return recent.map(({ eventId, eventType }) => ({ eventId, eventType, orderId: eventId }));
  }

  private async send(events: readonly PosEvent[]): Promise<number | null> {
    const list = events.slice(0, 100).map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType }));
    const path = '/v1/events/acknowledgment';
    return (await this.call('POST', path, path, list)).call.status;
  }

  /** @param named the path as the history has it */
  private async call(method: 'GET' | 'POST', path: string, named: string, json?: object): Promise<Answer> {
    if (this.token === undefined) {
      const refused = await this.signIn();
      if (this.token === undefined) return refused;
    }
    const body = json && { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } };
    const answer = await ask(this.random.pick(this.doors), path, this.token, { method, ...body });
    const { status, code } = answer.call;
    if (status === 401) this.token = undefined;
    this.all.record.answers.push({ who: 'POS that pulls', path: named, status, code });
    return answer;
  }

  private async signIn(): Promise<Answer> {
    const { clientId: client_id, clientSecret: client_secret } = this.credentials;
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
    const answer = await ask(this.random.pick(this.doors), '/oauth/token', '', { method: 'POST', body: form });
    this.token = answer.body.access_token;
    const { status, code } = answer.call;
    this.all.record.answers.push({ who: 'POS that pulls', path: '/oauth/token', status, code });
    return answer;
  }

  private meets(share: number, fault: string): boolean {
    if (this.all.pace.isCalm || !this.random.chance(share)) return false;
    this.all.count(fault);
    return true;
  }
}

/** Whether it is about an order; other events say what the POS has said itself. */
function isToRead({ eventType }: PosEvent): boolean {
  return eventType === 'CREATED' || eventType === 'CANCELLED';
}
