import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseProxy, STATEMENT } from '../postgres/proxy.js';
import type { Random } from '../random.js';
import type { Bystanders } from './bystanders.js';
import type { Database } from './database.js';
import type { EventLog } from './event-log.js';
import type { Instance } from './instance.js';
import type { Operator } from './operator.js';
import { holdLock, takeAllConnections } from './other-clients.js';
import type { PlannedFault } from './plan.js';
import type { ChaosPos } from './pos.js';
import type { Pressure } from './pressure.js';

/** What faults are done to. */
export interface Targets {
  readonly instances: readonly Instance[];
  readonly proxies: readonly DatabaseProxy[];
  readonly database: Database;
  readonly pos: ChaosPos;
  readonly operator: Operator;
  readonly pressure: Pressure;
  readonly bystanders: Bystanders;
  readonly events: EventLog;
  /** decides which answers are lost */
  readonly random: Random;
}

/** Injects the faults of a plan, each at its time. Resolves when the last has ended; rejects when one could not be injected. */
export async function injectFaults(plan: readonly PlannedFault[], targets: Targets): Promise<void> {
  const startedAt = performance.now();
  const underWay: Promise<void>[] = [];
  const follow = (done: Promise<void>) => {
    underWay.push(done);
    // a failure is reported at the end
    done.catch(() => {});
  };
  // the POS has one fault at a time
  let ofPos: Promise<void> = Promise.resolve();
  for (const fault of plan) {
    await delay(Math.max(0, startedAt + fault.atMs - performance.now()));
    if (fault.kind === 'pos') {
      ofPos = ofPos.then(() => inject(fault, targets));
      follow(ofPos);
    } else follow(inject(fault, targets));
  }
  await Promise.all(underWay);
  await targets.database.quiet();
}

async function inject(fault: PlannedFault, targets: Targets): Promise<void> {
  const { events, database } = targets;
  switch (fault.kind) {
    case 'kill':
      return instanceOf(fault, targets).kill();
    case 'term':
      return instanceOf(fault, targets).terminate();
    case 'stop':
      return instanceOf(fault, targets).stopFor(fault.forMs);
    case 'restart':
      return database.restart();
    case 'failover':
      return database.failover(fault.readOnlyMs);
    case 'reset':
      return targets.operator.round();
    case 'pos': {
      const over = events.begin('pos', null, `POS: ${fault.how} for ${fault.forMs} ms`);
      await targets.pos.misbehave(fault.how, fault.forMs);
      return over();
    }
    case 'lossy':
      return loseAnswers(fault, targets);
    case 'half-open':
      return silenceProxy(fault, targets);
    case 'crowd': {
      const over = events.begin('crowd', null, `another client takes all connections for ${fault.forMs} ms`);
      const taken = await takeAllConnections(database.port, fault.forMs);
      return over(`the other client had taken ${taken} connections`);
    }
    case 'held':
      return database.holdCommits(fault.forMs);
    case 'settings':
      return targets.pressure.wrongSettings(fault.forMs);
    case 'bodies':
      return targets.pressure.bigBodies(instanceOf(fault, targets), fault.forMs);
    case 'files':
      return targets.bystanders.readFiles(fault.forMs);
    case 'role':
      return targets.pressure.hostileRole(fault.forMs);
    case 'disk':
      return targets.pressure.fullDisk(fault.forMs);
    case 'descriptors':
      return targets.pressure.manyClients(instanceOf(fault, targets), fault.forMs);
    case 'refused':
      return targets.bystanders.sellRefused(fault.forMs);
    case 'viewers':
      return targets.bystanders.view(fault.forMs);
    case 'locks': {
      const over = events.begin('locks', null, `another client locks ${fault.on} for ${fault.forMs} ms`);
      await holdLock(database.port, fault.on, fault.forMs);
      return over();
    }
  }
}

type OfInstance = { readonly instance: number };

async function loseAnswers(fault: Extract<PlannedFault, { kind: 'lossy' }>, targets: Targets): Promise<void> {
  const { instance, chance, forMs } = fault;
  const proxy = proxyOf(fault, targets);
  const random = targets.random.of(`lossy ${fault.atMs}`);
  const text = `instance ${instance}: each answer of the database is lost with a chance of ${chance.toFixed(2)} for ${forMs} ms`;
  const over = targets.events.begin('lossy', instance, text);
  const before = proxy.lost;
  proxy.loses = (sent) => STATEMENT.test(sent) && random.chance(chance);
  await delay(forMs);
  proxy.loses = undefined;
  over(`instance ${instance}: ${proxy.lost - before} answers of the database were lost`);
}

async function silenceProxy(fault: Extract<PlannedFault, { kind: 'half-open' }>, targets: Targets): Promise<void> {
  const { instance, forMs } = fault;
  const proxy = proxyOf(fault, targets);
  const text = `instance ${instance}: its connections to the database are dead for ${forMs} ms, its sockets stay open`;
  const over = targets.events.begin('half-open', instance, text);
  proxy.silence();
  await delay(forMs);
  proxy.resume();
  over();
}

function instanceOf({ instance }: OfInstance, { instances }: Targets): Instance {
  return instances[instance] as Instance;
}

function proxyOf({ instance }: OfInstance, { proxies }: Targets): DatabaseProxy {
  return proxies[instance] as DatabaseProxy;
}
