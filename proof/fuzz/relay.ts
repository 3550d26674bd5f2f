import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LogLine, RelayProcess } from '../../tools/demo/relay-process.js';
import { createDatabase } from '../postgres/connection.js';
import { newRelaySettings } from '../relay-settings.js';
import type { Access } from './tenants.js';

const PROBE = fileURLToPath(new URL('probe.mjs', import.meta.url));

/** What the process occupies, in bytes, once its garbage is collected. */
export interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  /** outside the heap: buffers, and the embedded database */
  readonly external: number;
}

/** A relay process with its own database, which reports its memory and CPU time. */
export interface FuzzedRelay {
  readonly access: Access;
  /** the kind of its database */
  readonly database: string;
  /** ms of CPU, of all its threads, so far */
  cpuMs(): Promise<number>;
  memory(): Promise<Memory>;
  readonly died: Promise<never>;
}

/**
 * @param pos its address, the credentials of the deployment (D3) and those of the tenants
 * @param server a Postgres server, on which it gets a new database; undefined: an embedded one
 * @param onLog called with every line of its log
 * @param closers get what ends it and removes what it wrote
 */
export async function startRelay(
  pos: { readonly url: string; readonly secret: string; readonly posCredentials: Access['posCredentials'] },
  server: string | undefined,
  onLog: (line: LogLine) => void,
  closers: (() => Promise<void> | void)[],
): Promise<FuzzedRelay> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-fuzz-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  closers.push(remove);
  const database = server === undefined ? undefined : await createDatabase(server, 'fuzz');
  if (database) closers.push(() => database.drop());
  const { admin, terminalToken, environment } = newRelaySettings({ ...pos, partner: 'fuzz-partner' });
  const settings = {
    ...environment,
    ...(database ? { DATABASE_URL: database.url } : { DATA_DIR: folder }),
    OUTBOX_TICK_MS: '1000',
  };
  const relay = RelayProcess.start(folder, settings, ['--expose-gc', '--import', PROBE]);
  closers.push(() => relay.stop());
  process.once('exit', () => {
    relay.kill();
    remove();
  });
  relay.onLog(onLog);
  const url = await relay.started(() => {});
  return {
    access: {
      url,
      admin,
      terminalToken,
      posCredentials: pos.posCredentials,
      secrets: [environment.JWT_SECRET, environment.SECRETS_KEY, pos.secret] as string[],
    },
    database: database ? 'a Postgres server' : 'embedded',
    cpuMs: () => relay.ask('cpu') as Promise<number>,
    memory: () => relay.ask('memory') as Promise<Memory>,
    died: relay.died,
  };
}
