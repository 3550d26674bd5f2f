import { join } from 'node:path';
import type { PostgresBinaries } from '../postgres/binaries.js';
import { freePort } from '../postgres/cluster.js';
import { DatabaseProxy } from '../postgres/proxy.js';
import { Random } from '../random.js';
import { installAudit, readRecords } from './audit.js';
import { Bystanders } from './bystanders.js';
import { DATABASE, Database, OWNER, type Reach } from './database.js';
import {
  createRestaurants,
  LEASE_MS,
  POS_TIMEOUT_MS,
  prepare,
  pullingStores,
  REAPER_MS,
  refusesDuplicates,
  type Seat,
  STORES,
  TICK_MS,
} from './deployment.js';
import { EventLog } from './event-log.js';
import { injectFaults, type Targets } from './faults.js';
import type { History } from './history.js';
import type { Instance } from './instance.js';
import { Load } from './load.js';
import { Operator } from './operator.js';
import type { Options, PosMode } from './options.js';
import type { PlannedFault } from './plan.js';
import { ChaosPos } from './pos.js';
import { Pressure } from './pressure.js';
import { PullingPoses } from './pulling-pos.js';
import { ReceiptReader } from './receipt-reader.js';
import { settle } from './settle.js';

/** After the last fault and with an empty backlog everything is SENT within this, in ms. */
export const STATED_MS = LEASE_MS + REAPER_MS + TICK_MS + POS_TIMEOUT_MS;
const PROGRESS_EVERY_MS = 15_000;

/** What a run came to. */
export interface Run {
  readonly history: History;
  /** jobs that failed once more after the last fault, and were reset */
  readonly failedLate: number;
  readonly resets: number;
  readonly resetsRefused: number;
  readonly answersLost: number;
  readonly crashes: readonly string[];
  /** how often the POSs that pull met each of their faults */
  readonly pullFaults: Readonly<Record<string, number>>;
}

/**
 * Runs a plan against a new deployment. All its processes have ended when it resolves or rejects.
 * @param folder an empty one, for databases and logs; the logs stay
 */
export async function run(
  options: Options,
  plan: readonly PlannedFault[],
  binaries: PostgresBinaries,
  folder: string,
  print: (line: string) => void,
): Promise<Run> {
  return withClosers(print, async (events, closers) => {
    const targets = await open(options, binaries, new Random(options.seed), { folder, events, closers });
    events.say(`${targets.instances.length} instances serve; ${options.orders} sales, ${plan.length} faults`);
    const played = await play(options, targets, () => injectFaults(plan, targets));
    return { ...played, answersLost: targets.proxies.reduce((sum, { lost }) => sum + lost, 0) };
  });
}

/** Does the work; however it ends, or this process does, nothing that it gave to `closers` stays behind. The last is closed first. */
export async function withClosers<Result>(
  print: (line: string) => void,
  work: (events: EventLog, closers: (() => void)[]) => Promise<Result>,
): Promise<Result> {
  const events = new EventLog(print);
  const closers: (() => void)[] = [() => events.close()];
  const closeAll = () => {
    for (const close of closers.splice(0).toReversed()) close();
  };
  process.once('exit', closeAll);
  try {
    return await work(events, closers);
  } finally {
    closeAll();
    process.removeListener('exit', closeAll);
  }
}

interface Place {
  readonly folder: string;
  readonly events: EventLog;
  readonly closers: (() => void)[];
}

type OpenTargets = Targets & Cast;

/** What plays in a run, whatever its faults are done to. */
export interface Cast {
  readonly instances: readonly Instance[];
  readonly database: Reach;
  readonly pos: ChaosPos;
  readonly operator: Operator;
  readonly bystanders: Bystanders;
  readonly receipts: ReceiptReader;
  readonly load: Load;
  readonly pulling: PullingPoses;
  readonly events: EventLog;
}

/** How much is sent, and until when; see {@link Load.send}. */
export interface Sending {
  readonly orders: number;
  readonly loadMs: number;
  readonly pos: PosMode;
  /** the share of restaurants whose POS pulls */
  readonly pulling: number;
  /** sales are sent until the last fault is over, however long it takes */
  readonly sendsOn?: boolean;
}

