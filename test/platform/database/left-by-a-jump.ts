import { sale } from '../../support/client.js';
import type { TestDatabase } from '../../support/database.js';

export const IDS = {
  restaurant: '00000000-0000-4000-8000-00000000000a',
  owner: '00000000-0000-4000-8000-00000000000b',
  /** delivered, waits for its retry, claimed by a process that has ended, parked, parked and settled by hand */
  jobs: { sent: 1, waits: 2, held: 3, parked: 4, settled: 5 },
} as const;

const HASH = 'e'.repeat(64);

/** The id of the n-th row of something. */
export const idOf = (n: number) => `00000000-0000-4000-8000-0000000000${String(n).padStart(2, '0')}`;

/**
 * SQL: an evening of one restaurant, whose business day began about twelve hours ago. Every time of the database has a row: what is under way
 * has its usual times from now on, what has ended ended minutes ago.
 */
const EVENING = (payload: string) => `
  INSERT INTO users (id, email, password_hash) VALUES ('${IDS.owner}', 'owner@example.com', '-');
  INSERT INTO restaurants (id, name, slug, code_store_terminal, code_store_pos, timezone)
  SELECT '${IDS.restaurant}', 'Roma', 'roma', 'STORE-1', '1001', CASE WHEN hours = 0 THEN 'Etc/UTC' ELSE 'Etc/GMT' || CASE WHEN hours > 0 THEN '+' ELSE '-' END || abs(hours) END
  FROM (SELECT extract(hour FROM now() AT TIME ZONE 'UTC')::int - 12 AS hours) AS noon;
  INSERT INTO restaurants (id, name, slug, deleted_at) VALUES ('${idOf(70)}', 'gone', 'gone', now() - interval '10 minutes');
  INSERT INTO restaurants (id, name, slug, paused_at, paused_until, pause_reason, resuming_until, pos_since, mapped_since)
  VALUES ('${idOf(94)}', 'paused', 'paused', now(), now() + interval '2 hours', 'busy', now() + interval '1 minute', now(), now());
  INSERT INTO user_restaurants (id, user_id, restaurant_id, role, accepted_at, password_sale_at, token_sale_at)
  VALUES ('${idOf(71)}', '${IDS.owner}', '${IDS.restaurant}', 'OWNER', now(), now(), now());
  INSERT INTO invitations (id, restaurant_id, email, role, token_hash, inviter_id, expires_at)
  VALUES ('${idOf(72)}', '${IDS.restaurant}', 'new@example.com', 'EMPLOYEE', '${HASH}', '${idOf(71)}', now() + interval '7 days');
  INSERT INTO password_links (id, user_id, token_hash, token_version, expires_at)
  VALUES ('${idOf(74)}', '${IDS.owner}', '${HASH}', 0, now() + interval '1 hour');
  INSERT INTO console_sessions (id, user_id, address, expires_at) VALUES ('${idOf(73)}', '${IDS.owner}', '192.0.2.1', now() + interval '8 hours');

  INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_date, paid_cents, payload, received_at, erased_at, entered_at)
  SELECT 'T-' || n, 'T-' || n, false, '${IDS.restaurant}', now() - interval '10 minutes', 7980, '${payload}', now() - interval '10 minutes',
         CASE n WHEN 5 THEN now() END, CASE n WHEN 5 THEN now() END
  FROM generate_series(1, 5) AS n;
  INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, processing_at, locked_by, cause, last_error, recovered_at,
    resolved_at, created_at, updated_at)
  SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'T-' || n, '${IDS.restaurant}', status::job_status, 1, next_run_at, processing_at, locked_by,
         cause, cause, recovered_at, resolved_at, now() - interval '10 minutes', updated_at
  FROM (VALUES
    (1, 'SENT', NULL::timestamptz, NULL::timestamptz, NULL, NULL, NULL::timestamptz, NULL::timestamptz, now() - interval '9 minutes'),
    (2, 'FAILED', now() + interval '30 seconds', NULL, NULL, 'failing', now(), NULL, now()),
    (3, 'PROCESSING', now() - interval '1 second', now(), 'gone:1/${idOf(93)}', NULL, NULL, NULL, now()),
    (4, 'DLQ', NULL, NULL, NULL, 'refused', NULL, NULL, now() - interval '2 minutes'),
    (5, 'DLQ', NULL, NULL, NULL, 'refused', NULL, now() - interval '1 minute', now() - interval '2 minutes')
  ) AS job (n, status, next_run_at, processing_at, locked_by, cause, recovered_at, resolved_at, updated_at);
  INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, outcome, reach)
  SELECT gen_random_uuid(), ('00000000-0000-4000-8000-00000000000' || n)::uuid, 1, now() - interval '2 minutes', 10, outcome::attempt_outcome, 'ANSWERED'
  FROM (VALUES (1, 'SENT'), (2, 'FAILED'), (4, 'DLQ'), (5, 'DLQ')) AS attempt (n, outcome);
  INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id, event_removed)
  VALUES ('T-0', 'T-0', false, '${IDS.restaurant}', '${idOf(90)}', true);
  INSERT INTO pos_tokens (id, token, expires_at, renewing_by, renewing_until) VALUES ('one', 'x', now() + interval '50 minutes', 'gone', now() + interval '10 seconds');
  INSERT INTO pos_outages (restaurant_id, began_at, failed_at, ended_at, ladder_at)
  VALUES ('${IDS.restaurant}', now() - interval '5 minutes', now() - interval '4 minutes', now() - interval '3 minutes', now() - interval '3 minutes');

  INSERT INTO printers (id, restaurant_id, name, token_hash, last_poll_at)
  VALUES ('${idOf(74)}', '${IDS.restaurant}', 'bar', '${HASH}', now());
  INSERT INTO tickets (id, job_id, restaurant_id, printer_id, reason, state, copy, offers, offered_at, printed_at) VALUES
    ('${idOf(75)}', '${idOf(4)}', '${IDS.restaurant}', '${idOf(74)}', 'PARKED', 'OFFERED', 1, 1, now() - interval '2 minutes', NULL),
    ('${idOf(76)}', '${idOf(4)}', '${IDS.restaurant}', '${idOf(74)}', 'PARKED', 'PRINTED', 2, 1, now() - interval '5 minutes', now() - interval '5 minutes');

  INSERT INTO alerts (id, restaurant_id, kind, cause, dedup_key, count, opened_at, last_at, next_step_at, covered_until) VALUES
    ('${idOf(77)}', '${IDS.restaurant}', 'ORDER_PARKED', 'refused', 'ORDER_PARKED:${IDS.restaurant}:refused', 1, now() - interval '61 seconds', now(),
     now() - interval '1 second', now() - interval '2 minutes');
  INSERT INTO alerts (id, restaurant_id, kind, count, opened_at, last_at, acknowledged_at, closed_at)
  VALUES ('${idOf(78)}', '${IDS.restaurant}', 'ORDER_LATE', 1, now() - interval '40 minutes', now() - interval '30 minutes', now() - interval '30 minutes',
          now() - interval '30 minutes');
  INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, state, attempts, next_try_at, claimed_at, ended_at, created_at) VALUES
    ('${idOf(79)}', '${idOf(78)}', 0, 'push', 'user:${IDS.owner}', '${IDS.owner}', 'SENT', 1, now() - interval '35 minutes', now() - interval '35 minutes',
     now() - interval '35 minutes', now() - interval '35 minutes'),
    ('${idOf(80)}', '${idOf(77)}', 9, 'mail', 'user:${IDS.owner}', '${IDS.owner}', 'WAITING', 1, now() - interval '1 second', now() - interval '31 seconds', NULL,
     now() - interval '35 seconds');

  INSERT INTO audit_entries (id, action) VALUES ('${idOf(81)}', 'user.signed_in');
  INSERT INTO relay_instances (id, version, host, worker_enabled, pace) VALUES ('other:1', '1', 'other', true, 'tick');
  INSERT INTO clock_marks (hour) VALUES (date_trunc('hour', now()));
  INSERT INTO devices (id, user_id, endpoint, endpoint_digest, p256dh, auth, confirmed_at, confirm_until, last_sent_at)
  VALUES ('${idOf(82)}', '${IDS.owner}', 'https://push.example', '${HASH}', 'p', 'a', now(), now() + interval '24 hours', now());
  INSERT INTO notification_preferences (user_id, closings, mail_confirmed_at, mail_confirm_until, push_tested_at, mail_tested_at)
  VALUES ('${IDS.owner}', false, now(), now() + interval '24 hours', now() - interval '2 minutes', now() - interval '2 minutes');
  INSERT INTO alert_webhooks (restaurant_id, url, secret, confirmed_at, last_sent_at) VALUES ('${IDS.restaurant}', 'https://hook.example', 'x', now(), now());
  INSERT INTO platform_keys (name, public_key, private_key) VALUES ('evening', 'x', 'x');
  INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes, last_used_at, expires_at, revoked_at, foreign_store_at,
    refused_at, refused_since, refused_again_at) VALUES
    ('${idOf(83)}', '${IDS.restaurant}', 'till', 'TOKEN', 'kkkkkkk1', '${HASH}', '{sales:write}', now() - interval '2 minutes', now() + interval '300 days', NULL, now(), NULL, NULL, NULL),
    ('${idOf(84)}', '${IDS.restaurant}', 'old', 'TOKEN', 'kkkkkkk2', '${'f'.repeat(64)}', '{sales:write}', NULL, NULL, now(), NULL, now(), now(), now());
  INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, net_cents, payload)
  VALUES ('${idOf(88)}', '${IDS.restaurant}', 'T-1', '${HASH}', '{paidCents}', 1, '{}');
  INSERT INTO pos_catalogues (restaurant_id, products, code_digests, begun_at, replaced_at) VALUES ('${IDS.restaurant}', 0, '', now(), now());
  INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash, expires_at, revoked_at, polled_at)
  VALUES ('${idOf(89)}', '${IDS.restaurant}', 'till', '${HASH}', now() + interval '300 days', now(), now());
  INSERT INTO pos_acceptances (id, restaurant_id, job_id, "offer", state, acknowledged_at)
  VALUES ('${idOf(87)}', '${IDS.restaurant}', '${idOf(IDS.jobs.held)}', 0, 'PREPARING', now());
  INSERT INTO unheard_orders (job_id, restaurant_id, delivered_at) VALUES ('${idOf(IDS.jobs.held)}', '${IDS.restaurant}', now());
  INSERT INTO sale_hours (restaurant_id, hour, sales) VALUES ('${IDS.restaurant}', date_trunc('hour', now() - interval '1 hour'), 5);
  INSERT INTO sale_rhythms (restaurant_id, counted_until, first_hour, usual_hour, silent_since)
  VALUES ('${IDS.restaurant}', date_trunc('hour', now()), now() - interval '40 days', date_trunc('hour', now()), now() - interval '9 minutes');
  INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) VALUES ('${IDS.restaurant}', 'ITEM', 'T-7', '10042');

  INSERT INTO business_days (restaurant_id, number, day, closed_at, content, previous, hash)
  SELECT id, 1, business_day(now(), timezone, day_closes_at) - 1, now(), json_build_object('beginsAt', ended.at - interval '1 day', 'endsAt', ended.at,
         'perpetualCents', 0)::text, '', '${HASH}'
  FROM restaurants, LATERAL (SELECT (business_day(now(), timezone, day_closes_at) + day_closes_at::time) AT TIME ZONE timezone AS at) AS ended
  WHERE id = '${IDS.restaurant}';
  INSERT INTO day_sales (restaurant_id, number, line, event_key, kind, cents, state, received_at)
  VALUES ('${IDS.restaurant}', 1, 1, 'T-0', 'SALE', 100, 'delivered', now() - interval '20 hours');
  INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, state, attempts, next_try_at, claimed_at, ended_at, created_at) VALUES
    ('${idOf(85)}', 'closing', '${IDS.restaurant}', 1, 'mail', 'user:${IDS.owner}', '${IDS.owner}', 'WAITING', 1, now() + interval '30 seconds',
     now() - interval '1 second', NULL, now() - interval '1 minute'),
    ('${idOf(86)}', 'closing', '${IDS.restaurant}', 0, 'mail', 'user:${IDS.owner}', '${IDS.owner}', 'SENT', 1, now() - interval '1 day',
     now() - interval '1 day', now() - interval '1 day', now() - interval '1 day');
  -- by an instance of the version before
  INSERT INTO closing_mails (restaurant_id, number, user_id, id, state, next_try_at, claimed_at, ended_at)
  VALUES ('${IDS.restaurant}', -1, '${IDS.owner}', '${idOf(89)}', 'SENT', now(), now(), now());

  INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, mapping, confirmed_at, matched_at, from_day,
    to_day)
  VALUES ('${idOf(87)}', '${IDS.restaurant}', 'a.csv', '${HASH}', 1, 1, '{}', 1, ',', 'utf-8', '{}', now(), now(), now(), now());
  INSERT INTO terminal_file_rows (file_id, line, restaurant_id, refused, answer, at, event_at, decided_at)
  VALUES ('${idOf(87)}', 1, '${IDS.restaurant}', '{}', 'MISSING_HERE', now(), now(), now());
  INSERT INTO terminal_file_missing (file_id, place, event_key, event_cents, event_at) VALUES ('${idOf(87)}', 1, 'T-1', 1, now());
  INSERT INTO terminal_file_decisions (restaurant_id, sha256, line, refused, decision, at, decided_at, kept_at)
  VALUES ('${IDS.restaurant}', '${HASH}', 1, '{}', 'ENTERED', now(), now(), now())`;

