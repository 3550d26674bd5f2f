import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { reasonOf } from '../database/errors.js';
import { Log } from '../telemetry/log.js';

/** When a run has taken this time, in ms, the next run may start beside it. Statements and calls have far shorter limits. */
const RUN_LIMIT_MS = 3_600_000;

/** Background work at intervals. The SchedulerRegistry clears the intervals when the application stops. */
@Injectable()
export class Intervals {
  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly stopping: AbortSignal,
    private readonly log: Log,
  ) {}

  /**
   * Calls `run` every `ms` milliseconds, except while the last run continues (for up to an hour) or the process is stopping. An error
   * is logged as `<name>_failed`; the next interval tries again.
   * @param name unique, for example `outbox.tick`
   * @returns a function that calls `run` once, with the same exceptions
   */
  every(ms: number, name: string, run: () => Promise<unknown>): () => Promise<void> {
    let running: { readonly since: number } | undefined;
    const once = async () => {
      if (this.stopping.aborted || (running && performance.now() - running.since < RUN_LIMIT_MS)) return;
      const current = { since: performance.now() };
      running = current;
      try {
        await run();
      } catch (error) {
        this.log.error({ event: `${name}_failed`, error: reasonOf(error) });
      } finally {
        if (running === current) running = undefined;
      }
    };
    this.registry.addInterval(
      name,
      setInterval(() => void once(), ms),
    );
    return once;
  }
}
