// A Redis server of the benchmark's own: every command is on disk before it is answered.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { endProcess, startProcess } from '../../load/processes.mjs';
import { freePort } from '../../postgres/cluster.ts';

/** @returns the version of the server that is installed; undefined when there is none */
export function redisVersion() {
  try {
    return /v=(\S+)/.exec(execFileSync('redis-server', ['--version'], { encoding: 'utf8' }))?.[1];
  } catch {
    return undefined;
  }
}

export class RedisServer {
  static async start() {
    const server = new RedisServer();
    server.port = await freePort();
    server.folder = mkdtempSync(join(tmpdir(), 'relay-bench-redis-'));
    process.once('exit', () => rmSync(server.folder, { recursive: true, force: true }));
    // neither a snapshot nor a rewrite of the log begins in the middle of a measurement
    const settings = {
      ...{ port: server.port, bind: '127.0.0.1', dir: server.folder, save: '' },
      ...{ appendonly: 'yes', appendfsync: 'always', 'auto-aof-rewrite-percentage': 0 },
    };
    const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    server.process = startProcess('redis-server', options, { stdio: 'ignore' });
    server.client = new Redis({ host: '127.0.0.1', port: server.port, retryStrategy: () => 50 });
    server.client.on('error', () => {});
    for (let n = 0; n < 100 && server.client.status !== 'ready'; n++) await delay(50);
    return server;
  }

  /** Empties it. @returns its port */
  async clear() {
    await this.client.flushall();
    return this.port;
  }

  async end() {
    this.client.disconnect();
    await endProcess(this.process);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
