// A year of closings with a valid chain, written by SQL in bulk: rows as the relay writes them (B4), and hashes that its check recomputes.

/** Restaurants of one statement: a statement has a limit, and the embedded database one thread. */
const BATCH = 50;

/**
 * Closes `days` days, of which the last ended a day ago, with `sales` sales each; one in 50 is parked and one in 40 late from the day
 * before. All restaurants close at midnight of UTC.
 */
export async function fillClosings(query, { restaurants, days, sales }) {
  await query(
    `UPDATE restaurants SET days_since = date_trunc('day', now()) - ($2::int + 1) * interval '1 day' WHERE id = ANY ($1::uuid[])`,
    [restaurants, days],
  );
  await query(WRITE_CHAIN);
  for (let from = 0; from < restaurants.length; from += BATCH) {
    const batch = [restaurants.slice(from, from + BATCH), days, sales];
    // the closing of each sale, its place in it, and its receipt
    const each = `unnest($1::uuid[]) AS restaurant, generate_series(1, $2::int) AS number, generate_series(1, $3::int) AS line,
      LATERAL (SELECT date_trunc('day', now()) - ($2::int + 2 - number) * interval '1 day' + line * interval '20 hours' / $3::int AS at,
        'sale-' || number || '-' || line AS key, line % 50 = 7 AS is_parked) AS one`;
    await query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, received_at, paid_cents, paid_by_tender, payload)
       SELECT key, key, false, restaurant, line::text, at, 7980, '{"16": 7980}',
         '{"transactionKey": "T", "items": [{"itemCode": "PZ-01", "quantity": 2, "price": 39.9}], "payments": [{"tenderType": 16, "amount": 79.8}]}'
       FROM ${each}`,
      batch,
    );
    await query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), key, restaurant, (CASE WHEN is_parked THEN 'DLQ' ELSE 'SENT' END)::job_status, 1, NULL, at, at FROM ${each}`,
      batch,
    );
    await query(
      `INSERT INTO day_sales (restaurant_id, number, line, event_key, kind, cents, state, received_at)
       SELECT restaurant, number, line, key, 'SALE', 7980, CASE WHEN is_parked THEN 'parked' ELSE 'delivered' END, at FROM ${each}`,
      batch,
    );
    await query(
      `INSERT INTO day_lines (restaurant_id, number, line, on_day, for_day, kind, amount_cents, event_key)
       SELECT restaurant, number, row_number() OVER (PARTITION BY restaurant, number ORDER BY line), at::date, at::date - 1, 'LATE', 7980, key
       FROM ${each} WHERE line % 40 = 2 AND number > 1`,
      batch,
    );
    await query(`INSERT INTO day_pending SELECT restaurant, key, 'parked' FROM ${each} WHERE is_parked`, batch);
    await query(`SELECT bench_chain(restaurant, $2::int) FROM unnest($1::uuid[]) AS restaurant`, batch.slice(0, 2));
  }
  await query('DROP FUNCTION bench_chain');
}

const WRITE_CHAIN = `
CREATE FUNCTION bench_chain(restaurant uuid, days integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  before text := '';
  said text;
  begins timestamptz;
  counted bigint;
  parked bigint;
  perpetual bigint := 0;
  hash text;
BEGIN
  FOR n IN 1..days LOOP
    begins := date_trunc('day', now(), 'UTC') - (days + 2 - n) * interval '1 day';
    SELECT count(*), count(*) FILTER (WHERE state = 'parked') INTO counted, parked FROM day_sales WHERE restaurant_id = restaurant AND number = n;
    perpetual := perpetual + counted * 7980;
    said := '{"restaurant":"' || restaurant || '","number":' || n || ',"day":"' || to_char(begins AT TIME ZONE 'UTC', 'YYYY-MM-DD')
      || '","beginsAt":"' || to_char(begins AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","endsAt":"' || to_char((begins + interval '1 day') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","timezone":"UTC","dayClosesAt":"00:00","currency":"","closedAt":"'
      || to_char((begins + interval '26 hours') AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","closedBy":"relay","sales":{"count":'
      || counted || ',"cents":' || counted * 7980 || '},"refunds":{"count":0,"cents":0},"netCents":' || counted * 7980 || ',"perpetualCents":'
      || perpetual || ',"states":{"waiting":{"count":0,"cents":0},"delivered":{"count":' || counted - parked || ',"cents":'
      || (counted - parked) * 7980 || '},"parked":{"count":' || parked || ',"cents":' || parked * 7980
      || '},"cancelled":{"count":0,"cents":0}},"tenders":[["16",' || counted || ',' || counted * 7980 || ']],"salesCount":' || counted
      || ',"salesHash":"' || day_sales_hash(restaurant, n) || '","linesCount":'
      || (SELECT count(*) FROM day_lines WHERE restaurant_id = restaurant AND number = n)
      || ',"linesHash":"' || day_lines_hash(restaurant, n) || '"}';
    hash := encode(sha256(convert_to('relay-day-1' || chr(10) || before || chr(10) || said, 'UTF8')), 'hex');
    INSERT INTO business_days (restaurant_id, number, day, closed_at, content, previous, hash)
    VALUES (restaurant, n, (begins AT TIME ZONE 'UTC')::date, begins + interval '26 hours', said, before, hash);
    before := hash;
  END LOOP;
END $$`;
