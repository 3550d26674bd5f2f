// What the figures were measured on, and with which settings.
import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';
import { NODE_OF_PEERS, versionOf } from './peer.mjs';
import { redisVersion } from './redis.mjs';

/** Settings of the server that decide what a commit costs. */
const SETTINGS = [
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'shared_buffers',
  'max_wal_size',
  'max_connections',
];

/** The first line of a run's results. */
export async function describeRun(databases, { relays, peers, ...options }) {
  const [{ server_version: postgres }] = await databases.query('SHOW server_version');
  const settings = await databases.query(`SELECT name, current_setting(name) AS value FROM unnest($1::text[]) name`, [
    SETTINGS,
  ]);
  const redis = redisVersion();
  return {
    kind: 'run',
    at: new Date().toISOString(),
    command: `npm run bench -- ${process.argv.slice(2).join(' ')}`.trim().replace(/ --$/, ''),
    quick: options.quick,
    // of the version that is judged
    commit: commitOf(relays[0].directory),
    relays: relays.map(({ name }) => name),
    machine: {
      processors: `${cpus().length} x ${cpus()[0]?.model.trim()}`,
      memoryGb: Math.round(totalmem() / 2 ** 30),
      system: `${process.platform} ${release()}`,
    },
    versions: [
      `Node ${process.versions.node}, for the newest peers ${nodeVersion(NODE_OF_PEERS)}`,
      `Postgres ${postgres}`,
      ...(redis ? [`Redis ${redis}, on disk before it answers`] : []),
      ...peers.map(versionOf).filter((version) => version.includes(' ')),
      ...relays.map(({ name, directory }) => `${name}: commit ${commitOf(directory)}`),
    ],
    settings: settings.map(({ name, value }) => `${name} = ${value}`),
  };
}

/** Whether this is a commit, and not a changed tree or an unknown one. */
export const isCommit = (commit) => /^[0-9a-f]+$/.test(commit);

const nodeVersion = (program) => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim().slice(1);

function commitOf(directory) {
  try {
    const options = { cwd: directory, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=7'], options).trim();
  } catch {
    return 'unknown';
  }
}
