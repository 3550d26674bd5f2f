import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { PrismaService } from '../database/prisma.service.js';
import { problem } from '../http/problem.js';
import type { StateView } from './state.dto.js';
import { READ_STATE, type StateRow } from './state.sql.js';

/** Reads the current state of a restaurant's orders (R19), from indexes only. */
@Injectable()
export class StateService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** @throws 404 when there is no such restaurant */
  async read(restaurantId: string): Promise<StateView> {
    const [row] = await this.prisma.prepared<StateRow>(READ_STATE, [
      restaurantId,
      this.config.outbox.lateAlarmMs,
      this.config.saleLabelField,
    ]);
    if (!row) throw problem('NOT_FOUND', 'there is no such restaurant');
    const { now, timezone, dayClosesAt, day, from, to, oldestReceivedAt, nextTryAt, backAt, recovering } = row;
    return {
      restaurantId,
      now,
      timezone,
      dayClosesAt,
      today: { day, from, to, ...row.today },
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
    };
  }
}

function failingOf({ failingSince, lastFailure }: StateRow): StateView['waiting']['failing'] {
  return failingSince && lastFailure && { since: failingSince, ...lastFailure };
}
