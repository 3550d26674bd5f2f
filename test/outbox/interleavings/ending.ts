import { leaseMsOf } from './claims.js';
import { type Job, RESTAURANTS, type State } from './database.js';
import { RESET_JOB } from './operator.js';
import { nameOf, type Order, orders } from './orders.js';
import { letAcknowledge, letPoll, letSay } from './pulls.js';
import { keyOf, RuleBroken } from './rules.js';
import { eventIdOf } from './tills.js';
import { NAMES, type World } from './world.js';

/** Rounds after which everything must have ended; an order has three attempts, and each may take a few. */
const ROUNDS = 40;
const OPEN: readonly Job['status'][] = ['PENDING', 'PROCESSING', 'FAILED'];

/** From now on everybody behaves: until nothing is left to do. @throws RuleBroken when that never comes */
export async function drain(world: World): Promise<void> {
  world.note('from here on nothing fails');
  world.isEnding = true;
  let isSentAgain = !world.kind.pulls;
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of NAMES) {
      await finish(world, name);
      await world.begin(name, 'reaper', (instance) => instance.reaper.reap());
      await finish(world, name);
      await world.begin(name, 'worker', (instance) => instance.worker.tick());
      await finish(world, name);
      if (world.kind.pulls) await pull(world, name);
    }
    const open = world.now.jobs.filter(({ status }) => OPEN.includes(status));
    world.judge();
    const isOver = open.length === 0 && world.tills.unanswered.length === 0;
    if (isOver && isSentAgain) return;
    if (isOver) {
      isSentAgain = true;
      await sendAgain(world);
    }
    if (open.length > 0) world.time.reach(nextEvent(world, open));
  }
  throw new RuleBroken('P3: jobs never came to an end, although nothing failed any more');
}

/** Somebody sends again what the POS has refused. */
async function sendAgain(world: World): Promise<void> {
  for (const { id, cause, withdrawn } of world.now.jobs)
    if (cause === 'refused' && !withdrawn) await world.operate(RESET_JOB, [id]);
}

/** The POS polls, acknowledges all that it has heard, and repeats the refusals that nobody has answered. */
async function pull(world: World, name: (typeof NAMES)[number]): Promise<void> {
  await letPoll(world, name, 'ok');
  await finish(world, name);
  for (const orderId of world.tills.unanswered) {
    await letSay(world, name, orderId, 'REFUSED', 'ok', false);
    await finish(world, name);
  }
  const due = world.tills.heard.filter(({ eventId }) =>
    world.now.jobs.some((job) => eventIdOf(job, world.now) === eventId && job.status !== 'SENT'),
  );
  if (due.length === 0) return;
  await letAcknowledge(world, name, due, 'ok');
  await finish(world, name);
}

/** When a job is due, or its lease ends; what is due already may wait for another job's lease. */
function nextEvent({ config, time }: World, open: readonly Job[]): number {
  const times = open.map(({ due, locked, lock }) =>
    locked === null ? (due as number) : locked + leaseMsOf(config, lock as string) + 1,
  );
  const ahead = times.filter((each) => each > time.now);
  return ahead.length > 0 ? Math.min(...ahead) : time.now + 1_000;
}

/** Everything that an instance waits for happens; one that is stopping ends, and its successor begins. */
async function finish(world: World, name: (typeof NAMES)[number]): Promise<void> {
  for (;;) {
    const instance = world.instance(name);
    const [step] = world.steps.of(instance);
    if (step) await world.take(step, 'ok');
    else if (instance.isStopping) world.crash(name);
    else return;
    world.judge();
  }
}

/** What must hold when everything has come to its end. @throws RuleBroken */
export function judgeEnd(world: World): void {
  const state = world.now;
  for (const order of orders) {
    const known = `${order.restaurantId}/${order.key}`;
    const create = state.jobs.find((job) => keyOf(job) === known && job.action === 'CREATE');
    const cancel = state.jobs.find((job) => keyOf(job) === known && job.action === 'CANCEL');
    if (world.accepted.has(order.number)) judgeAccepted(world, order, create, state);
    if (cancel) judgeCancelled(world, order, create, cancel);
    judgeDoubles(world, order);
  }
  for (const name of NAMES)
    must(world.instance(name).worker.unsettled === 0, `O20: ${name} holds jobs that it neither settled nor released`);
}

function judgeAccepted(world: World, order: Order, create: Job | undefined, { spent }: State): void {
  const name = `order ${order.number}`;
  const isRemoved = create === undefined && spent.includes(`${order.restaurantId}/${order.key}`);
  must(create || isRemoved, `P3: ${name} was accepted and is lost`);
  if (isRemoved || create?.status === 'SENT')
    must(
      isAtPos(world, order, create),
      `P3: ${name} is SENT, and the POS never had it, or not since it refused it (Q16)`,
    );
  else must(create?.status === 'DLQ', `P3: ${name} is ${create?.status} at the end`);
  if (create?.status !== 'DLQ' || create.withdrawn) return;
  must(!create.error?.includes('904'), `D12: ${name} is parked as a duplicate of itself`);
  const hasAttempt = [...world.rules.attempts.values()].some(({ job }) => job === create.id);
  must(hasAttempt, `O16: ${name} is parked without an attempt`);
}

/** A POS that pulls has heard of the event by which the order was offered last. */
function isAtPos({ pos, tills, now, kind }: World, { posName, restaurantId }: Order, create: Job | undefined): boolean {
  const isPulled = kind.pulls && restaurantId === RESTAURANTS[0];
  return isPulled && create ? tills.hasHeard(eventIdOf(create, now)) : pos.find(posName) !== undefined;
}

function judgeCancelled({ pos, line }: World, order: Order, create: Job | undefined, cancel: Job): void {
  const name = nameOf(cancel);
  must(create && (create.status === 'SENT' || create.withdrawn), `C5: ${name}: its order waits as ${create?.status}`);
  if (cancel.status !== 'SENT') return;
  // what arrives after its deadline, or is refused by the POS, no relay can take back
  const excused = line.calls.some((call) => call.order === order && (call.isLate || call.heard?.status === 422));
  must(excused || !pos.find(order.posName)?.isAlive, `C7: ${name} is SENT, and the order lives on at the POS`);
}

/** An order that was cooked twice has for each time but the last an attempt that may have arrived, for all that was known (D17). */
function judgeDoubles({ pos, rules, kind, line }: World, order: Order): void {
  const claims = new Set(pos.find(order.posName)?.cookedFor);
  const inOrder = [...rules.claims.keys()].filter((lock) => claims.has(lock));
  for (const lock of inOrder.slice(0, -1)) {
    const attempt = rules.attempts.get(lock.slice(lock.lastIndexOf('/') + 1));
    const mayHaveArrived = attempt?.reach === 'UNKNOWN' || (attempt?.http ?? 0) >= 500;
    must(
      mayHaveArrived,
      `D17: order ${order.number} was cooked twice, and its attempt is recorded as ${attempt?.outcome}`,
    );
  }
  if (pos.refusesDuplicates) must(claims.size <= 1, `D12: order ${order.number} was cooked twice`);
  // what arrives after everybody was told that it never came
  const isExcused = line.calls.some((call) => call.order === order && call.action === 'CREATE' && call.isLate);
  if (kind.asks && !isExcused)
    must(claims.size <= 1, `D19: order ${order.number} was cooked twice, and the POS could be asked`);
}

function must(condition: unknown, rule: string): asserts condition {
  if (!condition) throw new RuleBroken(rule);
}
