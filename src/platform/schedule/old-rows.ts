import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Log } from '../telemetry/log.js';
import { Rounds } from './rounds.js';

const INTERVAL_MS = 600_000;

/** Old rows of a module. */
export interface Removal {
  /** what is removed, as the log line calls its number */
  readonly name: string;
  /** Removes in small batches, so that no statement delays the worker; nothing while the clocks differ (S36). @returns how many */
  readonly remove: () => Promise<number>;
}

/**
 * Removes what nobody looks at any more, whatever OUTBOX_RETENTION_DAYS says (R58): modules add what they remove. Sales are removed by the
 * outbox.
 */
@Injectable()
export class OldRows implements OnModuleInit {
  private readonly added: Removal[] = [];

  constructor(
    private readonly rounds: Rounds,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.rounds.add({ name: 'outbox.old_rows', everyMs: INTERVAL_MS, on: 'workers', run: () => this.remove() });
  }

  add(removal: Removal): void {
    this.added.push(removal);
  }

  /** @throws the database's error */
  async remove(): Promise<void> {
    const removed: [name: string, count: number][] = [];
    for (const { name, remove } of this.added) removed.push([name, await remove()]);
    if (removed.some(([, count]) => count > 0))
      this.log.info({ event: 'retention.old_rows', ...Object.fromEntries(removed) });
  }
}
