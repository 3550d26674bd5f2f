import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

const READ_EVERY_MS = 150;

/** A job as the relay's database has it; times in epoch ms. */
export interface JobRecord {
  readonly id: string;
  readonly eventKey: string;
  readonly sourceKey: string;
  readonly action: 'CREATE' | 'CANCEL';
  readonly status: 'PENDING' | 'PROCESSING' | 'SENT' | 'FAILED' | 'DLQ';
  /** counted since the last reset */
  readonly attempts: number;
  readonly lastError: string | null;
  readonly createdAt: number;
  /** by the database's clock */
  readonly dueInMs: number;
  /** oldest first */
  readonly history: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly number: number;
  readonly endedAt: number;
  readonly httpStatus: number | null;
  readonly outcome: 'SENT' | 'FAILED' | 'DLQ' | 'LOST';
  readonly error: string | null;
  /** whether the end of an outage brought it before its time (O33) */
  readonly isEarly: boolean;
}

const ALL_JOBS = `
  SELECT job.id::text, job.event_key AS "eventKey", event.source_key AS "sourceKey", job.action::text, job.status::text,
         job.attempts, job.last_error AS "lastError",
         extract(epoch FROM job.created_at)::float8 * 1000 AS "createdAt",
         coalesce(extract(epoch FROM job.next_run_at - now()), 0)::float8 * 1000 AS "dueInMs",
         coalesce((SELECT json_agg(json_build_object(
             'number', number, 'endedAt', extract(epoch FROM started_at)::float8 * 1000 + duration_ms,
             'httpStatus', http_status, 'outcome', outcome, 'error', error,
             'isEarly', coalesce(started_at = (
               SELECT min(started_at) FROM delivery_attempts freed WHERE freed.job_id = job.id AND freed.started_at > job.recovered_at), false)) ORDER BY started_at)
           FROM delivery_attempts WHERE job_id = job.id), '[]') AS history
  FROM outbox_jobs job JOIN terminal_events event
    ON event.transaction_key = job.event_key AND event.restaurant_id = job.restaurant_id
  ORDER BY job.created_at`;

/** @param folder the socket folder of the embedded database */
export async function connect(folder: string): Promise<pg.Client> {
  // each setting is given, so that no PG* variable of the user applies
  const where = { host: folder, port: 5432, user: 'postgres', database: 'postgres', password: '', ssl: false };
  const client = new pg.Client({ ...where, options: '-c timezone=UTC', application_name: 'demo' });
  // the relay disconnects its clients when it stops
  client.on('error', () => {});
  await client.connect();
  return client;
}

/** The jobs of all orders, read from the relay's database. */
export class Journeys {
  /** oldest first */
  jobs: readonly JobRecord[] = [];

  private constructor(private readonly client: pg.Client) {}

  /** @param folder the socket folder of the embedded database */
  static async open(folder: string): Promise<Journeys> {
    return new Journeys(await connect(folder));
  }

  /** Reads the jobs until `signal`; calls `changed` after each read. */
  async watch(signal: AbortSignal, changed: () => void): Promise<void> {
    while (!signal.aborted) {
      const { rows } = await this.client.query<JobRecord>(ALL_JOBS);
      if (signal.aborted) return;
      this.jobs = rows;
      changed();
      await delay(READ_EVERY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /** The latest job of a transaction, by the key that the terminal sent. */
  jobOf(transactionKey: string): JobRecord | undefined {
    return this.jobs.findLast(({ sourceKey, action }) => sourceKey === transactionKey && action === 'CREATE');
  }

  async close(): Promise<void> {
    await this.client.end();
  }
}
