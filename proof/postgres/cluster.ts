import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import type { PostgresBinaries } from './binaries.js';

const HOST = '127.0.0.1';
const SUPERUSER = 'postgres';
/** A server that starts, stops or is copied may take this long on a slow machine. */
const LIMIT_S = 120;

/** Settings of a server, beside its defaults. */
export type Settings = Readonly<Record<string, string>>;

/** A database server of our own, in a folder, on a free port of this machine. */
export class Cluster {
  private constructor(
    private readonly binaries: PostgresBinaries,
    readonly folder: string,
    readonly port: number,
  ) {}

  /** A new, empty server, reached by TCP alone; it does not run yet. */
  static async create(binaries: PostgresBinaries, folder: string, settings: Settings): Promise<Cluster> {
    const cluster = new Cluster(binaries, folder, await freePort());
    cluster.makeFolder();
    await cluster.run('initdb', '-D', folder, '-U', SUPERUSER, '--auth=trust', '--encoding=UTF8', '--no-sync');
    const all = { listen_addresses: HOST, unix_socket_directories: '', ...settings };
    const lines = Object.entries(all).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(folder, 'postgresql.conf'), lines.join(''));
    return cluster;
  }

  /** A copy of this server, taken while it runs; it does not run yet. @param as its standby, or an independent server */
  async copy(folder: string, as: 'standby' | 'backup'): Promise<Cluster> {
    const copy = new Cluster(this.binaries, folder, await freePort());
    copy.makeFolder();
    const from = ['-h', HOST, '-p', String(this.port), '-U', SUPERUSER];
    const standby = as === 'standby' ? ['-R'] : [];
    await copy.run('pg_basebackup', ...from, '-D', folder, ...standby, '-c', 'fast', '--no-sync');
    return copy;
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    const log = join(this.folder, 'server.log');
    await this.run(
      'pg_ctl',
      '-D',
      this.folder,
      '-l',
      log,
      '-o',
      `-p ${this.port}`,
      '-t',
      String(LIMIT_S),
      '-w',
      'start',
    );
  }

  /** Stops it at once, as if it had crashed: the next start recovers from the log. */
  async stopImmediately(): Promise<void> {
    await this.run('pg_ctl', '-D', this.folder, '-m', 'immediate', '-t', String(LIMIT_S), '-w', 'stop');
  }

  /** Makes the standby a primary; resolves when it takes writes. */
  async promote(): Promise<void> {
    await this.run('pg_ctl', '-D', this.folder, '-t', String(LIMIT_S), '-w', 'promote');
  }

  /** Stops it at once, for good. */
  async remove(): Promise<void> {
    await this.stopImmediately();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  /** As {@link remove}, in any state and synchronously: for the end of the process. */
  destroy(): void {
    spawnSync(join(this.binaries.folder, 'pg_ctl'), ['-D', this.folder, '-m', 'immediate', '-w', 'stop'], {
      ...this.binaries.user,
      stdio: 'ignore',
    });
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  url(database: string, user = SUPERUSER): string {
    return `postgresql://${user}@${HOST}:${this.port}/${database}`;
  }

  /** Runs statements as the superuser, straight at this server, each by itself. */
  async query<Row extends pg.QueryResultRow>(database: string, ...statements: string[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url(database), connectionTimeoutMillis: 10_000 });
    client.on('error', () => {});
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const statement of statements) ({ rows } = await client.query<Row>(statement));
      return rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  private makeFolder(): void {
    mkdirSync(this.folder, { mode: 0o700 });
    const { user } = this.binaries;
    if (user) chownSync(this.folder, user.uid, user.gid);
  }

  private async run(program: string, ...args: string[]): Promise<void> {
    const child = spawn(join(this.binaries.folder, program), args, {
      ...this.binaries.user,
      cwd: '/',
      // a server that pg_ctl starts keeps what it is given: it must not hold our output open
      stdio: ['ignore', 'ignore', program === 'pg_ctl' ? 'ignore' : 'pipe'],
      env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
    });
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    const [code] = await once(child, 'close');
    if (code !== 0)
      throw new Error(`${program} ended with exit code ${code}: ${said.trim() || `see ${this.folder}/server.log`}`);
  }
}

/** Ports below the ephemeral range, so that a server that restarts finds its port free. */
const PORTS = { least: 15_000, most: 32_000 };

/** A free port of this machine. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.least, PORTS.most);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false));
      server.listen(port, HOST, () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
