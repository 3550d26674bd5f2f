import { Injectable } from '@nestjs/common';
import { JobStore } from './job-store.js';
import type { EndedAttempt } from './store/settle.js';

/** Attempts in one statement. */
const MOST = 200;

interface Gathered {
  readonly attempt: EndedAttempt;
  readonly settled: (lockHeld: boolean) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Gathers what is to be settled while a settling statement is under way, for the next one: so they are as many as the database
 * manages, and none waits while it is idle.
 *
 * Of a statement that failed each attempt is settled alone from then on, since it may have been for one of them only: a row
 * that the database refuses, or that somebody has locked.
 */
@Injectable()
export class SettleQueue {
  private gathered: Gathered[] = [];
  private underWay = false;
  private readonly alone = new WeakSet<EndedAttempt>();

  constructor(private readonly jobs: JobStore) {}

  /**
   * Settles an attempt (O12, O18). Repeating it, with the same object, after an error is safe.
   * @returns false when the lock was lost: nothing was changed
   * @throws the database's error
   */
  settle(attempt: EndedAttempt): Promise<boolean> {
    if (this.alone.has(attempt)) return this.settleAlone(attempt);
    return new Promise((settled, failed) => {
      this.gathered.push({ attempt, settled, failed });
      void this.settleGathered();
    });
  }

  private async settleGathered(): Promise<void> {
    if (this.underWay) return;
    this.underWay = true;
    while (this.gathered.length > 0) await this.settleTogether(this.gathered.splice(0, MOST));
    this.underWay = false;
  }

  private async settleTogether(batch: readonly Gathered[]): Promise<void> {
    try {
      const locksHeld = await this.jobs.settle(batch.map(({ attempt }) => attempt));
      for (const [i, { settled }] of batch.entries()) settled(locksHeld[i] === true);
    } catch (error) {
      if (batch.length === 1) return batch[0]?.failed(error);
      for (const { attempt, settled, failed } of batch) {
        this.alone.add(attempt);
        this.settleAlone(attempt).then(settled, failed);
      }
    }
  }

  private async settleAlone(attempt: EndedAttempt): Promise<boolean> {
    const [lockHeld] = await this.jobs.settle([attempt]);
    return lockHeld === true;
  }
}
