import { Injectable } from '@nestjs/common';
import { Worker } from '../../outbox/worker.js';
import { within } from '../database/deadline.js';
import { PrismaService } from '../database/prisma.service.js';

const DATABASE_TIMEOUT_MS = 1_000;

/** Checks the database and the worker. */
@Injectable()
export class HealthService {
  private asking: Promise<boolean> | undefined;

  constructor(
    private readonly prisma: PrismaService,
    private readonly worker: Worker,
  ) {}

  /**
   * One statement at a time, whose result all that ask meanwhile share: anybody may ask, and the connections are those of sales.
   * @returns whether the database answers `SELECT 1` within a second; never throws
   */
  databaseAnswers(): Promise<boolean> {
    this.asking ??= resultOf(this.prisma.$queryRaw`SELECT 1`.then(() => true)).finally(() => {
      this.asking = undefined;
    });
    return this.asking;
  }

  /**
   * @returns true when the database answers within a second that it can store a webhook, and the worker, if enabled, is not stalled
   *   (H7); never throws
   */
  async ready(): Promise<boolean> {
    return !this.worker.stalled && (await resultOf(this.prisma.canWrite()));
  }
}

/** The result of a check; false when it takes more than a second or fails. */
const resultOf = (check: Promise<boolean>) => within(DATABASE_TIMEOUT_MS, check).catch(() => false);
