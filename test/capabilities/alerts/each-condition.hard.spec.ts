import { reconciling } from '../../../src/capabilities/alerts/reconcile.sql.js';
import { allConditions } from '../../../src/platform/conditions/condition.js';
import { LANGUAGES } from '../../../src/platform/http/fields/languages.js';
import { countingRows } from '../../support/rows-read.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { Evening } from './evening.js';

const ORDERS = 50_000;
/** What a round reads beside what a condition is about: the restaurants, and each list of it a few times. */
const ROWS = 2_000;

const IDS = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
const [ROMA, BARI, PISA] = IDS as [string, string, string];
const HASH = 'a'.repeat(64);
const DATABASE_KIND = 'DATABASE';

/** An order of a restaurant with this key, whose job is in this state. */
const order = (restaurant: string, key: string, job: string) => `
  INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at, paid_cents)
  VALUES ('${key}', '${key}', false, '${restaurant}', '{}', now() - interval '10 minutes', 4250);
  INSERT INTO outbox_jobs (id, event_key, restaurant_id, created_at, updated_at, ${job.split(' = ')[0]}) VALUES (
    gen_random_uuid(), '${key}', '${restaurant}', now() - interval '10 minutes', now(), ${job.split(' = ')[1]});`;
const failed = (restaurant: string, cause: string, error: string) => `
  ${order(restaurant, `FAILED-${restaurant}`, `status, attempts, cause, last_error, next_run_at = 'FAILED', 1, '${cause}', '${error}', now() + interval '1 hour'`)}
  INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ('${restaurant}', now() - interval '10 minutes', now());`;
const NO_FAILURES = `DELETE FROM pos_outages; DELETE FROM outbox_jobs WHERE status = 'FAILED'; DELETE FROM terminal_events WHERE transaction_key LIKE 'FAILED-%'`;
const key = (restaurant: string | null, columns: string, values: string) => `
  INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes, ${columns})
  VALUES (gen_random_uuid(), ${restaurant ? `'${restaurant}'` : 'NULL'}, 'Terrace', 'TOKEN', 'Aa000001', '${HASH}', '{sales:write}', ${values})`;

