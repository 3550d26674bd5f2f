import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const BINARY = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer', '/usr/local/bin/pgbouncer'].find((path) => {
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

export const hasPgBouncer = BINARY !== undefined;

/** A PgBouncer of the test's own, in transaction mode, before the server of the tests. */
export class PgBouncer {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    private readonly port: number,
  ) {}

  /** @param settings lines of its configuration beside those that a test needs */
  static async start(serverUrl: string, settings: string[] = []): Promise<PgBouncer> {
    const { hostname, port, username, password } = new URL(serverUrl);
    const folder = mkdtempSync(join(tmpdir(), 'relay-pgbouncer-'));
    const listenPort = await freePort();
    const server = [`host=${hostname}`, `port=${port || 5432}`, `user=${username}`];
    if (password) server.push(`password=${decodeURIComponent(password)}`);
    const lines = ['[databases]', `* = ${server.join(' ')}`, '[pgbouncer]'];
    lines.push('listen_addr = 127.0.0.1', `listen_port = ${listenPort}`, 'unix_socket_dir =', 'auth_type = any');
    lines.push('pool_mode = transaction', 'default_pool_size = 4', ...settings);
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(file, lines.join('\n'), { mode: 0o644 });
    // it refuses to run as root
    const isRoot = userInfo().uid === 0;
    if (isRoot) execFileSync('chmod', ['755', folder]);
    const child = spawn(BINARY as string, [...(isRoot ? ['-u', 'nobody'] : []), '-q', file], { stdio: 'ignore' });
    const bouncer = new PgBouncer(child, folder, listenPort);
    await bouncer.listens();
    return bouncer;
  }

  url(database: string): string {
    return `postgresql://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async listens(): Promise<void> {
    while (this.process.exitCode === null) {
      const open = await new Promise<boolean>((resolve) => {
        const socket = connect(this.port, '127.0.0.1');
        socket.once('connect', () => resolve(Boolean(socket.end())));
        socket.once('error', () => setTimeout(() => resolve(false), 20));
      });
      if (open) return;
    }
    throw new Error(`pgbouncer ended with ${this.process.exitCode}`);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
