import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { moneyOf } from './money.js';
import { needsOf } from './needs.js';
import type { StateView } from './state.dto.js';
import { READ_STATE, type StateRow } from './state.sql.js';

/** From here on a read is slow; the longest rest after it: ms (L160). */
const SLOW_MS = 200;
const LONGEST_REST_MS = 4_000;

/** Reads the current state of a restaurant's orders (R19), from indexes only. */
@Injectable()
export class StateService {
  /** restaurants whose read was slow: when their rest ends, and the read that begins then */
  private readonly resting = new Map<string, { readonly over: Promise<void>; next?: Promise<StateView> }>();

  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * On the embedded database, whose one thread stores the sales too, a restaurant whose read was slow rests four times as long (L160). Requests
   * that arrive during the rest share the next read.
   * @throws 404 when there is no such restaurant
   */
  read(restaurantId: string): Promise<StateView> {
    const rest = this.resting.get(restaurantId);
    if (!rest) return this.begin(restaurantId);
    rest.next ??= rest.over.then(() => this.begin(restaurantId));
    return rest.next;
  }

  /** Whether the next read of this restaurant begins after a rest. */
  isResting(restaurantId: string): boolean {
    return this.resting.has(restaurantId);
  }

  private async begin(restaurantId: string): Promise<StateView> {
    const beganAt = performance.now();
    try {
      return await this.readNow(restaurantId);
    } finally {
      const tookMs = performance.now() - beganAt;
      if (this.config.databaseUrl === undefined && tookMs >= SLOW_MS) this.rest(restaurantId, 4 * tookMs);
    }
  }

  private rest(restaurantId: string, ms: number): void {
    // of reads that began together, the first one that ends
    if (this.resting.has(restaurantId)) return;
    const over = new Promise<void>((resolve) => {
      const end = () => {
        this.resting.delete(restaurantId);
        resolve();
      };
      setTimeout(end, Math.min(ms, LONGEST_REST_MS)).unref();
    });
    this.resting.set(restaurantId, { over });
  }

  private async readNow(restaurantId: string): Promise<StateView> {
    const [row] = await this.prisma.prepared<StateRow>(READ_STATE, [
      restaurantId,
      this.config.outbox.lateAlarmMs,
      this.config.saleLabelField,
    ]);
    if (!row) throw problem('NOT_FOUND', 'there is no such restaurant');
    const {
      now,
      timezone,
      dayClosesAt,
      day,
      from,
      to,
      oldestReceivedAt,
      nextTryAt,
      backAt,
      recovering,
      pause,
      resumingUntil,
    } = row;
    return {
      restaurantId,
      now,
      timezone,
      dayClosesAt,
      today: { day, from, to, ...row.today, ...moneyOf(row.money) },
      pause,
      resumingUntil,
      waiting: {
        ...row.waiting,
        oldestReceivedAt,
        nextTryAt,
        failing: failingOf(row),
        recovery: backAt && recovering > 0 ? { at: backAt, orders: recovering } : null,
      },
      parked: {
        ...row.parked,
        causes: row.causes.map(({ newestAtMs, ...cause }) => ({ ...cause, newestAt: new Date(newestAtMs) })),
      },
      refusedSales: row.refused,
      needs: needsOf(row),
      refusedKeys: row.refusedKeys,
    };
  }
}

function failingOf({ failingSince, lastFailure }: StateRow): StateView['waiting']['failing'] {
  return failingSince && lastFailure && { since: failingSince, ...lastFailure };
}
