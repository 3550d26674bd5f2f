// Sales of a month, by SQL, and the file that an acquirer has of them.
import { withConnection } from '../../postgres/connection.ts';

/** Each day has the same number of sales. */
const DAYS = 30;
const DAY_MS = 86_400_000;
/** One sale in MISSING_EACH never reached the relay. One in BY_AUTHORISATION_EACH has the acquirer's own reference: only its authorisation finds it. */
const [MISSING_EACH, BY_AUTHORISATION_EACH] = [100, 5];

/** EVIDENCE=1: payments have the fields of the standard (M22) in place of the terminal's own names. */
const [CODE, TERMINAL] =
  process.env.EVIDENCE === '1' ? ['authorizationCode', 'terminalId'] : ['authorisation', 'terminal'];

/** Where the month begins: it ended yesterday. Once: a run may go on beyond midnight. */
const BEGINNING = Math.floor(Date.now() / DAY_MS) * DAY_MS - (DAYS + 1) * DAY_MS;

/** Writes the sales of a month of one restaurant; about 700 bytes each, as a terminal sends them. */
export const sell = (url, restaurantId, count) =>
  withConnection(url, async (query) => {
    await query(`UPDATE restaurants SET timezone = 'UTC', day_closes_at = '04:00' WHERE id = $1`, [restaurantId]);
    for (let from = 0; from < count; from += 2_000)
      await query(
        `WITH sale AS (
           SELECT n, 'sale-' || n AS key, to_timestamp($2::float8 / 1000 + n * $3::float8 / 1000) AS at, 1000 + n % 900 AS cents
           FROM generate_series($4::int, least($5::int, $4::int + 2000) - 1) n WHERE n % ${MISSING_EACH} <> 7),
         event AS (
           INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, transaction_date, paid_cents,
             paid_by_tender, payload, received_at)
           SELECT key, key, false, $1::uuid, n::text, at, cents, jsonb_build_object('16', cents),
             jsonb_build_object('transactionKey', key, 'items', (SELECT jsonb_agg(jsonb_build_object('itemCode', 'PZ-' || i, 'itemName', 'Pizza Margherita',
               'quantity', 1, 'price', cents / 300.0)) FROM generate_series(1, 3) i),
               'payments', jsonb_build_array(jsonb_build_object('tenderType', 16, 'amount', cents / 100.0, '${CODE}', 'A' || n,
                 '${TERMINAL}', 'T-01', 'brand', 'visa', 'note', repeat('x', 200)))), at
           FROM sale)
         INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), key, $1::uuid, 'SENT', NULL, at, at FROM sale`,
        [restaurantId, BEGINNING, (DAYS * DAY_MS) / count, from, count],
      );
    await query('ANALYZE terminal_events');
  });

/** The file of all of them, as CSV. */
export function fileOf(count) {
  const lines = ['Order id;Authorization code;Date;Amount;Type'];
  for (let n = 0; n < count; n++) {
    const at = new Date(BEGINNING + (n * DAYS * DAY_MS) / count).toISOString();
    const reference = n % BY_AUTHORISATION_EACH === 3 ? `acquirer-${n}` : `sale-${n}`;
    const cents = 1_000 + (n % 900);
    lines.push(`${reference};A${n};${at.slice(0, 10)} ${at.slice(11, 19)};${(cents / 100).toFixed(2)};Sale`);
  }
  return `${lines.join('\n')}\n`;
}
