import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LocalCluster, type Machine, readSettings } from '../../deploy/cluster/local.mjs';
import { installAudit } from '../../proof/chaos/audit.js';
import { Bystanders } from '../../proof/chaos/bystanders.js';
import type { Door } from '../../proof/chaos/client.js';
import { outageLines, outagesOf, type Trial } from '../../proof/chaos/cluster/outages.js';
import { poolOf } from '../../proof/chaos/cluster/pool.js';
import { openCluster } from '../../proof/chaos/cluster/run.js';
import { ClusterServer } from '../../proof/chaos/cluster/server.js';
import { DATABASE, OWNER } from '../../proof/chaos/database.js';
import { createRestaurants, environmentOf, refusesDuplicates, STORES } from '../../proof/chaos/deployment.js';
import type { EventLog } from '../../proof/chaos/event-log.js';
import { Instance } from '../../proof/chaos/instance.js';
import { Load } from '../../proof/chaos/load.js';
import { Operator } from '../../proof/chaos/operator.js';
import { ChaosPos, PARTNER } from '../../proof/chaos/pos.js';
import { PullingPoses } from '../../proof/chaos/pulling-pos.js';
import { ReceiptReader } from '../../proof/chaos/receipt-reader.js';
import { reportOf } from '../../proof/chaos/report.js';
import { play, withClosers } from '../../proof/chaos/run.js';
import { judge } from '../../proof/chaos/verdict.js';
import { Cluster, freePort } from '../../proof/postgres/cluster.js';
import { Random } from '../../proof/random.js';
import { call } from '../../proof/relay-api.js';
import { newRelaySettings } from '../../proof/relay-settings.js';
import { until } from '../support/until.js';
import { beginDays, linesOf, rowsOf } from './moved-rows.js';
import { OperatorsShell } from './procedures.js';
import { readSettingsFile, writeSettingsFile } from './settings-file.js';
import { clusterPrograms, NEEDS_CLUSTER, whereCluster } from './where-cluster.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** Sales in a second, as in a night on the cluster. */
const PACE = 6;
/** Less than the procedures take: sales are sent until the last one is over. */
const SECONDS = 40;
const LIMIT_MS = 900_000;
const STEP_LIMIT_MS = 120_000;
/** What waits when the database is moved: the POS is away for so long before, in ms. */
const POS_AWAY_MS = 3_000;

/** Three times as long as in a night of chaos: a machine that stands still for a second makes no double. The lease is longer than three calls (D4). */
const POS_TIMEOUT_MS = 5_000;
const LEASE_MS = 20_000;
/** Why an order is cooked twice, although the procedure is as it should be: the POS went away, or the machine was busy elsewhere. */
const BY_NO_PROCEDURE = new Set<string | null>([
  'the POS gave no answer',
  'the POS answered after the deadline',
  'the machine stood still',
]);

