import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { CONNECTIONS, DATABASE, OWNER } from './database.js';

/** Other clients of the same server, who take what the relay needs. */

const LOCKED = {
  jobs: 'SELECT 1 FROM outbox_jobs WHERE id IN (SELECT id FROM outbox_jobs ORDER BY created_at DESC LIMIT 100) FOR UPDATE',
  table: 'LOCK TABLE outbox_jobs IN EXCLUSIVE MODE',
  events: 'LOCK TABLE terminal_events IN ACCESS EXCLUSIVE MODE',
  restaurant: 'SELECT 1 FROM restaurants ORDER BY id LIMIT 2 FOR UPDATE',
} as const;

/** Takes every free connection for `ms`. @returns how many there were */
export async function takeAllConnections(port: number, ms: number): Promise<number> {
  const clients: pg.Client[] = [];
  try {
    for (let taken = 0; taken < CONNECTIONS; taken++) {
      const client = clientOf(port);
      // refused: there is none left
      if (
        !(await client.connect().then(
          () => true,
          () => false,
        ))
      )
        break;
      clients.push(client);
    }
    await delay(ms);
    return clients.length;
  } finally {
    for (const client of clients) client.end().catch(() => {});
  }
}

/** Holds a lock for `ms`, or until the server ends it. */
export async function holdLock(port: number, on: keyof typeof LOCKED, ms: number): Promise<void> {
  const client = clientOf(port);
  try {
    await client.connect();
    await client.query(`SET statement_timeout = '10s'`);
    await client.query('BEGIN');
    await client.query(LOCKED[on]);
    await delay(ms);
    await client.query('ROLLBACK');
  } catch {
    // the server went away, or the lock could not be had: nothing is locked
  } finally {
    client.end().catch(() => {});
  }
}

function clientOf(port: number): pg.Client {
  const client = new pg.Client({
    connectionString: `postgresql://${OWNER}@127.0.0.1:${port}/${DATABASE}`,
    connectionTimeoutMillis: 5_000,
    application_name: 'neighbour',
  });
  client.on('error', () => {});
  return client;
}
