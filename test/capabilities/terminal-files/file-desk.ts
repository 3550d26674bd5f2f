import type { Scenario } from '../../support/scenario.js';

let stores = 0;

/** A sale as it is stored. */
export interface Sold {
  readonly key: string;
  readonly at: string;
  readonly cents: number;
  readonly number?: string;
  readonly tender?: string;
  readonly payload?: Record<string, unknown>;
}

/** A restaurant, its sales, and the files that are compared with them. */
export class FileDesk {
  private constructor(
    readonly scenario: Scenario,
    readonly id: string,
    readonly token: string,
    readonly path: string,
  ) {}

  static async open(scenario: Scenario, timezone = 'UTC', dayClosesAt = '04:00'): Promise<FileDesk> {
    const { id, token } = await scenario.restaurant(`FILES-${++stores}`);
    await scenario.database.query('UPDATE restaurants SET timezone = $2, day_closes_at = $3 WHERE id = $1', [
      ...[id, timezone, dayClosesAt],
    ]);
    return new FileDesk(scenario, id, token, `/restaurants/${id}/terminal-files`);
  }

  /** Stores sales as they were received at their time. */
  async sold(sales: readonly Sold[]): Promise<void> {
    const rows = sales.map(({ tender = '16', number = null, payload = {}, ...sale }) => ({
      ...sale,
      tender,
      number,
      payload,
    }));
    await this.scenario.database.query(
      `WITH sale AS (
         SELECT * FROM jsonb_to_recordset($2::jsonb) AS s(key text, at timestamptz, cents bigint, number text, tender text, payload jsonb)),
       event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_number, transaction_date, paid_cents,
           paid_by_tender, payload, received_at)
         SELECT key, key, false, $1::uuid, number, at, cents, jsonb_build_object(tender, cents), payload, at FROM sale)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), key, $1::uuid, 'SENT', at, at, at FROM sale`,
      [this.id, JSON.stringify(rows)],
    );
  }

  upload(content: string | Buffer, name = 'file.csv', token = this.token) {
    const asked = this.scenario.relay.http.post(`${this.path}?name=${encodeURIComponent(name)}`);
    return asked.auth(token, { type: 'bearer' }).type('text/csv').send(content);
  }

  /** An uploaded file with its preview. */
  async uploaded(content: string | Buffer, name?: string) {
    return (await this.upload(content, name).expect(201)).body.data;
  }

  confirm = (id: string, mapping: object, beside: object = {}) =>
    this.scenario.api.post(`${this.path}/${id}/confirm`, this.token, { ...mapping, ...beside });

  /** Uploads a file and confirms it as it was guessed, or with changes. @returns the confirmed file */
  async confirmed(content: string | Buffer, changes: object = {}, name?: string) {
    const { id, mapping } = await this.uploaded(content, name);
    return (await this.confirm(id, { ...mapping, ...changes }).expect(200)).body.data;
  }

  async differences(id: string, query = '') {
    return (await this.scenario.api.get(`${this.path}/${id}/differences${query}`, this.token).expect(200)).body;
  }

  /** The rows that differ, as answer and reference or key. */
  async named(id: string): Promise<[answer: string, of: string | null][]> {
    const { data } = await this.differences(id);
    return data.map((one: { answer: string; reference: string | null; sale: { transactionKey: string } | null }) => [
      one.answer,
      one.reference ?? one.sale?.transactionKey ?? null,
    ]);
  }

  takeBack = (id: string) => this.scenario.api.delete(`${this.path}/${id}`, this.token);

  decide = (
    id: string,
    line: number,
    what: 'accept' | 'refuse' | 'enter' | 'check' | 'undo',
    body: object,
    token = this.token,
  ) => this.scenario.api.post(`${this.path}/${id}/rows/${line}/${what}`, token, body);
}

/** Lines of a file, ended as spreadsheets do. */
export const lines = (...of: readonly string[]) => `${of.join('\r\n')}\r\n`;
