import { Injectable } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Config } from '../config/config.js';
import { isDatabaseAway, reasonOf } from '../database/errors.js';
import { Log } from '../telemetry/log.js';

/** When a run has taken this time, in ms, the next run may start beside it. Statements and calls have far shorter limits. */
const RUN_LIMIT_MS = 3_600_000;

/** Background work at an interval. */
export interface Round {
  /** unique, such as `outbox.tick`; a run that throws is logged as `<name>_failed`, and the next interval tries again */
  readonly name: string;
  /** time between two starts, in ms */
  readonly everyMs: number;
  /** on instances that run the outbox (O21), or on all */
  readonly on: 'workers' | 'all';
  /** whether it also runs when the process listens, after the rounds with this mark that were added before it */
  readonly runsAtOnce?: boolean;
  /**
   * A run that finds the database away is logged as `<name>_left_out`, of level debug: the database has an alarm of its own. The fourth one after the other, and
   * each twentieth after it, is logged as other errors are: this run alone may take longer than the database allows.
   */
  readonly waitsForDatabase?: boolean;
  readonly run: () => Promise<unknown>;
}

/**
 * The background work of this process. Modules add their rounds when they are initialised; none runs before {@link start}. The SchedulerRegistry
 * clears the intervals when the application stops.
 */
@Injectable()
export class Rounds {
  private readonly added: Round[] = [];
  /** the rounds that run at once have ended */
  begun: Promise<void> = Promise.resolve();

  constructor(
    private readonly registry: SchedulerRegistry,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  add(...rounds: readonly Round[]): void {
    this.added.push(...rounds);
  }

  /** To be called once, when the process listens (S17). */
  start(): void {
    const { workerEnabled } = this.config.outbox;
    const atOnce: (() => Promise<void>)[] = [];
    for (const round of this.added) {
      if (round.on === 'workers' && !workerEnabled) continue;
      const run = this.schedule(round);
      if (round.runsAtOnce) atOnce.push(run);
    }
    this.begun = inOrder(atOnce);
  }

  /** @returns runs the round once, unless its last run continues (for up to an hour) or the process is stopping */
  private schedule(round: Round): () => Promise<void> {
    let running: { readonly since: number } | undefined;
    let leftOut = 0;
    const once = async () => {
      if (this.stopping.aborted || (running && performance.now() - running.since < RUN_LIMIT_MS)) return;
      const current = { since: performance.now() };
      running = current;
      try {
        await round.run();
        leftOut = 0;
      } catch (error) {
        leftOut += 1;
        this.report(round, error, leftOut);
      } finally {
        if (running === current) running = undefined;
      }
    };
    this.registry.addInterval(
      round.name,
      setInterval(() => void once(), round.everyMs),
    );
    return once;
  }

  private report({ name, waitsForDatabase }: Round, error: unknown, times: number): void {
    if (waitsForDatabase && isDatabaseAway(error) && times % 20 !== 4)
      this.log.debug({ event: `${name}_left_out`, error: reasonOf(error) });
    else this.log.error({ event: `${name}_failed`, error: reasonOf(error) });
  }
}

async function inOrder(runs: readonly (() => Promise<void>)[]): Promise<void> {
  for (const run of runs) await run();
}
