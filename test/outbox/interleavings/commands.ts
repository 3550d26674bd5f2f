import fc from 'fast-check';
import { always, begin, type Command, command, takeOne } from './command.js';
import { RESTAURANTS } from './database.js';
import { RESET_JOB, RESET_REFUSED, RESETS_OF_PARKED } from './operator.js';
import { eventOf, type OrderNumber, orderOf } from './orders.js';
import { acknowledge, acknowledgeOthers, poll, say } from './pulls.js';
import { CALL_TROUBLES, type Fate, STATEMENT_TROUBLES } from './steps.js';
import { NAMES, type Name, type World } from './world.js';

const SECOND = 1_000;
const LEASE = 121 * SECOND;
const DAY = 86_400 * SECOND;
/** Steps of an attempt at most. */
const MOST_STEPS = 30;

const sell = (number: OrderNumber, name: Name, fate: Fate) =>
  command(`sell ${number} at ${name}: ${fate}`, always, async (world) => {
    const order = orderOf(number);
    world.note(`a terminal sends order ${number}`);
    await begin(world, name, 'webhook', fate, async (instance) => {
      world.stored(order, await instance.intake.store(eventOf(order)));
    });
  });

const cancel = (number: OrderNumber, name: Name, fate: Fate) =>
  command(
    `cancel ${number} at ${name}: ${fate}`,
    (world) => world.now.jobs.some(({ key }) => key === orderOf(number).key),
    async (world) => {
      const { restaurantId, key } = orderOf(number);
      world.note(`staff cancel order ${number}`);
      await begin(world, name, 'cancel', fate, async (instance) => {
        await instance.jobs.enqueueCancel(restaurantId, key, { entered: false });
        instance.run('worker', () => instance.worker.wake());
      });
    },
  );

const tick = (name: Name, fate: Fate) =>
  command(
    `tick of ${name}: ${fate}`,
    (world) => !world.instance(name).isStopping,
    (world) => begin(world, name, 'worker', fate, (instance) => instance.worker.tick()),
  );

const reap = (name: Name, fate: Fate) =>
  command(
    `reaper of ${name}: ${fate}`,
    (world) => !world.instance(name).isStopping && world.now.jobs.length > 0,
    (world) => begin(world, name, 'reaper', fate, (instance) => instance.reaper.reap()),
  );

/** The reaper comes as soon as a lease may have ended. */
const loseLease = (name: Name) =>
  command(
    `a lease passes, then the reaper of ${name}`,
    (world) => !world.instance(name).isStopping && world.now.jobs.some(({ lock }) => lock !== null),
    async (world) => {
      world.note('a lease passes');
      world.time.pass(LEASE);
      await begin(world, name, 'reaper', 'ok', (instance) => instance.reaper.reap());
    },
  );

const retain = (name: Name, fate: Fate) =>
  command(
    `retention of ${name}: ${fate}`,
    (world) => !world.instance(name).isStopping && world.now.events.length > 0,
    (world) => begin(world, name, 'retention', fate, (instance) => instance.retention.remove()),
  );

/** One of the steps that an instance waits for, by its place. */
const goOn = (name: Name, place: number) =>
  command(
    `${name} goes on (${place})`,
    (world) => world.steps.of(world.instance(name)).length > 0,
    (world) => takeOne(world, world.steps.of(world.instance(name)), place, 'ok'),
  );

const trouble = (kind: 'statement' | 'call', name: Name, place: number, fate: Fate) =>
  command(
    `a ${kind} of ${name} (${place}): ${fate}`,
    (world) => world.steps.of(world.instance(name), kind).length > 0,
    (world) => takeOne(world, world.steps.of(world.instance(name), kind), place, fate),
  );

/** A whole attempt, of which only the first call to the POS meets trouble: so a few of them make a history. */
const attempt = (name: Name, fate: Fate) =>
  command(
    `an attempt of ${name} whose call: ${fate}`,
    (world) => !world.instance(name).isStopping,
    async (world) => {
      await world.begin(name, 'worker', (instance) => instance.worker.tick());
      let hasCalled = false;
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        const [step] = world.steps.of(world.instance(name), 'statement', 'call', 'answer');
        if (!step) return;
        await world.take(step, step.kind === 'call' && !hasCalled ? fate : 'ok');
        hasCalled ||= step.kind === 'call';
      }
    },
  );

/** What somebody has sent, who has given up since, arrives. */
const arriveLate = (place: number) =>
  command(
    `what is adrift arrives (${place})`,
    (world) => world.steps.adrift.length > 0,
    (world) => takeOne(world, world.steps.adrift, place, 'ok'),
  );

const crash = (name: Name) =>
  command(`kill -9 of ${name}`, always, async (world) => {
    world.note(`${world.instance(name).name} is killed`);
    world.crash(name);
  });

const shutDown = (name: Name) =>
  command(
    `SIGTERM for ${name}`,
    (world) => !world.instance(name).isStopping,
    async (world) => {
      world.note(`${world.instance(name).name} is told to stop`);
      await world.begin(name, 'worker', (instance) => instance.shutDown());
    },
  );

const pass = (ms: number, title: string) =>
  command(
    title,
    (world) => world.now.jobs.length > 0,
    async (world) => {
      world.note(title);
      world.time.pass(ms);
    },
  );

const resetJob = (number: OrderNumber, action: 'CREATE' | 'CANCEL') => {
  const find = (world: World) => {
    const { key, restaurantId } = orderOf(number);
    return world.now.jobs.find((job) => job.key === key && job.restaurant === restaurantId && job.action === action);
  };
  return command(
    `reset ${action} ${number}`,
    (world) => find(world) !== undefined,
    async (world) => {
      world.note(`an operator resets the ${action} of order ${number}`);
      await operate(world, RESET_JOB, [find(world)?.id]);
    },
  );
};