/** For each kind: SQL with which it holds, SQL with which it ends, and whether the platform has it. */
const CONDITIONS: Readonly<Record<string, { begin: string; end: string; platform?: true }>> = {
  ORDER_PARKED: {
    begin: order(
      ROMA,
      'PARKED',
      `status, cause, last_error, next_run_at = 'DLQ', 'refused', 'HTTP 400: unknown product', NULL`,
    ),
    end: `UPDATE outbox_jobs SET resolved_at = now() WHERE event_key = 'PARKED'`,
  },
  ORDER_LATE: {
    begin: order(ROMA, 'LATE', `status, next_run_at = 'PENDING', now() - interval '10 minutes'`),
    end: `UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL WHERE event_key = 'LATE'`,
  },
  POS_REFUSES: { begin: failed(ROMA, 'failing', 'HTTP 503: maintenance'), end: NO_FAILURES },
  VENDOR_DOWN: {
    begin: IDS.map((id) => failed(id, 'failing', 'HTTP 503: maintenance')).join('\n'),
    end: NO_FAILURES,
    platform: true,
  },
  SIGN_IN: {
    begin: failed(ROMA, 'sign_in', 'POS sign-in failed: HTTP 401: unknown partner'),
    end: NO_FAILURES,
    platform: true,
  },
  BACKLOG: {
    begin: `WITH event AS (
        INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
        SELECT 'DUE-' || n, 'DUE-' || n, false, '${BARI}', '{}' FROM generate_series(1, 100) n RETURNING transaction_key, restaurant_id)
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, next_run_at)
      SELECT gen_random_uuid(), transaction_key, restaurant_id, now() - interval '2 minutes' FROM event`,
    end: `UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL WHERE event_key LIKE 'DUE-%'`,
    platform: true,
  },
  DATABASE_SLOW: {
    begin: `INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace, slow_checks, database_ms)
      VALUES ('slow:1', '1', 'slow', now(), now(), true, 'eager', 3, 1500)`,
    end: `DELETE FROM relay_instances WHERE id = 'slow:1'`,
    platform: true,
  },
  NOTHING_SENT: {
    begin: `INSERT INTO relay_instances (id, version, host, worker_enabled, pace) VALUES ('desk:1', '1', 'desk', false, 'eager')`,
    end: `DELETE FROM relay_instances WHERE id = 'desk:1'`,
    platform: true,
  },
  INSTANCE_LOST: {
    begin: `INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace)
      VALUES ('lost:1', '1', 'lost', now() - interval '1 hour', now() - interval '2 minutes', true, 'eager')`,
    end: `DELETE FROM relay_instances WHERE id = 'lost:1'`,
    platform: true,
  },
  KEY_EXPIRES: {
    begin: key(ROMA, 'expires_at', `now() + interval '2 days'`),
    end: 'DELETE FROM sender_keys',
  },
  SENDER_REFUSED: {
    begin: key(
      PISA,
      'revoked_at, refused_at, refused_since, refused_count, refused_reason',
      `now(), now(), now() - interval '1 minute', 5, 'revoked'`,
    ),
    end: 'DELETE FROM sender_keys',
  },
  KEY_REUSED: {
    begin: `INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, net_cents, payload)
      VALUES (gen_random_uuid(), '${ROMA}', 'SALE-1', '${HASH}', '{items}', 100, '{}')`,
    end: `UPDATE refused_sales SET received_at = now() - interval '25 hours'`,
  },
  POS_SILENT: {
    begin: `UPDATE restaurants SET pos_vendor = 'open-delivery', pulls = true WHERE id = '${ROMA}';
      INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash, polled_at)
      VALUES (gen_random_uuid(), '${ROMA}', 'Till', 'digest', now() - interval '4 minutes');
      ${order(ROMA, 'UNFETCHED', `status, next_run_at = 'PENDING', now() - interval '4 minutes'`)}`,
    end: `UPDATE pos_credentials SET polled_at = now();
      UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL WHERE event_key = 'UNFETCHED';
      UPDATE restaurants SET pos_vendor = NULL, pulls = false`,
  },
  NOT_ACCEPTED: {
    begin: `UPDATE restaurants SET pos_vendor = 'open-delivery', pulls = true WHERE id = '${ROMA}';
      INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash, polled_at) VALUES (gen_random_uuid(), '${ROMA}', 'Till', 'digest', now());
      ${order(ROMA, 'UNHEARD', `status, next_run_at = 'SENT', NULL`)}
      INSERT INTO unheard_orders (job_id, restaurant_id, delivered_at)
      SELECT id, restaurant_id, now() - interval '6 minutes' FROM outbox_jobs WHERE event_key = 'UNHEARD'`,
    end: `INSERT INTO pos_acceptances (id, restaurant_id, job_id, "offer", state)
      SELECT gen_random_uuid(), restaurant_id, id, 0, 'PREPARING' FROM outbox_jobs WHERE event_key = 'UNHEARD';
      UPDATE restaurants SET pos_vendor = NULL, pulls = false`,
  },
  SENDER_SILENT: {
    begin: `INSERT INTO sale_rhythms (restaurant_id, counted_until, silent_since) VALUES ('${ROMA}', now(), now())`,
    end: 'DELETE FROM sale_rhythms',
  },
  PRINTER_AWAY: {
    begin: `INSERT INTO printers (id, restaurant_id, name, token_hash, last_poll_at)
      VALUES (gen_random_uuid(), '${ROMA}', 'Kitchen', 'digest', now() - interval '2 minutes')`,
    end: 'UPDATE printers SET last_poll_at = now()',
  },
  MISSING_HERE: {
    begin: `INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, mapping,
        confirmed_at, matched_at, from_day, to_day, missing)
      VALUES (gen_random_uuid(), '${ROMA}', 'may.csv', '${HASH}', 1, 1, '{}', 1, ',', 'utf-8', '{}', now(), now(), now(), now(), 1)`,
    end: 'UPDATE terminal_files SET missing = 0',
  },
};

