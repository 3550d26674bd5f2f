import { setTimeout as delay } from 'node:timers/promises';
import type { TestDatabase } from './database.js';

export interface JobRow {
  id: string;
  event_key: string;
  status: string;
  attempts: number;
  next_run_at: Date | null;
  processing_at: Date | null;
  locked_by: string | null;
  last_error: string | null;
  withdrawn: boolean;
  /** ms from the database's now to next_run_at */
  due_in_ms: number | null;
}

export interface AttemptRow {
  number: number;
  outcome: string;
  reach: string;
  http_status: number | null;
  error_code: string | null;
  error: string | null;
  duration_ms: number;
}

/** What the tests read, and the clock they turn: time is the database's, so it is the rows that are moved. */
export class Jobs {
  constructor(private readonly database: TestDatabase) {}

  async get(id: string): Promise<JobRow> {
    const [job] = await this.database.query<JobRow>(
      `SELECT *, (extract(epoch FROM next_run_at - now()) * 1000)::float8 AS due_in_ms FROM outbox_jobs WHERE id = $1`,
      [id],
    );
    if (!job) throw new Error(`no job ${id}`);
    return job;
  }

  attempts(id: string): Promise<AttemptRow[]> {
    return this.database.query<AttemptRow>('SELECT * FROM delivery_attempts WHERE job_id = $1 ORDER BY started_at', [
      id,
    ]);
  }

  /** As if its waiting time had passed. */
  async makeDue(id: string): Promise<void> {
    await this.database.query(`UPDATE outbox_jobs SET next_run_at = now() - interval '1 second' WHERE id = $1`, [id]);
  }

  /** As if its lease had been taken `ms` earlier. */
  async ageLease(id: string, ms: number): Promise<void> {
    await this.database.query(
      `UPDATE outbox_jobs SET processing_at = processing_at - $2::int * interval '1 millisecond' WHERE id = $1`,
      [id, ms],
    );
  }

  async countByStatus(): Promise<Record<string, number>> {
    const rows = await this.database.query<{ status: string; count: number }>(
      'SELECT status::text, count(*)::int AS count FROM outbox_jobs GROUP BY 1',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Waits for a condition by asking the database again and again; returns as soon as it holds. */
  async until(condition: () => Promise<boolean>, timeoutMs = 30_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (!(await condition())) {
      if (Date.now() > deadline) throw new Error(`the condition did not come true: ${condition}`);
      await delay(20);
    }
  }
}
