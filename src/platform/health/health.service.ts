import { Injectable } from '@nestjs/common';
import { Worker } from '../../outbox/worker.js';
import { within } from '../database/deadline.js';
import { PrismaService } from '../database/prisma.service.js';
import type { NotStorable } from '../database/storable.js';

/** How long a check waits for the database, in ms. */
const WAIT_MS = 1_000;
/** How long a sale may wait for the database, in ms (W25): so long is an instance ready whose last check was good. */
const STORE_LIMIT_MS = 5_000;

/** What a reason says to people. */
const REASONS: Readonly<Record<NotStorable, string>> = {
  unreachable: 'the database cannot be reached',
  'too slow': 'the database does not answer in time',
  'read-only': 'the database is read-only',
  'disk full': 'the disk of the database is full',
  locked: 'a lock in the database keeps sales waiting',
  'not permitted': 'the database refuses the privilege to insert sales',
  'not migrated': 'the database lacks a table',
};

/** Checks the database and the worker. */
@Injectable()
export class HealthService {
  private asking: Promise<boolean> | undefined;
  /** the check of storing that is under way; by performance.now(), ms */
  private check: { readonly startedAt: number; readonly result: Promise<NotStorable | undefined> } | undefined;
  /** whether the last check that ended found that a sale could be stored in time */
  private wasStorable = false;

  constructor(
    private readonly prisma: PrismaService,
    private readonly worker: Worker,
  ) {}

  /**
   * One statement at a time, whose result all that ask meanwhile share: anybody may ask, and the connections are those of sales.
   * @returns whether the database answers `SELECT 1` within a second; never throws
   */
  databaseAnswers(): Promise<boolean> {
    this.asking ??= within(
      WAIT_MS,
      this.prisma.$queryRaw`SELECT 1`.then(() => true),
    )
      .catch(() => false)
      .finally(() => {
        this.asking = undefined;
      });
    return this.asking;
  }

  /**
   * @returns why this instance is not ready, for people; undefined: a webhook can be stored, and the worker, if enabled, is not stalled (H7,
   *   H12); never throws
   */
  async whyNotReady(): Promise<string | undefined> {
    if (this.worker.stalled) return 'the worker has stalled';
    const reason = await this.whyNotStorable();
    return reason && REASONS[reason];
  }

  private async whyNotStorable(): Promise<NotStorable | undefined> {
    this.check ??= this.begin();
    const { startedAt, result } = this.check;
    const late = Symbol();
    const found = await within(WAIT_MS, result).catch(() => late);
    if (typeof found !== 'symbol') return found;
    // a database that answers late still stores sales
    return this.wasStorable && performance.now() - startedAt < STORE_LIMIT_MS ? undefined : 'too slow';
  }

  private begin(): NonNullable<HealthService['check']> {
    const startedAt = performance.now();
    const result = this.prisma.whyNotStorable().then((found) => {
      const reason = performance.now() - startedAt < STORE_LIMIT_MS ? found : 'too slow';
      this.check = undefined;
      this.wasStorable = reason === undefined;
      return reason;
    });
    return { startedAt, result };
  }
}
