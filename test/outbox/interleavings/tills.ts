import type { PosEvent } from '../../../src/capabilities/open-delivery/pulled-orders.js';
import type { Job, State } from './database.js';
import { type Order, orderOfJob } from './orders.js';
import type { ModelPos } from './pos.js';

/** The tills of a POS that pulls, as the standard has them: what was handled is not handled again. */
export class Tills {
  /** what answers have brought, each once, the first first */
  readonly heard: PosEvent[] = [];
  /** what was offered against the rules */
  readonly wrong: string[] = [];
  private readonly cancelled = new Set<string>();
  private readonly sent = new Set<string>();
  /** the event by which the POS has each order, and the orders that it has refused since */
  private readonly events = new Map<string, string>();
  private readonly refused = new Set<string>();
  /** events of orders that the relay knows to be refused */
  readonly over = new Set<string>();
  /** refusals that nobody has answered: their codes */
  private readonly refusing = new Map<string, string>();
  /** what it has said -> the event that it was about */
  private readonly about = new Map<string, string>();

  constructor(
    private readonly pos: ModelPos,
    private readonly now: () => State,
  ) {}

  hear(events: readonly PosEvent[]): void {
    for (const event of events) if (!this.hasHeard(event.eventId)) this.handle(event);
  }

  hasHeard(event: string): boolean {
    return this.heard.some(({ eventId }) => eventId === event);
  }

  acknowledges(events: readonly Pick<PosEvent, 'eventId'>[]): void {
    for (const { eventId } of events) this.sent.add(eventId);
  }

  /** Whether an acknowledgement of this job was sent, so that it may arrive at any time. */
  hasAcknowledged(job: Job): boolean {
    return this.sent.has(eventIdOf(job, this.now()));
  }

  /** Orders of which the POS may say something: it has them. It waits for no answer, so that several calls are under way. */
  get toSpeakOf(): string[] {
    return [...this.events.keys()].filter((orderId) => !this.refused.has(orderId));
  }

  /** The event that something was said about. */
  isAbout(text: string): string | undefined {
    return this.about.get(text);
  }

  /** Orders whose refusal nobody has answered. */
  get unanswered(): string[] {
    return [...this.refusing.keys()];
  }

  /**
   * The POS says something of an order. It has its event: the first one is acknowledged by that, another one if it is named (Q23). A refusal without
   * an answer is repeated.
   * @returns its number, or its code, and the event that it is about
   */
  speaks(orderId: string, wanted: 'ACCEPTED' | 'REFUSED', isNamed: boolean) {
    const event = this.events.get(orderId) as string;
    if (isNamed || event === orderId) this.sent.add(event);
    const code = this.refusing.get(orderId);
    const state = code === undefined ? wanted : 'REFUSED';
    const text = code ?? `${state}-${this.about.size + 1}`;
    this.about.set(text, event);
    if (state === 'REFUSED') this.refusing.set(orderId, text);
    return { state, text, event } as const;
  }

  /** @param isRefused whether the POS has refused the order that this event offered; else nothing has changed, and it says something else */
  answered(orderId: string, event: string, isRefused: boolean): void {
    if (isRefused) this.over.add(event);
    // it has heard of another offer since
    if (this.events.get(orderId) !== event) return;
    this.refusing.delete(orderId);
    if (!isRefused) return;
    this.refused.add(orderId);
    const order = this.orderOf(orderId);
    if (order) this.pos.discard(order.posName);
  }

  private handle(event: PosEvent): void {
    this.heard.push(event);
    const { eventId, eventType, orderId } = event;
    const { said } = this.now();
    const posName = this.orderOf(orderId)?.posName;
    // what it has said itself
    if (posName === undefined || !['CREATED', 'CANCELLED'].includes(eventType) || said.some(({ id }) => id === eventId))
      return;
    if (eventType === 'CANCELLED') {
      this.cancelled.add(orderId);
      this.pos.cancel(posName);
    } else {
      if (this.events.has(orderId)) this.offeredAgain(event, posName);
      this.events.set(orderId, eventId);
      if (!this.cancelled.has(orderId)) this.pos.create(posName, eventId);
    }
  }

  private offeredAgain({ orderId, eventId }: PosEvent, posName: string): void {
    const refusal = this.now().said.find(({ offeredAs }) => offeredAs === eventId);
    if (refusal?.job !== orderId) this.wrong.push('Q16: an order has another event, and its POS has not refused it');
    this.refusing.delete(orderId);
    this.refused.delete(orderId);
    this.pos.discard(posName);
  }

  private orderOf(orderId: string): Order | undefined {
    const job = this.now().jobs.find(({ id }) => id === orderId);
    return job && orderOfJob(job);
  }
}

/** Id of the event that offers a job: the id of the job, or that of its last refusal (Q16). */
export function eventIdOf({ id, action }: Job, { said }: State): string {
  const refusals = action === 'CREATE' ? said.filter(({ job, state }) => job === id && state === 'REFUSED') : [];
  return refusals.toSorted((one, other) => one.offer - other.offer).at(-1)?.offeredAs ?? id;
}

/** The event of a job, as an acknowledgement names it. */
export function eventOfJob(job: Job, { jobs }: State) {
  const create = jobs.find(
    ({ key, restaurant, action }) => action === 'CREATE' && key === job.key && restaurant === job.restaurant,
  );
  return { id: job.id, orderId: create?.id ?? job.id, eventType: job.action === 'CREATE' ? 'CREATED' : 'CANCELLED' };
}
