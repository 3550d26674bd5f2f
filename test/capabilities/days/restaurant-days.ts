import { createHash } from 'node:crypto';
import type { Scenario } from '../../support/scenario.js';

let stores = 0;

export interface Sold {
  readonly key: string;
  readonly at: string;
  readonly cents?: number;
  readonly status?: 'PENDING' | 'SENT' | 'FAILED' | 'DLQ';
  readonly soldAt?: string | null;
  readonly tender?: string;
  readonly testMode?: boolean;
  /** what was paid with each tender; in place of `tender` */
  readonly tenders?: Readonly<Record<string, number>>;
  /** in cents; null: the terminal sent none */
  readonly tip?: number | null;
  readonly fee?: number | null;
}

interface DayRow {
  number: number;
  day: string;
  content: string;
  previous: string;
  hash: string;
}

/** A restaurant whose days are closed since a time, and its days. */
export class RestaurantDays {
  private constructor(
    readonly scenario: Scenario,
    readonly id: string,
    readonly token: string,
    readonly path: string,
  ) {}

  static async open(
    scenario: Scenario,
    since: string,
    timezone = 'UTC',
    dayClosesAt = '04:00',
  ): Promise<RestaurantDays> {
    const { id, token } = await scenario.restaurant(`DAYS-${++stores}`);
    await scenario.database.query(
      'UPDATE restaurants SET days_since = $2::timestamptz, timezone = $3, day_closes_at = $4 WHERE id = $1',
      [id, since, timezone, dayClosesAt],
    );
    return new RestaurantDays(scenario, id, token, `/restaurants/${id}/days`);
  }

  /** Stores a sale as it would be at that time, with its job in this state. A negative amount is a refund. */
  async sold({
    key,
    at,
    cents = 100,
    status = 'SENT',
    soldAt = null,
    tender = '1',
    testMode = false,
    tenders = { [tender]: cents },
    tip = null,
    fee = null,
  }: Sold): Promise<void> {
    const isRefund = cents < 0;
    await this.scenario.database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_date, paid_cents, paid_by_tender,
           amount_mismatch_cents, payload, received_at, tip_cents, service_fee_cents)
         VALUES ($1, $1, $2, $3, $4, $5, $6::jsonb, $7, '{}', $8, $10, $11))
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       VALUES (gen_random_uuid(), $1, $3, $9::job_status, $8, $8, $8)`,
      [
        ...[key, testMode, this.id, soldAt, isRefund ? 0 : cents, JSON.stringify(isRefund ? {} : tenders)],
        ...[isRefund ? cents : null, at, status, tip, fee],
      ],
    );
  }

  /** Its order is in the POS since this time; a parked one was sent again before. */
  async delivered(key: string, at: string): Promise<void> {
    const moved = (set: string, from: string) =>
      this.scenario.database.query(
        `UPDATE outbox_jobs SET ${set}, updated_at = $3
         WHERE event_key = $1 AND restaurant_id = $2 AND action = 'CREATE' AND NOT withdrawn AND status IN (${from})`,
        [key, this.id, at],
      );
    await moved(`status = 'PENDING', next_run_at = now(), attempts = 0`, `'DLQ', 'FAILED'`);
    await moved(`status = 'SENT'`, `'PENDING'`);
  }

  /** Its cancel was requested at this time, and is in this state. */
  async cancelled(key: string, at: string, status: 'PENDING' | 'SENT' | 'DLQ' = 'SENT'): Promise<void> {
    await this.scenario.database.query(
      `WITH withdrawn AS (
         UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL, updated_at = $3
         WHERE event_key = $1 AND restaurant_id = $2 AND action = 'CREATE' AND status IN ('PENDING', 'FAILED', 'DLQ') AND NOT withdrawn)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, next_run_at, created_at, updated_at)
       VALUES (gen_random_uuid(), $1, $2, 'CANCEL', $4::job_status, $3, $3, $3) ON CONFLICT DO NOTHING`,
      [key, this.id, at, status],
    );
  }

  close = (day: string, token = this.token) => this.scenario.api.post(`${this.path}/${day}/close`, token);
  get = (rest = '', token = this.token) => this.scenario.api.get(`${this.path}${rest}`, token);

  async closed(day: string) {
    return (await this.close(day).expect(201)).body.data;
  }

  async check(query = '') {
    return (await this.get(`/check${query}`).expect(200)).body.data;
  }

  rows(): Promise<DayRow[]> {
    return this.scenario.database.query<DayRow>(
      `SELECT number, to_char(day, 'YYYY-MM-DD') AS day, content, previous, hash FROM business_days WHERE restaurant_id = $1 ORDER BY number`,
      [this.id],
    );
  }

  async lines(): Promise<[on: string, forDay: string, kind: string, key: string, cents: number][]> {
    const rows = await this.scenario.database.query<{ told: [string, string, string, string, number] }>(
      `SELECT json_build_array(on_day, for_day, kind, event_key, amount_cents) AS told FROM day_lines WHERE restaurant_id = $1
       ORDER BY number, line`,
      [this.id],
    );
    return rows.map(({ told }) => told);
  }

  /** Changes rows past the triggers, as somebody with the rights of a superuser does. */
  async tamper(sql: string): Promise<void> {
    await this.scenario.database.query(
      `SET session_replication_role = replica; ${sql}; SET session_replication_role = origin`,
    );
  }
}

/** SHA-256 in hex of rows, by the format that docs/specification.md B4 gives, written a second time. */
export function sealOf(rows: readonly (readonly (string | number)[])[]): string {
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
