import type { TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

export interface JobRow {
  id: string;
  event_key: string;
  status: string;
  attempts: number;
  next_run_at: Date | null;
  processing_at: Date | null;
  locked_by: string | null;
  cause: string | null;
  last_error: string | null;
  withdrawn: boolean;
  /** ms from the database's now to next_run_at */
  due_in_ms: number | null;
}

/** Reads jobs, and moves their times: the relay uses the database's clock (O5). */
export class Jobs {
  constructor(private readonly database: TestDatabase) {}

  async get(id: string): Promise<JobRow> {
    const dueInMs = '(extract(epoch FROM next_run_at - now()) * 1000)::float8 AS due_in_ms';
    const [job] = await this.database.query<JobRow>(`SELECT *, ${dueInMs} FROM outbox_jobs WHERE id = $1`, [id]);
    if (!job) throw new Error(`no job ${id}`);
    return job;
  }

  attempts = (id: string) =>
    this.database.query('SELECT * FROM delivery_attempts WHERE job_id = $1 ORDER BY started_at', [id]);

  async countByStatus(): Promise<Record<string, number>> {
    const sql = 'SELECT status, count(*)::int AS count FROM outbox_jobs GROUP BY 1';
    const rows = await this.database.query<{ status: string; count: number }>(sql);
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Makes it due now. */
  makeDue = (id: string) => this.set(id, `next_run_at = now() - interval '1 second'`);

  /** Moves its attempts `ms` into the past, and makes it due now. */
  async passes(id: string, ms: number): Promise<void> {
    await this.database.query(
      `UPDATE delivery_attempts SET started_at = started_at - $2::int * interval '1 millisecond' WHERE job_id = $1`,
      [id, ms],
    );
    await this.makeDue(id);
  }

  /** As an operator resets it (R11). */
  reset = (id: string) => this.set(id, `status = 'PENDING', attempts = 0, next_run_at = now(), last_error = NULL`);

  /** Moves its claim `ms` into the past. */
  ageLease = (id: string, ms: number) =>
    this.set(id, `processing_at = processing_at - $2::int * interval '1 millisecond'`, ms);

  /** Claims it for a worker that does not exist. @returns its id */
  take = (id: string) =>
    this.set(
      id,
      `status = 'PROCESSING', attempts = 1, processing_at = now(), locked_by = 'worker-7/' || gen_random_uuid()`,
    );

  /** Sets the time of its receipt or request. */
  async receivedAt(id: string, time: string): Promise<void> {
    await this.set(id, 'created_at = $2', time);
    await this.database.query(
      `UPDATE terminal_events SET received_at = $2 FROM outbox_jobs
       WHERE outbox_jobs.id = $1 AND action = 'CREATE' AND transaction_key = event_key`,
      [id, time],
    );
  }

  until = (condition: () => Promise<boolean>, timeoutMs?: number) => until(condition, timeoutMs);

  private async set(id: string, columns: string, ...values: unknown[]): Promise<string> {
    await this.database.query(`UPDATE outbox_jobs SET ${columns} WHERE id = $1`, [id, ...values]);
    return id;
  }
}