/** Sales go through all of it: one relay on the embedded database becomes three on a cluster. */
async function growUp(folder: string, events: EventLog, closers: (() => void)[]) {
  const { binaries, folders } = clusterPrograms();
  const random = new Random('procedures');
  const mode = 'mixed';
  const pos = new ChaosPos(
    new Map(STORES.map((store) => [store, refusesDuplicates(mode, store)])),
    POS_TIMEOUT_MS,
    random,
  );
  await pos.listen();
  closers.push(() => pos.close());
  const shell = new OperatorsShell(folder);
  await shell.open();
  closers.push(() => shell.close());

  // the embedded default makes its own secrets
  const settings = newRelaySettings({ url: pos.url, partner: PARTNER.id, secret: PARTNER.secret });
  const file = join(folder, 'relay.env');
  const seat = { host: '127.0.0.1', port: await freePort() };
  const DATA_DIR = join(folder, 'data');
  const { JWT_SECRET: _, SECRETS_KEY: __, NODE_ENV: ___, ...plain } = settings.environment;
  const { DATABASE_TIMEOUT_MS: ____, ...short } = environmentOf(mode);
  const calls = { POS_TIMEOUT_MS: String(POS_TIMEOUT_MS), PROCESSING_TTL_MS: String(LEASE_MS) };
  writeSettingsFile(file, { ...plain, ...short, ...calls, DATA_DIR });
  const instances: Instance[] = [];
  const add = (at: { host: string; port: number }, from: string) => {
    const log = join(folder, `relay-${instances.length}.log`);
    const instance = new Instance(instances.length, at, 0, readSettingsFile(from), log, events);
    instances.push(instance);
    closers.push(() => void instance.close(true));
    return instance;
  };
  const server = await Cluster.create(binaries, join(folder, 'server'), { max_connections: '80' });
  closers.push(() => server.destroy());
  await server.start();
  await server.query('postgres', `CREATE ROLE ${OWNER} LOGIN`, `CREATE DATABASE ${DATABASE} OWNER ${OWNER}`);
  const cluster = await openCluster(binaries, folders, folder);
  closers.push(() => cluster.destroy());
  await Promise.all([add(seat, file).start(), cluster.start()]);

  // terminals call one address, and that of the cluster from when there is one
  const doors: Door[] = [{ number: 0, url: (instances[0] as Instance).url }];
  const callers = await createRestaurants({ instances, settings }, doors);
  await beginDays(callers.restaurants[0]?.id as string, DATA_DIR, {
    url: instances[0]?.url as string,
    jwt: callers.jwt,
  });
  const database = new ClusterServer(cluster);
  const load = new Load(callers, random.of('load'));
  const cast = {
    ...{ instances, database, pos, events, load },
    operator: new Operator(join(binaries.folder, 'psql'), database, events, random.of('operator')),
    bystanders: new Bystanders(callers, events, random),
    receipts: new ReceiptReader(callers, random),
    pulling: new PullingPoses(callers, random),
  };

  const trials: Trial[] = [];
  const here = { machine: 'here', cwd: ROOT, folders: [binaries.folder, ...folders] };
  const perform = async (name: string, where: typeof here, variables: Record<string, string>) => {
    const at = Date.now();
    events.say(`${name}: begins`);
    await shell.run(name, where, variables);
    trials.push({ name, at, until: Date.now() });
    events.say(`${name}: over after ${((Date.now() - at) / 1_000).toFixed(1)} s`);
  };
  const waiting: number[] = [];
  const countWaiting = async (query: (sql: string) => Promise<{ count: number }[]>) => {
    const [row] = await query(`SELECT count(*)::int FROM outbox_jobs WHERE status IN ('PENDING', 'FAILED')`);
    waiting.push(row?.count ?? 0);
  };

  const SERVER = `postgresql://${OWNER}@127.0.0.1:${server.port}/${DATABASE}`;
  const ofServer = {
    query: (...statements: string[]) => server.query<never>(DATABASE, ...statements),
    url: server.url(DATABASE),
  };
  shell.addMachine('here', folder, {
    relay: {
      stop: () => (instances.at(-1) as Instance).close(),
      start: async () => {
        expect(rowsOf(SERVER)).toEqual(linesOf(readFileSync(join(folder, 'rows.sql'), 'utf8')));
        expect(await server.query(DATABASE, `SELECT FROM pg_trigger WHERE tgenabled = 'D'`)).toEqual([]);
        await installAudit(ofServer);
        await countWaiting((sql) => server.query(DATABASE, sql));
        await add(seat, file).start();
      },
    },
  });
  const [a, b, c] = cluster.machines as [Machine, Machine, Machine];
  const onMachine = new Map<Machine, Instance>();
  for (const machine of cluster.machines) {
    const at = { host: machine.address, port: Number(cluster.settings.RELAY_PORT) };
    const ofMachine = join(folder, `relay-${machine.name}.env`);
    shell.addMachine(machine.address, machine.folder, {
      relay: {
        stop: async () => onMachine.get(machine)?.terminate(),
        start: async () => {
          const known = onMachine.get(machine);
          if (known) return known.up();
          if (onMachine.size === 0) await countWaiting((sql) => database.query(sql));
          const instance = add(at, ofMachine);
          onMachine.set(machine, instance);
          return instance.start();
        },
      },
      haproxy: { start: () => machine.haproxy.start(), stop: () => machine.haproxy.end() },
      pgbouncer: { start: () => machine.pgbouncer.start(), stop: () => machine.pgbouncer.end('SIGINT') },
    });
  }

  let chain: unknown;
  const steps = async () => {
    await until(() => load.accepted > 5 * PACE, STEP_LIMIT_MS);
    await pos.misbehave('down', POS_AWAY_MS);
    await perform('Move from the embedded database to a server', here, {
      SETTINGS: file,
      DATA_DIR,
      SERVER,
      FOLDER: folder,
    });

    await accepts(load);
    await pos.misbehave('down', POS_AWAY_MS);
    const own = readSettingsFile(file);
    for (const { name, values } of cluster.machines) {
      const given = readSettings(readFileSync(join(values.CONFIG as string, 'relay.env'), 'utf8'));
      writeSettingsFile(join(folder, `relay-${name}.env`), { ...own, DATABASE_TIMEOUT_MS: '5000', ...given });
    }
    doors.splice(0, 1, ...cluster.fronts.map((front, number) => ({ number, url: terminalsOf(cluster, front) })));
    const { RELAY_PASSWORD, PRIMARY_PORT, RELAY_PORT, TERMINALS_PORT } = cluster.settings as Record<string, string>;
    await perform('Move from one server to the cluster', here, {
      ...{ OLD_RELAYS: 'here', OLD: server.url(DATABASE), FOLDER: folder, SETTINGS: join(folder, 'relay-a.env') },
      NEW: `postgresql://${OWNER}:${RELAY_PASSWORD}@${a.address}:${PRIMARY_PORT}/${DATABASE}`,
      RELAYS: `${a.address} ${b.address}`,
    } as Record<string, string>);

    await accepts(load);
    const onA = { ...here, cwd: a.folder };
    await perform('Upgrade Postgres to a new minor version', onA, { CONFIG: 'config', INSTALL: 'true' });
    await cluster.untilWhole();

    const relays = [a, b].map(({ address }) => `${address}:${RELAY_PORT}`);
    await perform('Upgrade the relay, one instance after the other', onA, {
      RELAYS: relays.join(' '),
      INSTALL: 'true',
    });

    const HAPROXIES = cluster.machines.map(({ address }) => address).join(' ');
    const ports = { RELAY_PORT, TERMINALS_PORT } as Record<string, string>;
    await perform('Add a third relay', onA, { C: c.address, HAPROXIES, CONFIG: 'config', ...ports });
    doors.push({ number: 2, url: terminalsOf(cluster, c) });
    await until(
      async () => (await Promise.all(cluster.machines.map(poolOf))).every((pool) => pool.length === 3),
      STEP_LIMIT_MS,
    );
    await accepts(load);
    const days = `${doors[0]?.url}/restaurants/${callers.restaurants[0]?.id}/days/check`;
    chain = (await call('GET', days, callers.jwt)).data;
  };
  const sent = { orders: SECONDS * PACE, loadMs: SECONDS * 1_000 };
  const done = await play({ ...sent, pos: mode, pulling: 0, sendsOn: true }, cast, steps);
  const outages = outageLines(outagesOf(trials, done.history.orders));
  return { done, waiting, chain, served: instances.map(({ pids }) => pids.length), outages };
}