/** Makes it the evening again. `relay_instances` keeps the rows of the relays of the test. */
export async function evening(database: TestDatabase, relays: readonly string[]): Promise<void> {
  const payload = JSON.stringify(sale({ transactionKey: 'T-1' })).replaceAll("'", "''");
  await database.query(`DO $$ DECLARE name text; BEGIN
    SET LOCAL session_replication_role = replica;
    FOR name IN SELECT oid::regclass FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT IN ('_prisma_migrations', 'relay_instances')
    LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
    DELETE FROM relay_instances WHERE id <> ALL ('{${relays.join(',')}}'::text[]);
    ${EVENING(payload)};
  END $$`);
}

/** Moves these columns of every row of their tables by `ms`: what is left of a clock that was wrong by as much. */
export async function move(database: TestDatabase, columns: readonly Column[], ms: number): Promise<void> {
  const by = `interval '${ms} milliseconds'`;
  const updates = [...byTable(columns)].map(
    ([table, of]) => `UPDATE ${table} SET ${of.map(({ column }) => `${column} = ${column} + ${by}`).join(', ')};`,
  );
  await database.query(`DO $$ BEGIN SET LOCAL session_replication_role = replica; ${updates.join('\n')} END $$`);
}

/** A column with a point in time. */
export interface Column {
  readonly table: string;
  readonly column: string;
}

