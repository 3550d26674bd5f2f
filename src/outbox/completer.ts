import { Injectable } from '@nestjs/common';
import { backoffMs } from '../domain/backoff.js';
import { MOVES } from '../domain/job.js';
import { limitAttempts, type Outcome } from '../domain/outcome.js';
import { Config } from '../platform/config/config.js';
import { Batcher, type Retry } from '../platform/database/batch/batcher.js';
import type { BatchedRow } from '../platform/database/batch/row-queue.js';
import { reasonOf } from '../platform/database/errors.js';
import { errorLine } from '../platform/redaction/error-line.js';
import { Log } from '../platform/telemetry/log.js';
import { Metrics } from '../platform/telemetry/metrics.js';
import { Tracing } from '../platform/tracing/tracing.js';
import { JobStore } from './job-store.js';
import { Outages } from './outages.js';
import { parkedAlarm } from './parked-alarm.js';
import type { HeldJob } from './store/claim.js';
import type { EndedAttempt, Settled } from './store/settle.js';

/** The most attempts that one settle statement writes. */
const MOST_SETTLED = 200;
/** How long a stopping instance repeats a settle, in ms. After that the reaper returns the job. */
const LIMIT_WHEN_STOPPING_MS = 5_000;

interface Settling extends BatchedRow {
  readonly attempt: EndedAttempt;
  /** whether a try has failed: the answer of one that worked may be lost */
  isRepeated: boolean;
}
interface Releasing extends BatchedRow {
  readonly job: HeldJob;
}

/** The settle step: ends the claim of a job in the database (O12, O13), then writes the log line and the metrics of the attempt. */
@Injectable()
export class Completer {
  private readonly settling = new Batcher<Settling, Settled>((rows) => this.write(rows), {
    ...{ parallel: 2, most: MOST_SETTLED },
    retry: this.retry(({ attempt }) => attempt.job),
  });
  private readonly releasing = new Batcher<Releasing, boolean>(
    async (rows) => Promise.all(rows.map(({ job }) => this.jobs.release(job))),
    { parallel: 4, most: 1, retry: this.retry(({ job }) => job) },
  );

  constructor(
    private readonly jobs: JobStore,
    private readonly outages: Outages,
    private readonly stopping: AbortSignal,
    private readonly config: Config,
    private readonly metrics: Metrics,
    private readonly tracing: Tracing,
    private readonly log: Log,
  ) {}

  /**
   * Settles an attempt: the job becomes SENT, FAILED (with its backoff, O14 to O16) or DLQ. If the claim was lost, nothing is changed and
   * `outbox.lock_lost` is logged. There is one exception: a delivery is recorded if no worker has claimed the job since. After any error
   * the write is repeated until it succeeds or the claim is lost (O26). Who settles a claim second says nothing: a POS that gets events may confirm an
   * order before it answers (Q21).
   * @param attempted the outcome before OUTBOX_MAX_ATTEMPTS is considered
   * @param durationMs duration of the attempt, in ms
   * @throws the database's error, only while the process is stopping: 5 s after the call
   */
  async settle(job: HeldJob, attempted: Outcome, durationMs: number): Promise<void> {
    const limited = limitAttempts(attempted, job.attempt, this.config.outbox.maxAttempts);
    const outcome = limited.error === null ? limited : { ...limited, error: errorLine(limited.error) };
    const retryInMs = outcome.settling === 'retry' ? retryMs(outcome, job.attempt) : null;
    const attempt = { job, outcome, durationMs, retryInMs };
    const settlingAt = performance.now();
    const settled = await this.settling.add({ attempt, isRepeated: false, ...rowOf(job, outcome.sentBody?.length) });
    const { sentBody: _, retryInMs: __, ...told } = outcome;
    this.tracing.ended(job, settled === 'lost' ? 'lock_lost' : outcome, settlingAt);
    if (settled === 'before') return;
    const { id, eventKey, action, restaurantId, lockedBy, trace } = job;
    const line = {
      job: id,
      eventKey,
      action,
      restaurantId,
      traceId: trace?.id,
      attempt: job.attempt,
      lockedBy,
      ms: durationMs,
      retryInMs,
      ...told,
    };
    if (settled === 'lost') {
      this.metrics.lostClaims.inc();
      this.log.warn(
        { event: 'outbox.lock_lost', ...line },
        'the lease expired before the attempt was settled; nothing was changed',
      );
      return;
    }
    this.outages.note(job, outcome, durationMs);
    this.observe(job, outcome, durationMs);
    const isDone = outcome.settling === 'deliver' || outcome.resolved;
    this.log[isDone ? 'info' : 'warn']({ event: 'outbox.attempt', ...line });
    if (isParked(outcome)) this.log.error(parkedAlarm(job, outcome, this.config));
  }

  /** @returns `before` for a row that somebody else has settled; what an earlier try of the same settle may have written counts as `now` */
  private async write(rows: readonly Settling[]): Promise<Settled[]> {
    try {
      const settled = await this.jobs.settle(rows.map(({ attempt }) => attempt));
      return settled.map((each, i) => (each === 'before' && rows[i]?.isRepeated ? 'now' : each));
    } catch (error) {
      for (const row of rows) row.isRepeated = true;
      throw error;
    }
  }

  /**
   * Releases a job that was claimed but not sent (O2): the job is due as before, and the attempt is not counted.
   * @throws the database's error, as {@link settle} does
   */
  async release(job: HeldJob): Promise<void> {
    const settlingAt = performance.now();
    await this.releasing.add({ job, ...rowOf(job) });
    this.tracing.ended(job, 'released', settlingAt);
    const { id, eventKey, action, trace } = job;
    this.log.info({ event: 'outbox.released', job: id, eventKey, action, traceId: trace?.id });
  }

  private observe(job: HeldJob, outcome: Outcome, durationMs: number): void {
    const { settling } = outcome;
    this.metrics.attempts.inc({ outcome: MOVES[settling].to });
    this.metrics.attemptSeconds.observe(durationMs / 1_000);
    if (isParked(outcome)) this.metrics.parked.inc();
    if (settling === 'deliver' && job.action === 'CREATE')
      this.metrics.deliverySeconds.observe(Math.max(0, Date.now() - job.receivedAt.getTime()) / 1_000);
  }

  /**
   * Repeats the write of a result, never the request to the POS (O13), since only this process knows the POS's answer. Logs at most one
   * line a second (O26).
   */
  private retry<Row>(jobOf: (row: Row) => HeldJob): Retry<Row> {
    return {
      limitMs: () => (this.stopping.aborted ? LIMIT_WHEN_STOPPING_MS : Number.POSITIVE_INFINITY),
      onHeld: ({ row, waitedMs, rows }, error) =>
        this.log.error({
          event: 'outbox.settle_delayed',
          held: rows,
          job: jobOf(row).id,
          traceId: jobOf(row).trace?.id,
          waitedMs,
          error: reasonOf(error),
        }),
    };
  }
}

/** Whether the job waits for somebody (O23). */
function isParked({ settling, resolved }: Outcome): boolean {
  return settling === 'park' && !resolved;
}

/** @param length number of characters of the body that was sent */
function rowOf({ lockedBy, restaurantId }: HeldJob, length = 0): BatchedRow {
  return { length, keys: [lockedBy], source: restaurantId };
}

/** Time until the retry, in ms: `retryInMs` of the outcome if present, else the backoff (O14, O15). */
function retryMs({ retryInMs, retryAfterMs }: Outcome, attempt: number): number {
  return retryInMs ?? backoffMs(attempt, Math.random(), retryAfterMs ?? undefined);
}
