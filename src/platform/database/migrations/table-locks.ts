import { setTimeout as delay } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import type { Log } from '../../telemetry/log.js';
import { type Holder, holdersOf, inWords } from './blockers.js';

/** A try keeps all sales waiting for at most this time, in ms: later requests for a lock wait behind it. */
const TRY_MS = 400;
/** A try that makes autovacuum give way must wait for longer than `deadlock_timeout`; it is made this seldom, in ms. */
const LONG_TRY_MS = 1_900;
const LONG_TRY_EVERY_MS = 10_000;
/** Time between two looks at who holds locks, and after a try that failed; ms. */
const LOOK_EVERY_MS = 500;
const TRY_EVERY_MS = 1_500;
/** A transaction of this age, in ms, is waited for without a try. */
const OLD_MS = 1_000;
const LOG_EVERY_MS = 10_000;

/** Not granted in time; ended to break a deadlock. */
const NOT_GRANTED = ['55P03', '40P01'];

/** Some session held its locks for the whole time; the message is for people. */
export class TablesBusyError extends Error {}

interface Relation {
  readonly oid: number;
  /** as SQL names it */
  readonly name: string;
}

/**
 * Locks every table and view of the schema against all other sessions, all at once and always in the same order, before a migration changes the
 * first of them (S30). Sales lock tables in an order of their own: one lock after the other would be a deadlock. While an old transaction
 * reads a table (`pg_dump`, a report), nothing is tried, because sales would wait behind the try. The transaction stays open.
 * @param limitMs of the whole wait
 * @throws TablesBusyError after `limitMs`, with who holds which table
 */
export async function lockTables(client: ClientBase, limitMs: number, log?: Log): Promise<void> {
  const relations = await relationsOf(client);
  if (relations.length === 0) return;
  const oids = relations.map(({ oid }) => oid);
  const startedAt = performance.now();
  const waited = () => Math.round(performance.now() - startedAt);
  let logAt = 0;
  let longTryAt = 0;
  for (;;) {
    const holders = await holdersOf(client, oids);
    const old = holders.filter(({ pid, forMs }) => pid === null || (forMs ?? 0) > OLD_MS);
    const waitsForVacuum = old.length > 0 && old.every(({ onlyVacuums }) => onlyVacuums) && waited() >= longTryAt;
    if (waitsForVacuum) longTryAt = waited() + LONG_TRY_EVERY_MS;
    const isTry = old.length === 0 || waitsForVacuum;
    if (isTry && (await tryLocks(client, relations, waitsForVacuum ? LONG_TRY_MS : TRY_MS))) return;
    const blockers = old.length > 0 ? old : holders;
    if (waited() >= limitMs) throw new TablesBusyError(busyText(blockers, waited()));
    // a try that lost against a burst of sales is not worth a line
    if (waited() >= (old.length > 0 ? logAt : Math.max(logAt, LOG_EVERY_MS))) {
      log?.warn(
        {
          event: 'database.migration_blocked',
          waitedMs: waited(),
          givesUpAfterMs: limitMs,
          sessions: blockers.map(({ onlyVacuums, ...session }) => session),
        },
        `the migration waits, and sales go on: ${wordsOf(blockers)}`,
      );
      logAt = waited() + LOG_EVERY_MS;
    }
    await delay(Math.min(limitMs, isTry ? TRY_EVERY_MS : LOOK_EVERY_MS));
  }
}

/** The tables and views of the schema, those that a sale needs last. */
async function relationsOf(client: ClientBase): Promise<Relation[]> {
  const { rows } = await client.query<Relation>(
    `SELECT oid::int8::float8 AS oid, format('public.%I', relname) AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v') AND relname <> '_prisma_migrations'
       AND pg_has_role(relowner, 'USAGE') AND to_regclass('public.outbox_jobs') IS NOT NULL
     ORDER BY relname IN ('restaurants', 'terminal_events', 'outbox_jobs', 'delivery_attempts'), relname`,
  );
  return rows;
}

/** @returns whether all locks are held; else none is */
async function tryLocks(client: ClientBase, relations: readonly Relation[], limitMs: number): Promise<boolean> {
  const names = relations.map(({ name }) => name).join(', ');
  await client.query(`SAVEPOINT before_locks; SET LOCAL lock_timeout = ${limitMs}`);
  try {
    await client.query(`LOCK TABLE ${names} IN ACCESS EXCLUSIVE MODE; SET LOCAL lock_timeout = 0`);
    return true;
  } catch (error) {
    if (!NOT_GRANTED.includes(String((error as { code?: unknown }).code))) throw error;
    await client.query('ROLLBACK TO SAVEPOINT before_locks');
    return false;
  }
}

function wordsOf(holders: readonly Holder[]): string {
  const words = holders.map((holder) => `${inWords(holder)} holds ${holder.tables.join(', ')}`);
  return words.join('; ') || 'many short transactions follow each other';
}

function busyText(holders: readonly Holder[], waitedMs: number): string {
  const pid = holders.find((holder) => holder.pid !== null)?.pid;
  const way = pid ? `; wait for its end, or end it with SELECT pg_terminate_backend(${pid}), and start again` : '';
  return `the tables could not be locked for the migration within ${Math.round(waitedMs / 1_000)} s, nothing was changed: ${wordsOf(holders)}${way}`;
}