function byTable(columns: readonly Column[]): ReadonlyMap<string, Column[]> {
  const tables = new Map<string, Column[]>();
  for (const each of columns) tables.set(each.table, [...(tables.get(each.table) ?? []), each]);
  return tables;
}

/** Every column with a point in time. */
export const columnsOf = (database: TestDatabase) =>
  database.query<Column>(
    `SELECT c.relname AS table, attname AS column FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND attnum > 0 AND NOT attisdropped
       AND atttypid IN ('timestamptz'::regtype, 'timestamp'::regtype) AND c.relname <> '_prisma_migrations' ORDER BY 1, 2`,
  );

/** SQL: what must not be left, one line each. */
export const WRONG = `
  SELECT 'order waits: ' || event_key AS wrong FROM outbox_jobs
  WHERE (status = 'PENDING' AND next_run_at > now() + interval '10 seconds') OR (status = 'FAILED' AND next_run_at > now() + interval '66 minutes')
  UNION ALL SELECT 'lease begins later: ' || event_key FROM outbox_jobs WHERE status = 'PROCESSING' AND processing_at > now() + interval '10 seconds'
  UNION ALL SELECT 'message is held back: ' || channel FROM notifications WHERE state = 'WAITING' AND next_try_at <= now()
  UNION ALL SELECT 'message waits: ' || channel FROM notifications WHERE state = 'WAITING' AND next_try_at > now() + interval '66 minutes'
  UNION ALL SELECT 'message is being sent for ever' FROM notifications WHERE state = 'SENDING'
  UNION ALL SELECT 'step waits: ' || kind FROM alerts
  WHERE dedup_key IS NOT NULL AND next_step_at > now() + CASE step WHEN first_step THEN interval '1 minute' ELSE interval '30 minutes' END
  UNION ALL SELECT 'new orders are covered: ' || kind FROM alerts WHERE dedup_key IS NOT NULL AND covered_until > now() + interval '10 seconds'
  -- a ticket ends with the business day of its order
  UNION ALL SELECT 'ticket ended: ' || tickets.state FROM tickets JOIN outbox_jobs job ON job.id = job_id
  WHERE tickets.state IN ('EXPIRED', 'FAILED') AND job.created_at > now() - interval '13 hours'
  UNION ALL SELECT 'day closed: ' || business_days.day FROM business_days JOIN restaurants ON restaurants.id = restaurant_id
  WHERE business_days.day >= business_day(now(), timezone, day_closes_at)`;
