#!/usr/bin/env node
// Starts the whole cluster on this machine, with the files of this folder, and ends it: node local.mjs
//
// Three machines are three addresses of this one (127.x.y.1 to .3; Linux has them all), so that only the addresses differ from
// those of real machines. Ports are free ones, passwords are new, data is in a folder of its own. Nothing runs as root.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const RELAY = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const SETTINGS = 'settings.env';
/** What a machine gets, with its names replaced. */
export const FILES = [
  'etcd.yml',
  'patroni.yml',
  'post-init.sh',
  'haproxy.cfg',
  'pgbouncer.ini',
  'userlist.txt',
  'relay.env',
];
const PROGRAMS = ['etcd', 'patroni', 'patronictl', 'haproxy', 'pgbouncer'];
/** Debian has some of them here, where a user's PATH does not look. */
const FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/bin', '/usr/local/bin'];
/** Below the ephemeral range, so that a program that starts again finds its port free. */
const PORTS = { least: 15_000, most: 32_000 };
const WHOLE_LIMIT_MS = 180_000;
const END_LIMIT_MS = 40_000;
const LOOK_EVERY_MS = 250;
const ASK_LIMIT_MS = 2_000;

/**
 * @typedef {{ name: string, role: string, state: string, timeline?: number, lag?: number | string }} Member
 * @typedef {{ uid: number, gid: number } | undefined} User
 */

/**
 * Reads `NAME=value` lines; what begins with # is a comment.
 * @param {string} text
 * @returns {Record<string, string>}
 */
export function readSettings(text) {
  return Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name, value]) => [name, value.trim()]));
}

/**
 * Replaces each `${NAME}`, as `envsubst` does.
 * @param {string} text
 * @param {Readonly<Record<string, string>>} values
 * @returns {string}
 * @throws when a name has no value
 */
export function fill(text, values) {
  return text.replace(/\$\{([A-Z_]+)\}/g, (_, name) => {
    if (!values[name]) throw new Error(`${name} has no value in ${SETTINGS}`);
    return values[name];
  });
}

/**
 * Where the programs are, Postgres' own apart.
 * @returns {{ folders: string[] } | { missing: string }}
 */
