import { OUTAGE_CAUSES } from '../../domain/cause.js';
import { AHEAD } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { LONGEST_WAIT } from './ahead.js';
import { lockResuming, resume } from './pause.js';

/** The most jobs of a restaurant that one statement holds back or makes due. */
const BATCH = 1_000;
/** The jobs of an ended outage become due one after the other: 50 ms apart, or closer so that the last one is due within 4 s. */
const APART_MS = 50;
const SPREAD_MS = 4_000;

/** An attempt that failed of an outage. */
export interface OutageFailure {
  readonly jobId: string;
  /** when the attempt began, by the database's clock, as a text of Postgres */
  readonly startedAt: string;
}

/** An outage that lasts. */
export interface Outage {
  readonly restaurantId: string;
  /** ms since a failed attempt was last recorded */
  readonly failedMsAgo: number;
}

/**
 * Records failed attempts as part of their restaurants' outages: begins an outage, or continues the present one. A job that the end of an
 * earlier outage made due, and that fails again, begins none: it may be this order that makes the POS fail.
 */
export async function recordFailures(prisma: PrismaService, failures: readonly OutageFailure[]): Promise<void> {
  await prisma.$executeRaw`
    WITH failed AS (
      SELECT job.restaurant_id, min(failure.started_at::timestamptz) AS began_at
      FROM unnest(${failures.map(({ jobId }) => jobId)}::uuid[], ${failures.map(({ startedAt }) => startedAt)}::text[])
        AS failure(job_id, started_at)
      JOIN outbox_jobs job ON job.id = failure.job_id
      -- not of the POS of before: the restaurant's POS may pull by now, and is never probed
      JOIN restaurants ON restaurants.id = job.restaurant_id AND NOT pulls
      WHERE job.recovered_at IS NULL
      GROUP BY job.restaurant_id
    )
    INSERT INTO pos_outages AS outage (restaurant_id, began_at, failed_at)
    SELECT restaurant_id, began_at, now() FROM failed ORDER BY restaurant_id
    ON CONFLICT (restaurant_id) DO UPDATE
    SET began_at = CASE WHEN outage.ended_at IS NULL THEN least(outage.began_at, excluded.began_at) ELSE excluded.began_at END,
        failed_at = excluded.failed_at, ended_at = NULL`;
}

/** The outages that last. */
export function lastingOutages(prisma: PrismaService): Promise<Outage[]> {
  return prisma.$queryRaw<Outage[]>`
    SELECT restaurant_id::text AS "restaurantId", (extract(epoch FROM now() - failed_at) * 1000)::float8 AS "failedMsAgo"
    FROM pos_outages WHERE ended_at IS NULL`;
}

/** A restaurant whose POS does not work. */
export interface Failing {
  readonly restaurantId: string;
  /** ms until its next probe (O45) */
  readonly probeInMs: number;
  /** the Retry-After of the last failure, in ms; 0: none */
  readonly retryAfterMs: number;
}

/**
 * Plans the next probe of each lasting outage (O45), and holds back the other orders that failed in it (O33). A probe is the oldest of these orders, due
 * before its time; `ladder_at` keeps that time. A probe that has failed before its time is not counted: the order gets its attempts of before, and the next
 * probe. The other orders wait behind the time of the oldest, not behind its probes. A job that an earlier outage has made due keeps its own backoff.
 * An order's last attempt is no probe, so that a probe never parks an order. Nothing is planned while a probe is under way.
 * @param marginMs the others become due this time after the oldest: longer than an attempt, so that its failure can hold them back again
 * @param maxAttempts OUTBOX_MAX_ATTEMPTS
 */
