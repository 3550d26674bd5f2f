import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LocalCluster, type Machine } from '../../../deploy/cluster/local.mjs';
import type { PostgresBinaries } from '../../postgres/binaries.js';
import { Random } from '../../random.js';
import { installAudit } from '../audit.js';
import { Bystanders } from '../bystanders.js';
import { createRestaurants, POS_TIMEOUT_MS, prepare, pullingStores, refusesDuplicates, STORES } from '../deployment.js';
import type { EventLog } from '../event-log.js';
import { Load } from '../load.js';
import { Operator } from '../operator.js';
import type { Options } from '../options.js';
import { ChaosPos } from '../pos.js';
import { PullingPoses } from '../pulling-pos.js';
import { ReceiptReader } from '../receipt-reader.js';
import { type Cast, play, type Run, withClosers } from '../run.js';
import { ClusterFaults, patronictl } from './faults.js';
import { type Outage, outagesOf } from './outages.js';
import { type Step, usualMs } from './plan.js';
import { poolOf, timesLeft } from './pool.js';
import { ClusterServer } from './server.js';

/** Sales are still sent after the last fault, and must move as if nothing had been, in ms. */
const LOAD_AFTER_MS = 5_000;
/** Of the time that the faults usually take: afterwards sales are sent at the same pace, and none is left over at the end. */
const SENT_WITHIN = 0.85;
const POOL_LIMIT_MS = 60_000;
const LOOK_EVERY_MS = 250;

/** What a night on the cluster came to. */
export interface ClusterRun extends Run {
  readonly outages: readonly Outage[];
  /** how often relays left the pools of both HAProxys; one that is not back at the end is among the crashes */
  readonly leftPool: number;
}

/**
 * Runs the steps against the cluster of deploy/cluster, with two relays behind it. All its processes have ended when it resolves
 * or rejects.
 * @param folders where Patroni, etcd, HAProxy and PgBouncer are
 * @param folder an empty one, for databases and logs; the logs stay
 */
export async function runCluster(
  options: Options & { readonly cluster: NonNullable<Options['cluster']> },
  steps: readonly Step[],
  binaries: PostgresBinaries,
  folders: string[],
  folder: string,
  print: (line: string) => void,
): Promise<ClusterRun> {
  const random = new Random(options.seed);
  return withClosers(print, async (events, closers) => {
    const cluster = await openCluster(binaries, folders, folder);
    closers.push(() => cluster.destroy());
    events.say(`Patroni, etcd, HAProxy and PgBouncer start in ${folder}`);
    await cluster.start();
    if (options.cluster.asynchronous) await makeAsynchronous(cluster);
    const cast = await castOf(options, cluster, binaries, random, folder, events, closers);
    const { asynchronous } = options.cluster;
    const { instances, pos, operator } = cast;
    const faults = new ClusterFaults({
      ...{ cluster, synchronous: !asynchronous, instances, pos, operator, events },
      random: random.of('faults'),
    });
    events.say(
      `the cluster is whole, ${instances.length} relays serve; ${options.orders} sales, ${steps.length} faults of the cluster`,
    );
    const before = cluster.fronts.reduce((sum, front) => sum + timesLeft(front), 0);
    let missing: string[] = [];
    const { orders, pos: mode, pulling } = options;
    const sending = { orders, pos: mode, pulling, loadMs: usualMs(steps) * SENT_WITHIN, sendsOn: true };
    const done = await play(sending, cast, async () => {
      await faults.inject(steps);
      missing = await untilPooled(cluster, instances.length);
      await delay(LOAD_AFTER_MS);
    });
    return {
      ...done,
      crashes: [...done.crashes, ...missing],
      outages: outagesOf(faults.trials, done.history.orders),
      leftPool: cluster.fronts.reduce((sum, front) => sum + timesLeft(front), 0) - before,
    };
  });
}

/** The cluster in a folder of its own; nothing of it runs yet. */
export async function openCluster(
  { folder, user }: PostgresBinaries,
  folders: string[],
  inside: string,
): Promise<LocalCluster> {
  const place = join(inside, 'cluster');
  mkdirSync(place);
  // the servers, which may run as somebody else, pass through
  chmodSync(place, 0o711);
  return LocalCluster.prepare(place, { folders, postgresBin: folder, user });
}

/** As an operator does it: commits no longer wait for a standby, and any standby may become primary. */
async function makeAsynchronous(cluster: LocalCluster): Promise<void> {
  const set = ['-s', 'synchronous_mode=false', '-s', 'synchronous_mode_strict=false'];
  const said = await patronictl(cluster.machines[0] as Machine, 'edit-config', '--force', ...set, 'relay');
  if (!/Configuration changed/.test(said)) throw new Error(`patronictl edit-config: ${said}`);
  while ((await cluster.members()).some(({ role }) => role === 'sync_standby')) await delay(LOOK_EVERY_MS);
  await cluster.untilWhole({ synchronous: false });
}

async function castOf(
  options: Options,
  cluster: LocalCluster,
  binaries: PostgresBinaries,
  random: Random,
  folder: string,
  events: EventLog,
  closers: (() => void)[],
): Promise<Cast> {
  const stores = STORES.map((store) => [store, refusesDuplicates(options.pos, store)] as const);
  const pos = new ChaosPos(new Map(stores), POS_TIMEOUT_MS, random.of('pos'));
  await pos.listen();
  closers.push(() => pos.close());
  const { RELAY_PASSWORD, PGBOUNCER_PORT, RELAY_PORT, TERMINALS_PORT } = cluster.settings;
  const seats = cluster.fronts.map(({ address }) => ({
    host: address,
    port: Number(RELAY_PORT),
    databaseUrl: `postgresql://relay:${RELAY_PASSWORD}@${address}:${PGBOUNCER_PORT}/relay`,
  }));
  // the default of the relay, which pgbouncer.ini and post-init.sh are written for
  const environment = { DATABASE_TIMEOUT_MS: '5000', TRUST_PROXY: '1' };
  const clocks = random.of('clocks');
  const deployment = prepare({ seats, environment, mode: options.pos, pos, folder, events, random: clocks });
  const { instances } = deployment;
  closers.push(() => {
    for (const instance of instances) void instance.close(true);
  });
  await Promise.all(instances.map((instance) => instance.start()));
  const doors = cluster.fronts.map(({ address }, number) => ({ number, url: `http://${address}:${TERMINALS_PORT}` }));
  const callers = await createRestaurants(deployment, doors, pullingStores(options.pulling));
  const database = new ClusterServer(cluster);
  await installAudit(database);
  return {
    ...{ instances, database, pos, events },
    operator: new Operator(join(binaries.folder, 'psql'), database, events, random.of('operator')),
    bystanders: new Bystanders(callers, events, random.of('bystanders')),
    receipts: new ReceiptReader(callers, random.of('receipts')),
    load: new Load(callers, random.of('load')),
    pulling: new PullingPoses(callers, random.of('pulling')),
  };
}

/** Until every HAProxy has every relay in its pool again, all by itself. @returns those that do not come back */
async function untilPooled({ fronts }: LocalCluster, relays: number): Promise<string[]> {
  const startedAt = performance.now();
  for (;;) {
    const pools = await Promise.all(fronts.map(async (front) => [front.name, await poolOf(front)] as const));
    const short = pools.filter(([, pool]) => pool.length < relays);
    if (short.length === 0) return [];
    if (performance.now() - startedAt > POOL_LIMIT_MS)
      return short.map(([name, pool]) => `HAProxy ${name} has ${pool.join(', ') || 'no relay'} in its pool only`);
    await delay(LOOK_EVERY_MS);
  }
}
