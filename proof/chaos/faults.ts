import { setTimeout as delay } from 'node:timers/promises';
import type { Bystanders } from './bystanders.js';
import type { Chronicle } from './chronicle.js';
import type { Database } from './database.js';
import type { Instance } from './instance.js';
import type { Line } from './line.js';
import { holdLock, takeAllConnections } from './neighbours.js';
import type { Operator } from './operator.js';
import type { PlannedFault } from './plan.js';
import type { ChaosPos } from './pos.js';
import type { Pressure } from './pressure.js';

/** What faults are done to. */
export interface World {
  readonly instances: readonly Instance[];
  readonly lines: readonly Line[];
  readonly database: Database;
  readonly pos: ChaosPos;
  readonly operator: Operator;
  readonly pressure: Pressure;
  readonly bystanders: Bystanders;
  readonly chronicle: Chronicle;
}

/** Does the faults of a plan, each at its time. Resolves when the last has ended; rejects when one could not be done. */
export async function suffer(plan: readonly PlannedFault[], world: World): Promise<void> {
  const startedAt = performance.now();
  const underWay: Promise<void>[] = [];
  const follow = (done: Promise<void>) => {
    underWay.push(done);
    // that it could not be done is told at the end
    done.catch(() => {});
  };
  // the POS has one mood at a time
  let mood: Promise<void> = Promise.resolve();
  for (const fault of plan) {
    await delay(Math.max(0, startedAt + fault.atMs - performance.now()));
    if (fault.kind === 'pos') {
      mood = mood.then(() => once(fault, world));
      follow(mood);
    } else follow(once(fault, world));
  }
  await Promise.all(underWay);
  await world.database.quiet();
}

async function once(fault: PlannedFault, world: World): Promise<void> {
  const { chronicle, database } = world;
  switch (fault.kind) {
    case 'kill':
      return instanceOf(fault, world).kill();
    case 'term':
      return instanceOf(fault, world).terminate();
    case 'stop':
      return instanceOf(fault, world).stopFor(fault.forMs);
    case 'restart':
      return database.restart();
    case 'failover':
      return database.failover(fault.readOnlyMs);
    case 'reset':
      return world.operator.round();
    case 'pos': {
      const over = chronicle.begin('pos', null, `POS: ${fault.mood} for ${fault.forMs} ms`);
      await world.pos.suffer(fault.mood, fault.forMs);
      return over();
    }
    case 'lossy':
      return loseAnswers(fault, world);
    case 'half-open':
      return cutLine(fault, world);
    case 'crowd': {
      const over = chronicle.begin('crowd', null, `a neighbour takes all connections for ${fault.forMs} ms`);
      const taken = await takeAllConnections(database.port, fault.forMs);
      return over(`the neighbour had taken ${taken} connections`);
    }
    case 'role':
      return world.pressure.hostileRole(fault.forMs);
    case 'disk':
      return world.pressure.fullDisk(fault.forMs);
    case 'descriptors':
      return world.pressure.manyClients(instanceOf(fault, world), fault.forMs);
    case 'refused':
      return world.bystanders.sellRefused(fault.forMs);
    case 'viewers':
      return world.bystanders.view(fault.forMs);
    case 'locks': {
      const over = chronicle.begin('locks', null, `a neighbour locks ${fault.on} for ${fault.forMs} ms`);
      await holdLock(database.port, fault.on, fault.forMs);
      return over();
    }
  }
}

type OfInstance = { readonly instance: number };

async function loseAnswers(fault: Extract<PlannedFault, { kind: 'lossy' }>, world: World): Promise<void> {
  const { instance, chance, forMs } = fault;
  const line = lineOf(fault, world);
  const text = `instance ${instance}: each answer of the database is lost with a chance of ${chance.toFixed(2)} for ${forMs} ms`;
  const over = world.chronicle.begin('lossy', instance, text);
  const before = line.lost;
  line.dropChance = chance;
  await delay(forMs);
  line.dropChance = 0;
  over(`instance ${instance}: ${line.lost - before} answers of the database were lost`);
}

async function cutLine(fault: Extract<PlannedFault, { kind: 'half-open' }>, world: World): Promise<void> {
  const { instance, forMs } = fault;
  const line = lineOf(fault, world);
  const text = `instance ${instance}: its line to the database is dead for ${forMs} ms, its sockets stay open`;
  const over = world.chronicle.begin('half-open', instance, text);
  line.die();
  await delay(forMs);
  line.revive();
  over();
}

function instanceOf({ instance }: OfInstance, { instances }: World): Instance {
  return instances[instance] as Instance;
}

function lineOf({ instance }: OfInstance, { lines }: World): Line {
  return lines[instance] as Line;
}
