// Exit code 0 when the Postgres at this URL answers and lets us in.
import pg from 'pg';

const client = new pg.Client({ connectionString: process.argv[2], connectionTimeoutMillis: 2_000 });
try {
  await client.connect();
  await client.end();
} catch {
  process.exit(1);
}
