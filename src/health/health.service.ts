import { Injectable } from '@nestjs/common';
import { PrismaService } from '../database/prisma.service.js';
import { Worker } from '../outbox/worker.js';

const DATABASE_TIMEOUT_MS = 1_000;

/** Checks what the relay depends on. */
@Injectable()
export class HealthService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly worker: Worker,
  ) {}

  /** @returns whether the database answers `SELECT 1` within a second; never throws */
  databaseAnswers(): Promise<boolean> {
    return inTime(this.prisma.$queryRaw`SELECT 1`.then(() => true));
  }

  /**
   * @returns whether a webhook could be stored, as the database says within a second, and whether this instance delivers, if it
   *   should: rounds of its worker end (H7); never throws
   */
  async ready(): Promise<boolean> {
    return !this.worker.stalled && (await inTime(this.prisma.canWrite()));
  }
}

/** What the check says; false when it says nothing for a second, or fails. */
async function inTime(check: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), DATABASE_TIMEOUT_MS);
  });
  const answer = check.catch(() => false);
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}
