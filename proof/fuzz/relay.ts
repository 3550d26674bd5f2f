import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type LogLine, RelayProcess } from '../../tools/demo/relay-process.js';
import type { Door } from './tenants.js';

const PROBE = fileURLToPath(new URL('probe.mjs', import.meta.url));

/** What the process occupies, in bytes, once its garbage is collected. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  /** outside the heap: buffers, and the embedded database */
  readonly external: number;
}

/** A relay in a process of its own, on a database of its own, that tells what it uses. */
export interface FuzzedRelay {
  readonly door: Door;
  /** of which kind its database is, in words */
  readonly database: string;
  /** ms of CPU, of all its threads, so far */
  cpuMs(): Promise<number>;
  memory(): Promise<Memory>;
  readonly died: Promise<never>;
}

/**
 * @param pos its address, the credentials of the deployment (D3) and those of the tenants
 * @param server a Postgres server, on which it gets a new database; undefined: an embedded one
 * @param told every line of its log
 * @param closers get what ends it and removes what it wrote
 */
export async function startRelay(
  pos: { readonly url: string; readonly posSecret: string; readonly posCredentials: Door['posCredentials'] },
  server: string | undefined,
  told: (line: LogLine) => void,
  closers: (() => Promise<void> | void)[],
): Promise<FuzzedRelay> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-fuzz-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  closers.push(remove);
  const databaseUrl = server === undefined ? undefined : await newDatabase(server, closers);
  const admin = { email: 'platform@fuzz.example', password: `admin-${randomBytes(12).toString('hex')}` };
  const terminalToken = `terminal-${randomBytes(12).toString('hex')}`;
  const keys = { JWT_SECRET: randomBytes(32).toString('hex'), SECRETS_KEY: randomBytes(32).toString('base64') };
  const settings = {
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: folder }),
    ...keys,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
    TERMINAL_BEARER_TOKEN: terminalToken,
    // the least the relay allows: a password check takes its time by design
    BCRYPT_COST: '10',
    POS_BASE_URL: pos.url,
    POS_PARTNER_ID: 'fuzz-partner',
    POS_SECRET: pos.posSecret,
    OUTBOX_PACE: 'eager',
    OUTBOX_TICK_MS: '1000',
  };
  const relay = RelayProcess.start(folder, settings, ['--expose-gc', '--import', PROBE]);
  closers.push(() => relay.stop());
  process.once('exit', () => {
    relay.kill();
    remove();
  });
  relay.onLog(told);
  const url = await relay.started(() => {});
  return {
    door: {
      url,
      admin,
      terminalToken,
      posCredentials: pos.posCredentials,
      secrets: [...Object.values(keys), pos.posSecret],
    },
    database: databaseUrl ? 'a Postgres server' : 'embedded',
    cpuMs: () => relay.ask('cpu') as Promise<number>,
    memory: () => relay.ask('memory') as Promise<Memory>,
    died: relay.died,
  };
}

/** @returns its URL */
async function newDatabase(server: string, closers: (() => Promise<void> | void)[]): Promise<string> {
  const name = `relay_fuzz_${randomBytes(6).toString('hex')}`;
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await run(`CREATE DATABASE ${name}`);
  closers.push(() => run(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