async function open(options: Options, binaries: PostgresBinaries, random: Random, place: Place): Promise<OpenTargets> {
  const { folder, events, closers } = place;
  events.say(`Postgres of ${binaries.folder}: a primary and its synchronous standby are made in ${folder}`);
  const database = new Database(binaries, folder, events);
  closers.push(() => database.destroy());
  await database.open();
  const pos = new ChaosPos(
    new Map(STORES.map((store) => [store, refusesDuplicates(options.pos, store)])),
    POS_TIMEOUT_MS,
    random.of('pos'),
  );
  await pos.listen();
  closers.push(() => pos.close());
  const { instances: count } = options.size;
  const proxies = Array.from(
    { length: count },
    () => new DatabaseProxy(() => ({ host: '127.0.0.1', port: database.port })),
  );
  closers.push(() => {
    for (const proxy of proxies) proxy.close();
  });
  const clocks = random.of('clocks');
  const seats: Seat[] = [];
  for (const proxy of proxies)
    seats.push({
      host: '127.0.0.1',
      port: await freePort(),
      databaseUrl: `postgresql://${OWNER}@127.0.0.1:${await proxy.listen()}/${DATABASE}`,
    });
  const deployment = prepare({
    seats,
    mode: options.pos,
    pos,
    folder,
    events,
    random: clocks,
  });
  const { instances } = deployment;
  closers.push(() => {
    for (const instance of instances) void instance.close(true);
  });
  await Promise.all(instances.map((instance) => instance.start()));
  const callers = await createRestaurants(deployment, instances, pullingStores(options.pulling));
  await installAudit(database);
  const operator = new Operator(join(binaries.folder, 'psql'), database, events, random.of('operator'));
  return {
    instances,
    proxies,
    database,
    pos,
    operator,
    events,
    random: random.of('faults'),
    pressure: new Pressure(database, events),
    bystanders: new Bystanders(callers, events, random.of('bystanders')),
    receipts: new ReceiptReader(callers, random.of('receipts')),
    load: new Load(callers, random.of('load')),
    pulling: new PullingPoses(callers, random.of('pulling')),
  };
}

/** Sales flow, the faults come and go, everything moves to its end, and what is known of it is read. The instances end. */
export async function play(options: Sending, cast: Cast, faults: () => Promise<void>): Promise<Run> {
  const { load, events, instances, operator, database, pos, bystanders, receipts, pulling } = cast;
  const progress = setInterval(
    () => events.say(`${load.orders.length} sent, ${load.accepted} accepted`),
    PROGRESS_EVERY_MS,
  );
  try {
    let isOver = false;
    receipts.start();
    pulling.start();
    const sent = load.send(options.orders, options.loadMs, () => options.sendsOn === true && !isOver);
    await faults();
    isOver = true;
    pulling.calm();
    const quietAt = Date.now();
    events.say('the last fault is over');
    const failedLate = await settle(cast, sent);
    events.say('all sales and cancels are answered, and nothing waits');
    // the answer to a late acknowledgement would let a POS say more, after the last list
    await pulling.stop();
    await receipts.finish();
    events.say(`the lists had the receipts of ${receipts.seen.size} sales`);
    const records = await readRecords(database);
    const pullers = pullingStores(options.pulling);
    // a POS that pulls discards what it has handled
    const strict = STORES.filter(
      (store) => options.pos === 'asked' || refusesDuplicates(options.pos, store) || pullers.has(store),
    );
    const history = {
      ...records,
      orders: load.orders,
      bystanders: [...bystanders.calls, ...receipts.calls, ...pulling.record.answers],
      receipts: receipts.seen,
      pos: [...pos.calls, ...pulling.record.calls],
      offers: pulling.record.offers,
      statements: pulling.record.statements,
      pullingStores: pullers,
      faults: events.faults,
      processes: new Map(instances.flatMap(({ number, pids }) => pids.map((pid) => [pid, number] as const))),
      quietAt,
      leaseMs: LEASE_MS,
      posTimeoutMs: POS_TIMEOUT_MS,
      strictStores: new Set(strict),
    };
    return {
      history,
      failedLate,
      resets: operator.resets,
      resetsRefused: operator.refused,
      answersLost: 0,
      pullFaults: pulling.faults,
      crashes: instances.flatMap(({ crashes }) => crashes),
    };
  } finally {
    clearInterval(progress);
    load.stop();
    receipts.stop();
    await pulling.stop();
    await Promise.all(instances.map((instance) => instance.close()));
  }
}
