import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Revocations } from '../../auth/revocations.js';
import { OrdersService } from '../../orders/orders.service.js';
import { reasonOf } from '../../platform/database/errors.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Pace } from '../../platform/schedule/pace.js';
import { PacedRound } from '../../platform/schedule/paced-round.js';
import { Log } from '../../platform/telemetry/log.js';
import { StateService } from '../../restaurants/reports/state.service.js';
import { type Entitlement, notEntitled } from './entitled.js';

/** How often the state of each viewed restaurant is read, in ms. */
const READ_MS = 2_000;
/** The orders that are sent with the state: the first page of the console's list. */
const ORDERS = 25;
/** The most streams of an instance, of a restaurant, and of a user (L23). */
const MOST_STREAMS = 200;
const MOST_STREAMS_OF_RESTAURANT = 50;
const MOST_STREAMS_OF_USER = 10;

/** A stream of one page. */
export interface Viewer extends Entitlement {
  /** called with the JSON of each new state */
  readonly send: (json: string) => void;
  /** called when the state cannot be read, or the stream has to end */
  readonly end: () => void;
}

interface Viewed {
  readonly viewers: Set<Viewer>;
  /** the last JSON, without the time; undefined: not read yet */
  content: string | undefined;
  json: string | undefined;
  /** the read that is under way: who joins meanwhile shares it */
  reading: Promise<void> | undefined;
}

/**
 * Reads the state of each restaurant that somebody views, once for all viewers, and sends it to them when it has changed (N18). While the
 * process is busy (N9), it reads as rarely as pages may poll then.
 */
@Injectable()
export class LiveStates implements OnModuleDestroy {
  private readonly viewed = new Map<string, Viewed>();
  private streams = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly round: PacedRound;
  /** the check of viewers that is under way, and whether something has ended since it began */
  private checking: Promise<void> | undefined;
  private checksAgain = false;

  constructor(
    private readonly states: StateService,
    private readonly orders: OrdersService,
    private readonly prisma: PrismaService,
    revocations: Revocations,
    pace: Pace,
    private readonly log: Log,
  ) {
    revocations.listen(() => void this.endForeign());
    this.round = new PacedRound(pace, () => this.readAll());
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    for (const { viewers } of this.viewed.values()) for (const { end } of viewers) end();
  }

  /** @returns a function that removes the viewer; undefined: there are too many streams */
  add(viewer: Viewer): (() => void) | undefined {
    if (this.streamsOf(viewer.userId) >= MOST_STREAMS_OF_USER || !this.hasRoomFor(viewer.restaurantId))
      return undefined;
    this.streams++;
    const viewed: Viewed = this.viewed.get(viewer.restaurantId) ?? {
      viewers: new Set(),
      content: undefined,
      json: undefined,
      reading: undefined,
    };
    this.viewed.set(viewer.restaurantId, viewed);
    viewed.viewers.add(viewer);
    if (viewed.json !== undefined) viewer.send(viewed.json);
    this.timer ??= setInterval(() => void this.tick(), READ_MS);
    if (viewed.json === undefined) void this.read(viewer.restaurantId, viewed);
    return () => this.remove(viewer, viewed);
  }

  private remove(viewer: Viewer, viewed: Viewed): void {
    if (!viewed.viewers.delete(viewer)) return;
    this.streams--;
    if (viewed.viewers.size > 0) return;
    this.viewed.delete(viewer.restaurantId);
    if (this.viewed.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }

  /**
   * Whether the restaurant may have one more stream. When the instance is full, the restaurant with most streams gives its oldest to one
   * with fewer (N32): no tenant takes all, by however many accounts.
   */
  private hasRoomFor(restaurantId: string): boolean {
    const own = this.viewed.get(restaurantId)?.viewers.size ?? 0;
    if (own >= MOST_STREAMS_OF_RESTAURANT) return false;
    if (this.streams < MOST_STREAMS) return true;
    const [most] = [...this.viewed.values()].sort((one, other) => other.viewers.size - one.viewers.size);
    if (!most || most.viewers.size <= own) return false;
    const [oldest] = most.viewers as unknown as [Viewer];
    this.remove(oldest, most);
    oldest.end();
    return true;
  }

  private async tick(): Promise<void> {
    await this.endForeign();
    await this.round.next();
  }

  /** Ends the streams of viewers whose link, session or token has ended (N31), by one read at a time, however often it is called. */
  private endForeign(): Promise<void> {
    if (this.checking) this.checksAgain = true;
    this.checking ??= this.endForeignNow().finally(() => {
      this.checking = undefined;
      if (!this.checksAgain) return;
      this.checksAgain = false;
      void this.endForeign();
    });
    return this.checking;
  }

  /** Never rejects: a round that fails to read ends streams. */
  private async endForeignNow(): Promise<void> {
    const viewers = [...this.viewed.values()].flatMap((viewed) => [...viewed.viewers]);
    if (viewers.length === 0) return;
    try {
      for (const { end } of await notEntitled(this.prisma, viewers)) end();
    } catch (error) {
      this.log.warn({ event: 'live.not_checked', error: reasonOf(error) });
    }
  }

  private streamsOf(userId: string): number {
    let count = 0;
    for (const { viewers } of this.viewed.values()) for (const viewer of viewers) if (viewer.userId === userId) count++;
    return count;
  }

  /**
   * One restaurant after the other: the reads of pages never take more than one connection. A restaurant that rests (L160) is read after its rest,
   * and the others do not wait for it.
   */
  private async readAll(): Promise<void> {
    for (const [restaurantId, viewed] of [...this.viewed]) {
      const rests = this.states.isResting(restaurantId);
      const reading = this.read(restaurantId, viewed);
      if (!rests) await reading;
    }
  }

  private read(restaurantId: string, viewed: Viewed): Promise<void> {
    viewed.reading ??= this.readNow(restaurantId, viewed).finally(() => {
      viewed.reading = undefined;
    });
    return viewed.reading;
  }

  /** Never rejects: the viewers of a state that cannot be read are sent away, and read it themselves. */
  private async readNow(restaurantId: string, viewed: Viewed): Promise<void> {
    try {
      const { now, ...state } = await this.states.read(restaurantId);
      const content = JSON.stringify(state);
      if (content === viewed.content) return;
      const query = { limit: ORDERS, action: 'CREATE', sort: '-receivedAt', from: state.today.from } as const;
      const orders = await this.orders.list(restaurantId, query);
      viewed.content = content;
      viewed.json = JSON.stringify({ state: { ...state, now }, orders });
      for (const { send } of [...viewed.viewers]) send(viewed.json);
    } catch (error) {
      this.log.warn({ event: 'live.unread', restaurantId, error: reasonOf(error) });
      for (const { end } of [...viewed.viewers]) end();
    }
  }
}