export async function holdBack(
  prisma: PrismaService,
  restaurants: readonly Failing[],
  marginMs: number,
  maxAttempts: number,
): Promise<void> {
  await prisma.$executeRaw`
    WITH lasting AS MATERIALIZED (
      SELECT outage.restaurant_id, began_at, probe_job_id, probe_attempts, ladder_at,
             now() + probe_in_ms * interval '1 millisecond' AS probe_at, now() + nullif(retry_after_ms, 0) * interval '1 millisecond' AS not_before
      FROM pos_outages outage
      JOIN unnest(${restaurants.map(({ restaurantId }) => restaurantId)}::uuid[], ${restaurants.map(({ probeInMs }) => probeInMs)}::int[],
        ${restaurants.map(({ retryAfterMs }) => retryAfterMs)}::int[]) AS failing(restaurant_id, probe_in_ms, retry_after_ms)
        ON failing.restaurant_id = outage.restaurant_id
      WHERE ended_at IS NULL ORDER BY outage.restaurant_id FOR UPDATE OF outage
    ), oldest AS MATERIALIZED (
      SELECT lasting.*, job.id, job.attempts, job.next_run_at,
             -- null: it is not the order of the last probe
             CASE WHEN job.id = probe_job_id AND ladder_at < ${Prisma.raw(LONGEST_WAIT)} THEN
               CASE WHEN job.attempts = probe_attempts THEN 'waits' WHEN job.attempts = probe_attempts + 1 AND job.updated_at < ladder_at THEN 'failed' END
             END AS probe
      FROM lasting
      CROSS JOIN LATERAL (
        SELECT id, attempts, next_run_at, updated_at FROM outbox_jobs
        WHERE restaurant_id = lasting.restaurant_id AND status = 'FAILED' AND cause = ANY (${OUTAGE_CAUSES}::text[])
          AND updated_at >= lasting.began_at AND recovered_at IS NULL
        ORDER BY created_at, id LIMIT 1) AS job
      WHERE NOT EXISTS (SELECT FROM outbox_jobs under_way WHERE under_way.id = probe_job_id AND under_way.status::text = 'PROCESSING')
    ), step AS MATERIALIZED (
      SELECT restaurant_id, began_at, id, attempts, probe, probe_at, attempts - CASE WHEN probe = 'failed' THEN 1 ELSE 0 END AS counted,
             greatest(CASE WHEN probe IS NULL THEN next_run_at ELSE ladder_at END, not_before) AS ladder_at
      FROM oldest
    ), planned AS (
      UPDATE pos_outages outage SET probe_job_id = step.id, probe_attempts = counted, ladder_at = step.ladder_at
      FROM step WHERE outage.restaurant_id = step.restaurant_id AND probe IS DISTINCT FROM 'waits'
    ), probed AS (
      UPDATE outbox_jobs job
      SET attempts = counted,
          next_run_at = CASE WHEN counted + 1 < ${maxAttempts}::int THEN least(step.ladder_at, probe_at) ELSE step.ladder_at END
      FROM step
      WHERE job.id = step.id AND job.status::text = 'FAILED' AND job.attempts = step.attempts AND probe IS DISTINCT FROM 'waits'
    )
    UPDATE outbox_jobs SET next_run_at = held.after
    FROM (
      SELECT job.id, after FROM (SELECT *, ladder_at + ${marginMs}::int * interval '1 millisecond' AS after FROM step) AS step
      CROSS JOIN LATERAL (
        SELECT id FROM outbox_jobs
        WHERE restaurant_id = step.restaurant_id AND status = 'FAILED' AND cause = ANY (${OUTAGE_CAUSES}::text[])
          AND updated_at >= step.began_at AND recovered_at IS NULL AND id <> step.id AND next_run_at < after
        ORDER BY next_run_at LIMIT ${BATCH}::int FOR UPDATE SKIP LOCKED) AS job
    ) AS held
    WHERE outbox_jobs.id = held.id AND outbox_jobs.status = 'FAILED'`;
}

/**
 * Ends the outage of a restaurant: its jobs that failed in the outage become due within 4 s, the oldest first. They stay FAILED and keep
 * their attempts. Jobs are changed in batches, and the outage ends after the last batch: another instance may do the same, and continues
 * after a crash. While orders become due after a pause, all waiting jobs get new times, at the pace of the pause (O50).
 * @returns the number of jobs that were made due
 */
export async function endOutage(prisma: PrismaService, restaurantId: string): Promise<number> {
  const due = (await lockResuming(prisma, restaurantId))
    ? // one transaction, so that no instance claims between the two
      await prisma.$transaction(async (tx) => {
        await lockResuming(tx, restaurantId);
        const jobs = await makeAllDue(tx, restaurantId);
        // none: another instance has done it
        if (jobs > 0) await resume(tx, restaurantId, null, 'resuming');
        return jobs;
      })
    : await makeAllDue(prisma, restaurantId);
  await prisma.$executeRaw`
    UPDATE pos_outages SET ended_at = now() WHERE restaurant_id = ${restaurantId}::uuid AND ended_at IS NULL`;
  return due;
}

async function makeAllDue(client: Prisma.TransactionClient, restaurantId: string): Promise<number> {
  let due = 0;
  for (let changed = BATCH; changed === BATCH; due += changed) changed = await makeDue(client, restaurantId);
  return due;
}

function makeDue(client: Prisma.TransactionClient, restaurantId: string): Promise<number> {
  return client.$executeRaw`
    UPDATE outbox_jobs
    SET next_run_at = now() + least(place * ${APART_MS}::int, place * ${SPREAD_MS}::int / jobs) * interval '1 millisecond',
        recovered_at = now(), updated_at = now()
    FROM (
      SELECT id, row_number() OVER (ORDER BY created_at, id) - 1 AS place, count(*) OVER () AS jobs
      FROM (
        SELECT job.id, job.created_at
        FROM pos_outages outage
        JOIN outbox_jobs job ON job.restaurant_id = outage.restaurant_id
        WHERE outage.restaurant_id = ${restaurantId}::uuid AND outage.ended_at IS NULL
          AND job.status = 'FAILED' AND job.cause = ANY (${OUTAGE_CAUSES}::text[]) AND job.updated_at >= outage.began_at
          AND (job.recovered_at IS NULL OR job.recovered_at < outage.began_at OR job.recovered_at > ${Prisma.raw(AHEAD)})
        ORDER BY job.created_at, job.id LIMIT ${BATCH}::int FOR UPDATE OF job SKIP LOCKED
      ) AS failed
    ) AS waiting
    WHERE outbox_jobs.id = waiting.id AND outbox_jobs.status = 'FAILED'`;
}
