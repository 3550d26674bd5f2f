// pgbench with the rows of a sale: what Postgres alone can store.
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PAID_CENTS, saleWriter, TENDER_TYPE } from '../../load/payload.mjs';

/** An event and its job for each row, stored by one statement. */
const SCRIPT = `\\set store random(0, 19)
WITH event AS (
  INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, store_code, transaction_number,
    transaction_date, paid_cents, paid_by_tender, payload, received_at)
  SELECT key, key, false, id, code_store_terminal, '1', '2026-01-15', ${PAID_CENTS}, '{"${TENDER_TYPE}": ${PAID_CENTS}}',
    :payload::jsonb, now()
  FROM restaurants, LATERAL (SELECT gen_random_uuid()::text || n AS key FROM generate_series(1, :rows::int) n) sale
  WHERE deleted_at IS NULL AND code_store_terminal = 'STORE-' || :store
  RETURNING transaction_key, restaurant_id
)
INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
SELECT gen_random_uuid(), transaction_key, restaurant_id, 'PENDING', now(), now(), now() FROM event;
`;

/** @returns the path of pgbench; undefined when it is not installed */
export function findPgbench() {
  for (const path of ['pgbench', ...[18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin/pgbench`)])
    try {
      execFileSync(path, ['--version'], { stdio: 'ignore' });
      return path;
    } catch {
      // look further
    }
  return undefined;
}

/** @returns rows stored per second, and the average time of a statement in ms */
export async function runPgbench(program, database, { clients, rows, seconds, folder }) {
  const script = join(folder, 'sale.sql');
  writeFileSync(script, SCRIPT);
  const variables = { payload: saleWriter('STORE-0')('1', '1'), rows };
  const { stdout } = await promisify(execFile)(program, [
    ...['-n', '-M', 'prepared', '-c', clients, '-j', Math.min(clients, 2), '-T', seconds, '-f', script].map(String),
    ...Object.entries(variables).flatMap(([name, value]) => ['-D', `${name}=${value}`]),
    database,
  ]);
  const perStatement = Number(/^tps = ([\d.]+)/m.exec(stdout)?.[1]);
  return { perSecond: perStatement * rows, p50: Number(/^latency average = ([\d.]+)/m.exec(stdout)?.[1]) };
}
