import type { PullingFault, PullingOptions } from './options.js';
import { type Answer, OpenDeliveryClient, type PosEvent, type PulledOrder, SignInRefused, wrongSum } from './wire.js';

/** An order that this POS has printed. */
export interface PrintedOrder {
  readonly order: PulledOrder;
  /** what the POS calls it */
  readonly code: string;
  cancelled: boolean;
}

export interface PullingWitness {
  readonly onOrder?: (order: PulledOrder) => void;
  readonly onCancel?: (orderId: string, printed: PrintedOrder | undefined) => void;
  /** a line for people: what else happened */
  readonly onNote?: (line: string) => void;
}

type Settings = Pick<PullingOptions, 'relay' | 'clientId' | 'clientSecret' | 'fault' | 'times' | 'late' | 'listen'>;

/** A POS that fetches its orders, in memory: it polls, reads, prints, acknowledges and confirms, and discards events that it has handled. */
export class PullingSimulator {
  /** printed orders by order id */
  readonly printed = new Map<string, PrintedOrder>();
  /** how often events came that were handled already */
  repeated = 0;
  acknowledged = 0;

  private readonly client: OpenDeliveryClient;
  private readonly handled = new Set<string>();
  /** events that the relay has sent, until their orders are read; they are not acknowledged */
  private readonly received = new Map<string, PosEvent>();
  /** events to acknowledge, with the time in ms from which on */
  private readonly waiting = new Map<string, { readonly event: PosEvent; readonly from: number }>();
  /** orders to confirm, or to refuse, when their event is acknowledged: both would acknowledge it too */
  private readonly unanswered = new Map<string, 'confirm' | 'refuse'>();
  /** orders of acknowledged events, and of those that the relay has sent */
  private readonly settled = new Set<string>();
  private faultsLeft: number;

  constructor(
    private readonly settings: Settings,
    private readonly witness: PullingWitness = {},
    private readonly now: () => number = Date.now,
  ) {
    this.client = new OpenDeliveryClient(settings);
    this.faultsLeft = settings.times;
  }

  /** Keeps an event that the relay has sent. The next step reads its order. */
  receive(event: PosEvent): void {
    this.received.set(event.eventId, event);
  }

  /** One poll, or the events that were sent, and what follows from them. What fails is tried again by the next one. @throws SignInRefused */
  async step(): Promise<void> {
    try {
      for (const [id, event] of this.received)
        if (await this.handle(event)) {
          this.received.delete(id);
          this.settled.add(event.orderId);
        }
      if (this.settings.listen === undefined) await this.fetch();
      await this.answerOrders();
    } catch (error) {
      if (error instanceof SignInRefused) throw error;
      this.witness.onNote?.(`no answer: ${(error as Error).message}`);
    }
  }

  private async fetch(): Promise<void> {
    for (const event of await this.poll()) {
      if (!(await this.handle(event)) || this.waiting.has(event.eventId) || this.meets('never')) continue;
      this.waiting.set(event.eventId, { event, from: this.now() + (this.meets('late') ? this.settings.late : 0) });
    }
    await this.acknowledge();
  }

  private async poll(): Promise<readonly PosEvent[]> {
    const answer = await this.client.poll();
    if (answer.status === 204 || this.meets('lost-polls')) return [];
    return answer.status === 200 ? (answer.body as PosEvent[]) : this.note('poll', answer, []);
  }

  /** @returns false: its order could not be read, and it is left for a later step */
  private async handle({ eventId, eventType, orderId }: PosEvent): Promise<boolean> {
    if (this.handled.has(eventId)) this.repeated += 1;
    else if (eventType === 'CREATED' && !(await this.take(orderId))) return false;
    else if (eventType === 'CANCELLED') this.cancel(orderId);
    this.handled.add(eventId);
    return true;
  }

  /** Reads and prints an order. @returns false: it could not be read, and its event is left for a later poll */
  private async take(orderId: string): Promise<boolean> {
    const answer = await this.client.read(orderId);
    if (answer.status !== 200) return this.note(`order ${orderId}`, answer, false);
    const order = answer.body as PulledOrder;
    const wrong = wrongSum(order);
    if (wrong) this.witness.onNote?.(`order ${orderId}: ${wrong}`);
    this.printed.set(orderId, { order, code: String(this.printed.size + 1), cancelled: false });
    this.unanswered.set(orderId, wrong || this.meets('refuse') ? 'refuse' : 'confirm');
    this.witness.onOrder?.(order);
    return true;
  }

  private cancel(orderId: string): void {
    const printed = this.printed.get(orderId);
    if (printed) printed.cancelled = true;
    this.unanswered.delete(orderId);
    this.witness.onCancel?.(orderId, printed);
  }

  private async acknowledge(): Promise<void> {
    const due = [...this.waiting.values()].filter(({ from }) => from <= this.now()).map(({ event }) => event);
    if (due.length === 0) return;
    const answer = await this.client.acknowledge(due);
    if (this.meets('twice')) await this.client.acknowledge(due);
    if (this.meets('lost-acknowledgements')) return;
    if (answer.status !== 202) return this.note('acknowledgement', answer, undefined);
    this.acknowledged += due.length;
    for (const { eventId, orderId } of due) {
      this.waiting.delete(eventId);
      this.settled.add(orderId);
    }
  }

  private async answerOrders(): Promise<void> {
    for (const [orderId, how] of this.unanswered) {
      if (!this.settled.has(orderId)) continue;
      const { order, code } = this.printed.get(orderId) as PrintedOrder;
      const answer = await (how === 'confirm' ? this.client.confirm(orderId, code) : this.client.refuse(order));
      // 422: it was handled before, and that answer was lost; 404: there is nothing to answer any more
      if (![202, 422].includes(answer.status)) this.note(`${how} ${orderId}`, answer, undefined);
      if ([202, 404, 422].includes(answer.status)) this.unanswered.delete(orderId);
    }
  }

  private meets(fault: PullingFault): boolean {
    if (this.settings.fault !== fault || this.faultsLeft <= 0) return false;
    this.faultsLeft -= 1;
    return true;
  }

  private note<Result>(what: string, { status, body }: Answer, result: Result): Result {
    this.witness.onNote?.(`${what}: ${status} ${JSON.stringify(body)}`);
    return result;
  }
}