export function findPrograms() {
  const folders = [...new Set([...(process.env.PATH ?? '').split(delimiter), ...FOLDERS])];
  const missing = PROGRAMS.filter((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing.length === 0
    ? { folders }
    : { missing: `no ${missing.join(', ')} (Debian: apt-get install patroni etcd-server haproxy pgbouncer)` };
}

/**
 * The API of etcd that a version of Patroni is safe with. Before 3.0.3 it takes the lock by etcd3 without looking whose it is.
 * @param {string} version what `patroni --version` says
 * @returns {'etcd' | 'etcd3'}
 */
export function etcdApiOf(version) {
  const [, major, minor, patch] = (/(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []).map(Number);
  const number = (major ?? 0) * 10_000 + (minor ?? 0) * 100 + (patch ?? 0);
  return number >= 30_003 ? 'etcd3' : 'etcd';
}

/** A program that is started, killed, paused and started again. */
export class Program {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;

  /**
   * @param {string} name of its log
   * @param {string[]} command
   * @param {{ log: string, user: User, env: Record<string, string> }} how
   */
  constructor(name, command, how) {
    this.name = name;
    this.command = command;
    this.how = how;
  }

  /** @returns {number | undefined} its process id, while it runs */
  get pid() {
    return this.#child && !hasEnded(this.#child) ? this.#child.pid : undefined;
  }

  start() {
    if (this.pid) return;
    const log = openSync(this.how.log, 'a');
    const [program, ...args] = this.command;
    this.#child = spawn(program, args, {
      ...this.how.user,
      cwd: '/',
      env: this.how.env,
      // Ctrl-C goes to the whole group, and this process ends its programs itself
      detached: true,
      stdio: ['ignore', log, log],
    });
    this.#child.on('error', () => {});
    closeSync(log);
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    if (this.pid) this.#child?.kill(signal);
  }

  /**
   * Ends it; by SIGKILL when it does not end in time.
   * @param {NodeJS.Signals} signal
   * @returns {Promise<void>}
   */
  async end(signal = 'SIGTERM') {
    const startedAt = performance.now();
    this.signal(signal);
    while (this.pid) {
      if (performance.now() - startedAt > END_LIMIT_MS) this.signal('SIGKILL');
      await delay(20);
    }
  }
}

/** A machine of the cluster: etcd, Patroni with its Postgres, and on a and b HAProxy and PgBouncer beside a relay. */
export class Machine {
  /**
   * @param {string} name
   * @param {string} folder
   * @param {Record<string, string>} values
   * @param {{ folders: string[], user: User }} how
   */
  constructor(name, folder, values, { folders, user }) {
    this.name = name;
    this.folder = folder;
    this.values = values;
    this.address = values.ADDRESS ?? '';
    const env = { PATH: folders.join(delimiter), HOME: folder, LC_ALL: 'C.UTF-8', TZ: 'UTC', PYTHONUNBUFFERED: '1' };
    const file = (/** @type {string} */ of) => join(values.CONFIG, of);
    /** @returns {Program} */
    const program = (/** @type {string} */ of, /** @type {string[]} */ ...command) =>
      new Program(of, [find(command[0], folders), ...command.slice(1)], { log: join(folder, `${of}.log`), user, env });
    this.etcd = program('etcd', 'etcd', '--config-file', file('etcd.yml'));
    this.patroni = program('patroni', 'patroni', file('patroni.yml'));
    // -db: in the foreground
    this.haproxy = program('haproxy', 'haproxy', '-db', '-f', file('haproxy.cfg'));
    this.pgbouncer = program('pgbouncer', 'pgbouncer', '-q', file('pgbouncer.ini'));
    this.ctl = [find('patronictl', folders), '-c', file('patroni.yml')];
    this.how = { user, env };
  }

  /** @returns {string} Patroni's REST API */
  get api() {
    return `http://${this.address}:${this.values.PATRONI_PORT}`;
  }

  /** @returns {number[]} the processes of Postgres, the postmaster first; none when it does not run */
  postgres() {
    try {
      const [pid] = readFileSync(join(this.values.DATA, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
      const postmaster = Number(pid);
      const children = childrenOf();
      return existsSync(`/proc/${postmaster}`) ? [postmaster, ...(children.get(postmaster) ?? [])] : [];
    } catch {
      return [];
    }
  }

  /**
   * A signal to every process of Postgres at once.
   * @param {NodeJS.Signals} signal
   */
  signalPostgres(signal) {
    for (const pid of this.postgres()) signalTo(pid, signal);
  }

  /** The power fails: Patroni, Postgres and etcd end without a word. @param {{ etcd: boolean }} what */
  crash({ etcd }) {
    this.patroni.signal('SIGKILL');
    // twice: a process may have been forked meanwhile
    this.signalPostgres('SIGKILL');
    this.signalPostgres('SIGKILL');
    if (etcd) this.etcd.signal('SIGKILL');
  }

  /** Every process stands still, as on a machine that is paused. */
  pause() {
    for (const program of [this.patroni, this.etcd]) program.signal('SIGSTOP');
    this.signalPostgres('SIGSTOP');
  }

  /** Postgres awakes first: what an old primary does before its Patroni ends it is part of the trial. */
  resume() {
    this.signalPostgres('SIGCONT');
    for (const program of [this.etcd, this.patroni]) program.signal('SIGCONT');
  }

  /** Starts what does not run; Patroni starts Postgres. */
  start() {
    this.etcd.start();
    this.patroni.start();
  }

  /** Ends everything at once, in any state, synchronously. */
  destroy() {
    for (const program of [this.haproxy, this.pgbouncer, this.patroni, this.etcd]) program.signal('SIGKILL');
    const [postmaster] = this.postgres();
    if (!postmaster) return;
    this.signalPostgres('SIGCONT');
    // an immediate shutdown, which gives back its shared memory
    signalTo(postmaster, 'SIGQUIT');
    for (let waited = 0; existsSync(`/proc/${postmaster}`) && waited < 10_000; waited += 50) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
      // a zombie that nobody waits for has ended too
      if (/^State:\s+Z/m.test(readStatus(postmaster))) break;
    }
  }
}

/** The cluster of this folder's files, on addresses of this machine. */
export class LocalCluster {
  /** @type {Machine[]} */
  machines = [];
  /** @type {Record<string, string>} what settings.env would say, without the lines of one machine */
  settings = {};

  /**
   * Prepares it; nothing runs yet.
   * @param {string} folder an empty one
   * @param {{ folders: string[], postgresBin: string, user: User }} how
   * @returns {Promise<LocalCluster>}
   */
  static async prepare(folder, how) {
    const cluster = new LocalCluster();
    const net = `127.${randomInt(1, 255)}.${randomInt(1, 255)}`;
    const addresses = { A: `${net}.1`, B: `${net}.2`, C: `${net}.3` };
    const shipped = readSettings(readFileSync(join(HERE, SETTINGS), 'utf8'));
    const names = Object.keys(shipped);
    const ports = await freePorts(
      names.filter((name) => name.endsWith('_PORT')),
      Object.values(addresses),
    );
    const passwords = names.filter((name) => name.endsWith('_PASSWORD'));
    cluster.settings = {
      ...shipped,
      ...addresses,
      ...ports,
      ...Object.fromEntries(passwords.map((name) => [name, randomBytes(24).toString('hex')])),
      NETWORK: '127.0.0.0/8',
      ETCD_API: process.env.ETCD_API ?? etcdApiOf(versionOf(find('patroni', how.folders))),
      POSTGRES_BIN: how.postgresBin,
      // this machine is not reset because a trial hangs
      WATCHDOG: 'off',
    };
    for (const [name, ADDRESS] of Object.entries(addresses)) {
      const place = join(folder, name.toLowerCase());
      const values = {
        ...cluster.settings,
        MACHINE: name.toLowerCase(),
        ADDRESS,
        CONFIG: join(place, 'config'),
        DATA: join(place, 'data'),
        RUN: join(place, 'run'),
      };
      for (const each of [place, values.CONFIG, values.DATA, values.RUN]) mine(each, how.user);
      for (const file of FILES) {
        const path = join(values.CONFIG, file);
        const { mode } = statSync(join(HERE, file));
        writeFileSync(path, fill(readFileSync(join(HERE, file), 'utf8'), values));
        chmodSync(path, mode & 0o100 ? 0o700 : 0o600);
        if (how.user) chownSync(path, how.user.uid, how.user.gid);
      }
      cluster.machines.push(new Machine(name.toLowerCase(), place, values, how));
    }
    return cluster;
  }

  /** @returns {Machine[]} those with a relay */
  get fronts() {
    return this.machines.filter(({ name }) => name !== 'c');
  }

  /** Starts etcd, Patroni and Postgres on all machines, HAProxy and PgBouncer; resolves when the cluster is whole. */
  async start() {
    for (const machine of this.machines) machine.start();
    for (const { haproxy, pgbouncer } of this.fronts) {
      haproxy.start();
      pgbouncer.start();
    }
    await this.untilWhole();
  }

  /**
   * What Patroni says of the members, by the first that answers.
   * @returns {Promise<Member[]>} none when no one answers
   */
  async members() {
    for (const { api } of this.machines) {
      const answer = await fetch(`${api}/cluster`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) }).then(
        (response) => (response.ok ? response.json() : undefined),
        () => undefined,
      );
      if (answer?.members) return answer.members;
    }
    return [];
  }

  /**
   * The machine that says it is the primary. Asked is each one itself, because only a leader that holds the lock answers 200.
   * @returns {Promise<Machine | undefined>}
   */
  async primary() {
    const answers = await this.machinesThatAre('primary');
    return answers[0];
  }

  /**
   * The machines whose own Patroni says that they are it now. What the members are listed as may be older: etcd keeps the last word of
   * one that died until the TTL is over.
   * @param {'primary' | 'replica'} role
   * @returns {Promise<Machine[]>}
   */
  async machinesThatAre(role) {
    const asked = this.machines.map(async (machine) => {
      const answer = fetch(`${machine.api}/${role}`, { signal: AbortSignal.timeout(ASK_LIMIT_MS) });
      return answer.then(
        ({ status }) => (status === 200 ? [machine] : []),
        () => [],
      );
    });
    return (await Promise.all(asked)).flat();
  }

  /**
   * @param {{ synchronous?: boolean }} [what]
   * @returns {Promise<boolean>} whether there is a primary, both standbys follow it, and one is synchronous
   */
  async isWhole({ synchronous = true } = {}) {
    const [members, replicas] = await Promise.all([this.members(), this.machinesThatAre('replica')]);
    const primary = members.find(({ role }) => role === 'leader');
    const follows = ({ name, state, timeline, lag }) =>
      replicas.some((machine) => machine.name === name) &&
      ['running', 'streaming'].includes(state) &&
      timeline === primary?.timeline &&
      Number(lag) < 1_000_000;
    const standbys = members.filter((member) => member !== primary && follows(member));
    return (
      primary?.state === 'running' &&
      standbys.length === this.machines.length - 1 &&
      (!synchronous || standbys.some(({ role }) => role === 'sync_standby'))
    );
  }

  /**
   * @param {{ synchronous?: boolean }} [what]
   * @returns {Promise<void>}
   * @throws when it is not whole within minutes
   */
  async untilWhole(what) {
    const startedAt = performance.now();
    // twice in a row: Patroni shows a state for a moment that it leaves again
    for (let seen = 0; seen < 2; seen = (await this.isWhole(what)) ? seen + 1 : 0) {
      if (performance.now() - startedAt > WHOLE_LIMIT_MS)
        throw new Error(`the cluster is not whole: ${JSON.stringify(await this.members())}`);
      await delay(LOOK_EVERY_MS);
    }
  }

  /** Ends it in order: nothing of it runs afterwards. */
  async stop() {
    for (const { haproxy, pgbouncer } of this.fronts) await Promise.all([haproxy.end(), pgbouncer.end('SIGINT')]);
    const primary = await this.primary();
    // standbys first: nobody is left who could be promoted
    await Promise.all(this.machines.map((machine) => machine !== primary && machine.patroni.end()));
    await primary?.patroni.end();
    await Promise.all(this.machines.map(({ etcd }) => etcd.end()));
    this.destroy();
  }

  /** Ends it at once, in any state: for the end of the process. */
  destroy() {
    for (const machine of this.machines) machine.destroy();
  }
}

