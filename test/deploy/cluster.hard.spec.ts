import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.js';
import { clusterPrograms, NEEDS_CLUSTER, whereCluster } from './where-cluster.js';

const SCRIPT = fileURLToPath(new URL('../../deploy/cluster/local.mjs', import.meta.url));
const readIn = (pid: string, name: string) => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // it has ended
    return '';
  }
};

/** The processes of a folder: their command lines and users. */
const processesOf = (folder: string) =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .map((pid) => ({ command: readIn(pid, 'cmdline'), uid: Number(/^Uid:\s+(\d+)/m.exec(readIn(pid, 'status'))?.[1]) }))
    .filter(({ command }) => command.includes(folder));

describe('deploy/cluster/local.mjs', () => {
  let script: ChildProcess | undefined;

  afterEach(() => {
    script?.kill('SIGTERM');
    // again: at once
    script?.kill('SIGTERM');
  });

  whereCluster(
    `starts the whole cluster, no server of it as root, and on SIGINT nothing of it stays${NEEDS_CLUSTER}`,
    async () => {
      const child = spawn(process.execPath, [SCRIPT], {
        env: { ...process.env, POSTGRES_BIN: clusterPrograms().binaries.folder },
      });
      script = child;
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
      await until(() => said.includes('Ctrl-C ends it') || child.exitCode !== null, 240_000);
      const folder = /starts in (\S+);/.exec(said)?.[1] ?? '';
      expect(said).toContain('the cluster is whole');
      const running = processesOf(folder);
      for (const program of ['etcd', 'patroni', 'haproxy', 'pgbouncer', 'postgres'])
        expect([program, running.some(({ command }) => command.includes(program))]).toEqual([program, true]);
      expect(running.filter(({ uid }) => uid === 0)).toEqual([]);
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      expect((await ended)[0]).toBe(0);
      script = undefined;
      expect(existsSync(folder)).toBe(false);
      expect(processesOf(folder)).toEqual([]);
    },
    400_000,
  );
});
