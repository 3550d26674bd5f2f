// A month of the past is removed: by the relay's retention, or by dropping the partitions of the month.

import { Retention } from '../../../src/outbox/retention.ts';
import { DatabaseClock } from '../../../src/platform/database/clock.ts';
import { partitionOf, TABLES } from './variants.mjs';

const DAY_MS = 86_400_000;
const BATCH = 500;

/**
 * The relay's retention, for at most this number of batches of 500: keys are recorded, then events, jobs and attempts removed.
 * @param days OUTBOX_RETENTION_DAYS
 * @returns `orders` removed; ms of processor time: of the statements that recorded the keys, of those that removed, of the VACUUM afterwards
 */
export async function deleteInBatches(session, days, batches) {
  const spend = await oneRun(session, days, batches);
  // the minute after which retention removes the events of spent keys
  await session.client.query(`UPDATE spent_keys SET spent_at = spent_at - interval '2 minutes'`);
  // the next run removes, and then records more keys: it is ended before
  const remove = await oneRun(session, days, spend.orders / BATCH);
  const before = session.processorMs;
  for (const table of [...Object.keys(TABLES), 'spent_keys']) await session.client.query(`VACUUM ${table}`);
  return { orders: remove.orders, spendMs: spend.ms, removeMs: remove.ms, vacuumMs: session.processorMs - before };
}

async function oneRun(session, days, batches) {
  const stop = new AbortController();
  let done = 0;
  let orders = 0;
  const ended = (count) => {
    orders += count;
    if (++done >= batches) stop.abort();
  };
  const limited = {
    $queryRaw: async (...args) => {
      const rows = await session.$queryRaw(...args);
      ended(rows[0].keys);
      return rows;
    },
    $transaction: async (work) => {
      const count = await session.$transaction(work);
      // the first look finds nothing to remove
      if (count > 0) ended(count);
      return count;
    },
  };
  const before = session.processorMs;
  const log = { info: () => {} };
  await new Retention(
    limited,
    new DatabaseClock(limited),
    stop.signal,
    { outbox: { retentionDays: days } },
    log,
  ).remove();
  return { orders, ms: session.processorMs - before };
}

/**
 * Drops the partitions of a month. Jobs that are not divided are deleted before, in batches of 500: an event that
 * has a job cannot be dropped.
 * @returns `orders` of the month; `deleted` jobs; ms of processor time: of the look for orders that must stay, and of
 *   the deletion; ms of the drop, during which every other statement waits
 * @throws when an order of the month must stay
 */
export async function dropMonth(session, month) {
  const { client, variant } = session;
  const query = async (sql) => (await client.query(sql)).rows;
  const end = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1));
  const hasParts = variant.divided.includes('outbox_jobs');
  // ids begin with the time in ms
  const idOf = (time) =>
    `'${time
      .getTime()
      .toString(16)
      .padStart(12, '0')
      .replace(/^(.{8})/, '$1-')}-0000-0000-000000000000'`;
  const ofMonth = `id >= ${idOf(month)} AND id < ${idOf(end)}`;
  const startedAt = session.processorMs;
  const [{ orders, undelivered }] = await query(
    `SELECT count(*)::int AS orders, count(*) FILTER (WHERE status <> 'SENT')::int AS undelivered
     FROM ${hasParts ? partitionOf('outbox_jobs', month) : `outbox_jobs WHERE ${ofMonth}`}`,
  );
  if (undelivered > 0) throw new Error(`${undelivered} orders of the month must stay`);
  const lookedAt = session.processorMs;
  let deleted = 0;
  if (!hasParts)
    for (let count = BATCH; count === BATCH; deleted += count)
      count = (
        await client.query(
          `DELETE FROM outbox_jobs WHERE id IN (SELECT id FROM outbox_jobs WHERE ${ofMonth} ORDER BY id LIMIT ${BATCH})`,
        )
      ).rowCount;
  if (!hasParts) await client.query('VACUUM outbox_jobs');
  const deletedAt = session.processorMs;
  const beginsAt = performance.now();
  await client.query('BEGIN');
  for (const table of variant.divided.toReversed()) {
    await client.query(`ALTER TABLE ${table} DETACH PARTITION ${partitionOf(table, month)}`);
    await client.query(`DROP TABLE ${partitionOf(table, month)}`);
  }
  await client.query('COMMIT');
  return {
    orders,
    deleted,
    lookMs: lookedAt - startedAt,
    deleteMs: deletedAt - lookedAt,
    dropMs: performance.now() - beginsAt,
  };
}

/** @returns the first whole month of a past of 365 days, and the OUTBOX_RETENTION_DAYS that end with it */
export function oldestMonth() {
  const first = new Date(Date.now() - 365 * DAY_MS);
  const month = (n) => new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + n, 1));
  return { month: month(1), days: Math.ceil((Date.now() - month(2)) / DAY_MS) };
}