const resetParked = ({ title, text, of }: (typeof RESETS_OF_PARKED)[number]) =>
  command(
    `operator ${title}`,
    (world) => world.now.jobs.some(({ status }) => status === 'DLQ'),
    async (world) => {
      world.note(`an operator ${title}`);
      const time = new Date(world.time.now - DAY).toISOString();
      await operate(world, text, [{ restaurant: RESTAURANTS[0], time, error: 'HTTP 422' }[of]]);
    },
  );

async function operate(world: World, text: string, values: readonly unknown[]): Promise<void> {
  const error = await world.operate(text, values);
  if (!error) return;
  world.note('  refused');
  if (!RESET_REFUSED.test(error.message)) world.rules.broken.push(`R11: a reset failed: ${error.message}`);
}

const name = fc.constantFrom(...NAMES);
const number = fc.constantFrom<OrderNumber>(1, 2, 3);
const place = fc.nat({ max: 2 });
const fate = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Fate>('ok') },
  fc.constantFrom<Fate>('held', ...STATEMENT_TROUBLES),
);

/** What a simulation consists of; the weights of a theme say how often. */
const ARBITRARIES = {
  sell: fc.tuple(number, name, fate).map((of) => sell(...of)),
  cancel: fc.tuple(number, name, fate).map((of) => cancel(...of)),
  tick: fc.tuple(name, fate).map((of) => tick(...of)),
  reap: fc.tuple(name, fate).map((of) => reap(...of)),
  loseLease: name.map(loseLease),
  retain: fc.tuple(name, fate).map((of) => retain(...of)),
  goOn: fc.tuple(name, place).map((of) => goOn(...of)),
  badStatement: fc
    .tuple(name, place, fc.constantFrom<Fate>(...STATEMENT_TROUBLES))
    .map((of) => trouble('statement', ...of)),
  badCall: fc.tuple(name, place, fc.constantFrom<Fate>(...CALL_TROUBLES)).map((of) => trouble('call', ...of)),
  attempt: fc.tuple(name, fc.constantFrom<Fate>('ok', ...CALL_TROUBLES)).map((of) => attempt(...of)),
  arriveLate: place.map(arriveLate),
  crash: name.map(crash),
  shutDown: name.map(shutDown),
  moment: fc.constant(0).map(() => pass(40 * SECOND, '40 s pass')),
  lease: fc.constant(0).map(() => pass(LEASE, 'a lease passes')),
  month: fc.constant(0).map(() => pass(31 * DAY, 'a month passes')),
  resetJob: fc.tuple(number, fc.constantFrom('CREATE' as const, 'CANCEL' as const)).map((of) => resetJob(...of)),
  poll: fc.tuple(name, fate, fc.boolean()).map((of) => poll(...of)),
  acknowledge: fc.tuple(name, place, fate).map((of) => acknowledge(...of)),
  acknowledgeOthers: fc.tuple(name, place).map((of) => acknowledgeOthers(...of)),
  confirm: fc.tuple(name, place, fate, fc.boolean()).map(([at, ...of]) => say(at, 'ACCEPTED', ...of)),
  refuse: fc.tuple(name, place, fate, fc.boolean()).map(([at, ...of]) => say(at, 'REFUSED', ...of)),
  resetParked: fc.constantFrom(...RESETS_OF_PARKED).map(resetParked),
} satisfies Record<string, fc.Arbitrary<Command>>;

const USUAL = {
  sell: 6,
  tick: 10,
  goOn: 24,
  badStatement: 4,
  badCall: 8,
  reap: 4,
  moment: 3,
  lease: 4,
  arriveLate: 2,
  crash: 2,
};

/** What a simulation is mostly about: with all of everything, little of it would ever meet. */
export const THEMES = {
  delivery: { ...USUAL, shutDown: 1 },
  leases: {
    sell: 3,
    tick: 12,
    goOn: 14,
    badCall: 4,
    badStatement: 2,
    loseLease: 12,
    arriveLate: 1,
    crash: 1,
    shutDown: 3,
  },
  attempts: {
    sell: 3,
    attempt: 14,
    moment: 10,
    goOn: 4,
    loseLease: 2,
    cancel: 1,
    resetJob: 1,
    arriveLate: 1,
    crash: 1,
  },
  cancel: { ...USUAL, cancel: 8, shutDown: 1 },
  operators: { ...USUAL, cancel: 2, resetJob: 5, resetParked: 2 },
  retention: { ...USUAL, badStatement: 2, crash: 1, cancel: 2, retain: 12, month: 8, moment: 6 },
  pulling: {
    ...{ sell: 6, poll: 12, acknowledge: 8, acknowledgeOthers: 1, goOn: 18, badStatement: 4, cancel: 4, reap: 3 },
    ...{ loseLease: 5, tick: 3, moment: 2, lease: 2, arriveLate: 2, crash: 2, resetJob: 4, resetParked: 2 },
    ...{ confirm: 3, refuse: 4 },
  },
} as const satisfies Record<string, Partial<Record<keyof typeof ARBITRARIES, number>>>;
export type Theme = keyof typeof THEMES;

/** Histories of this theme. @param replayPath that of a history that failed */
export function histories(theme: Theme, replayPath?: string) {
  const weighted = Object.entries(THEMES[theme]).map(([what, weight]) => ({
    weight,
    arbitrary: ARBITRARIES[what as keyof typeof ARBITRARIES] as fc.Arbitrary<Command>,
  }));
  return fc.commands([fc.oneof(...weighted)], { maxCommands: 60, size: 'max', replayPath });
}