/** Until the relay, as it now is, has accepted sales for some seconds. */
async function accepts(load: Load): Promise<void> {
  const before = load.accepted;
  await until(() => load.accepted > before + 3 * PACE, STEP_LIMIT_MS);
}

const terminalsOf = ({ settings }: LocalCluster, { address }: Machine) =>
  `http://${address}:${settings.TERMINALS_PORT}`;

describe('the procedures of docs/operations.md, run as written while terminals send sales', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-procedures-'));
  // postgres, which may run as somebody else, must reach its own folders in it
  chmodSync(folder, 0o711);
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  whereCluster(
    `P11: from the embedded database to a server, to the cluster, upgrades, a third relay: every sale is delivered once${NEEDS_CLUSTER}`,
    async () => {
      execFileSync(process.execPath, ['tools/build.mjs', 'relay'], { cwd: ROOT, stdio: 'ignore' });
      const said: string[] = [];
      try {
        const { done, waiting, chain, served, outages } = await withClosers(
          (line) => said.push(line),
          (events, closers) => growUp(folder, events, closers),
        );
        const verdict = judge(done.history);
        said.push(...reportOf(verdict, done, outages));
        expect(verdict.violations).toEqual([]);
        // those of the POS, which went away, and of a slow machine; no procedure adds one
        expect(verdict.doubles.filter(({ reason }) => !BY_NO_PROCEDURE.has(reason))).toEqual([]);
        expect(done.crashes).toEqual([]);
        expect(verdict.accepted).toBe(verdict.sent);
        // both moves took sales along that waited
        expect(waiting.map((count) => count > 0)).toEqual([true, true]);
        expect(chain).toMatchObject({ days: 3, firstBroken: null });
        // embedded, server, a and b twice, c
        expect(served).toEqual([1, 1, 2, 2, 1]);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${said.join('\n')}`, { cause: error });
      } finally {
        // the figures of the manual
        if (process.env.PROCEDURES_SAY) process.stderr.write(`${said.join('\n')}\n`);
      }
    },
    LIMIT_MS,
  );
});