/** @param {import('node:child_process').ChildProcess} child */
function hasEnded({ exitCode, signalCode, pid }) {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** @param {number} pid @param {NodeJS.Signals} signal */
function signalTo(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended
  }
}

/** @param {number} pid */
function readStatus(pid) {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** @returns {Map<number, number[]>} processes by their parent */
function childrenOf() {
  /** @type {Map<number, number[]>} */
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(/^PPid:\s+(\d+)/m.exec(readStatus(Number(name)))?.[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** @param {string} name @param {string[]} folders */
function find(name, folders) {
  return join(folders.find((folder) => existsSync(join(folder, name))) ?? '', name);
}

/** @param {string} patroni */
function versionOf(patroni) {
  return spawnSync(patroni, ['--version'], { encoding: 'utf8' }).stdout ?? '';
}

/** A folder that only its user reads. @param {string} folder @param {User} user */
function mine(folder, user) {
  mkdirSync(folder, { mode: 0o700 });
  if (user) chownSync(folder, user.uid, user.gid);
}

/** @param {string[]} names @param {string[]} addresses @returns {Promise<Record<string, string>>} ports free on each address */
async function freePorts(names, addresses) {
  /** @type {Record<string, string>} */
  const ports = {};
  while (Object.keys(ports).length < names.length) {
    const port = randomInt(PORTS.least, PORTS.most);
    const free = await Promise.all(addresses.map((address) => isFree(address, port)));
    if (!free.includes(false) && !Object.values(ports).includes(String(port)))
      ports[names[Object.keys(ports).length]] = String(port);
  }
  return ports;
}

/** @param {string} address @param {number} port @returns {Promise<boolean>} */
function isFree(address, port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, address, () => server.close(() => resolve(true)));
  });
}

/** Postgres and etcd refuse root, or should: who runs them instead. @returns {User} */
function unprivileged() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim());
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('this is root, and there is no user postgres or nobody to run the servers');
}