describe('each condition beside 50,000 orders (G1, G2, G3, G8, R30)', () => {
  const scenario = Scenario.ofSuite();
  let evening: Evening;
  const query = (sql: string) => scenario.database.query(sql);

  beforeAll(async () => {
    evening = Evening.on(scenario);
    // a heartbeat of its own, which delivers nothing, would be NOTHING_SENT at any time
    scenario.relay.withoutIntervals();
    // the first one is written while the suite begins
    await until(async () => (await query('SELECT 1 FROM relay_instances')).length > 0);
    await query('DELETE FROM relay_instances');
    await query('DELETE FROM relay_instances');
    await query(
      `INSERT INTO restaurants (id, name, slug) SELECT id::uuid, 'Trattoria', id FROM unnest(ARRAY['${IDS.join("','")}']) id;
       WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload, received_at)
         SELECT 'T-' || n, 'T-' || n, false, (ARRAY['${IDS.join("','")}'])[n % 3 + 1]::uuid, '{}', now() - n * interval '2 minutes'
         FROM generate_series(1, ${ORDERS}) n RETURNING transaction_key, restaurant_id, received_at)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, created_at, updated_at, resolved_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, CASE WHEN settled THEN 'DLQ' ELSE 'SENT' END::job_status, 1, NULL, received_at, received_at,
              CASE WHEN settled THEN received_at END
       FROM event, LATERAL (SELECT hashtext(transaction_key) % 100 = 0 AS settled) AS state;
       -- by a POS that the relay calls
       INSERT INTO delivery_attempts (id, job_id, number, started_at, duration_ms, http_status, outcome, reach)
       SELECT gen_random_uuid(), id, 1, updated_at, 10, 200, 'SENT', 'ANSWERED' FROM outbox_jobs WHERE status = 'SENT';
       ANALYZE`,
    );
    for (const language of LANGUAGES) {
      const platform = await scenario.person('ADMIN');
      for (const id of IDS) {
        const owner = await evening.staff(id, 'OWNER');
        const looker = await evening.staff(id, 'VIEWER');
        evening.reach(owner.id, { language });
        evening.reach(looker.id, { language, always: true });
      }
      evening.reach(platform.id, { language });
    }
  });

  test('the table has each kind that the database can say', () => {
    const kinds = allConditions().filter(({ select }) => select);
    expect(Object.keys(CONDITIONS).sort()).toEqual(kinds.map(({ kind }) => kind).sort());
    expect(
      allConditions()
        .filter(({ select }) => !select)
        .map(({ kind }) => kind),
    ).toEqual([DATABASE_KIND]);
  });

  test.each(Object.entries(CONDITIONS))(
    '%s: by index; told in both languages with what helps, to who may act with a button; closed',
    async (kind, { begin, end, platform }) => {
      evening.sent.length = 0;
      // those of the conditions before count for the limits of G8
      await query('DELETE FROM notifications');
      await query(begin);
      const { prisma, read } = countingRows(scenario);
      await prisma.prepared(reconciling(allConditions()), [false, 300_000, Date.now()]);
      for (const rows of read) expect(rows).toBeLessThan(ROWS);
      const find = async () =>
        (await evening.alerts()).find(
          (alert) => alert.kind === kind && (alert.restaurant_id === null) === (platform ?? false),
        );
      expect(await find()).toMatchObject({ closed_at: null });
      await evening.after(1.1);
      await evening.after(6);
      const about = evening.sent.filter(({ message }) => message.fields.kind === kind);
      const texts = new Map<string, string>();
      for (const language of LANGUAGES) {
        const told = about.filter(
          ({ recipient }) => 'userId' in recipient && evening.preferences.get(recipient.userId)?.language === language,
        );
        expect(told.length).toBeGreaterThan(0);
        for (const { recipient, message } of told) {
          const { always } = evening.preferences.get((recipient as { userId: string }).userId) as { always: boolean };
          expect(message.text.split('\n')[0]).toMatch(/^[\p{Lu}\d].{20,}\.$/u);
          expect(message.title + message.text).not.toMatch(/undefined|null|NaN/);
          const mayAct = (message.links ?? []).length > 1 || 'acknowledge' in message.fields;
          expect(mayAct).toBe(!always);
          texts.set(language, message.text.split('\n')[0] as string);
        }
      }
      expect(new Set(texts.values()).size).toBe(LANGUAGES.length);
      evening.sent.length = 0;
      await query(end);
      // what closes is looked at by index, too: a person may end the conditions of many restaurants at once
      await query(`UPDATE alerts SET last_at = last_at - interval '1 minute'`);
      read.length = 0;
      await prisma.prepared(reconciling(allConditions()), [false, 300_000, Date.now()]);
      expect(read.length).toBeGreaterThan(0);
      for (const rows of read) expect(rows).toBeLessThan(ROWS);
      await evening.after(1);
      await evening.after(2);
      expect((await find())?.closed_at).toBeInstanceOf(Date);
      expect(
        evening.sent.filter(({ message }) => message.fields.kind === kind && message.fields.state === 'closed').length,
      ).toBeGreaterThan(0);
    },
  );
});