async function main() {
  const programs = findPrograms();
  if ('missing' in programs) throw new Error(programs.missing);
  const shipped = readSettings(readFileSync(join(HERE, SETTINGS), 'utf8'));
  const postgresBin = process.env.POSTGRES_BIN || shipped.POSTGRES_BIN;
  if (!existsSync(join(postgresBin, 'postgres'))) throw new Error(`no postgres in ${postgresBin}: set POSTGRES_BIN`);
  const folder = mkdtempSync(join(tmpdir(), 'relay-cluster-'));
  chmodSync(folder, 0o711);
  const cluster = await LocalCluster.prepare(folder, { folders: programs.folders, postgresBin, user: unprivileged() });
  /** @type {Program[]} */
  const relays = [];
  const kill = () => {
    for (const relay of relays) relay.signal('SIGKILL');
    cluster.destroy();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', kill);
  process.stdout.write(`the cluster starts in ${folder}; it takes half a minute\n`);
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.once(signal, () => {
        resolve(undefined);
        // again: at once
        process.on(signal, () => process.exit(130));
      });
  });
  const isUp = await Promise.race([cluster.start().then(() => true), ended.then(() => false)]);
  // nothing is worth an orderly end yet
  if (!isUp) return;
  const secrets = {
    NODE_ENV: 'production',
    JWT_SECRET: randomBytes(32).toString('hex'),
    SECRETS_KEY: randomBytes(32).toString('base64'),
    TERMINAL_BEARER_TOKEN: randomBytes(24).toString('hex'),
    ADMIN_EMAIL: 'admin@cluster.example',
    ADMIN_PASSWORD: randomBytes(12).toString('hex'),
  };
  if (existsSync(RELAY)) relays.push(...cluster.fronts.map((machine) => relayOf(machine, secrets)));
  for (const relay of relays) relay.start();
  process.stdout.write(`${describe(cluster, relays.length > 0 ? secrets : undefined)}\n`);
  await ended;
  process.stdout.write('the cluster ends\n');
  await Promise.all(relays.map((relay) => relay.end()));
  await cluster.stop();
}

/** The relay of a machine, with relay.env and what both relays must have alike. @param {Machine} machine @param {Record<string, string>} secrets */
function relayOf({ folder, values }, secrets) {
  const own = readSettings(readFileSync(join(values.CONFIG, 'relay.env'), 'utf8'));
  // npm run simulator listens there
  const POS_BASE_URL = process.env.POS_BASE_URL ?? 'http://127.0.0.1:4010';
  const env = { PATH: process.env.PATH ?? '', HOME: folder, POS_BASE_URL, ...secrets, ...own };
  return new Program('relay', [process.execPath, RELAY], { log: join(folder, 'relay.log'), user: undefined, env });
}

/** @param {LocalCluster} cluster @param {Record<string, string> | undefined} secrets @returns {string} */
function describe({ fronts, machines, settings }, secrets) {
  const ctl = machines[0]?.ctl.join(' ');
  const relays = secrets
    ? [
        ...fronts.map(({ address }) => `terminals and console    http://${address}:${settings.TERMINALS_PORT}`),
        `console                  ${secrets.ADMIN_EMAIL}, password ${secrets.ADMIN_PASSWORD}`,
        `terminals                Authorization: Bearer ${secrets.TERMINAL_BEARER_TOKEN}`,
      ]
    : ['no relay: npm run build makes one, then start again'];
  return [
    'the cluster is whole',
    ...relays,
    `files, data and logs     ${machines.map(({ folder }) => folder).join(' ')}`,
    `the members              ${ctl} list`,
    `another primary          ${ctl} switchover --force relay`,
    'Ctrl-C ends it and removes its files',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main().then(
    () => process.exit(0),
    (/** @type {Error} */ error) => {
      process.stderr.write(`cluster: ${error.message}\n`);
      process.exit(1);
    },
  );
