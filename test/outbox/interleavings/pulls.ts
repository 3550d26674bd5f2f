import { HttpException } from '@nestjs/common';
import { begin, type Command, command } from './command.js';
import { RESTAURANTS, TILLS } from './database.js';
import { keyOf } from './rules.js';
import type { Fate } from './steps.js';
import { eventOfJob } from './tills.js';
import type { Name, World } from './world.js';

/** What a POS that pulls does: it is that of the first restaurant. */

const ALL = { actions: ['CREATE', 'CANCEL'], states: ['ACCEPTED', 'REFUSED'], leftOut: [] } as const;
const [RESTAURANT] = RESTAURANTS;
const pos = (till: number) => ({ credentialId: TILLS[till % TILLS.length] as string, restaurantId: RESTAURANT });

/** @param isHeard false: the answer is lost on the way to the POS */
export const poll = (name: Name, fate: Fate, isHeard: boolean): Command =>
  command(
    `a POS polls ${name}: ${fate}${isHeard ? '' : ', its answer is lost'}`,
    ({ kind }) => kind.pulls,
    (world) => letPoll(world, name, fate, isHeard),
  );

export async function letPoll(world: World, name: Name, fate: Fate, isHeard = true): Promise<void> {
  world.note('a POS polls');
  const cancelled = new Set(world.now.jobs.filter(({ action }) => action === 'CANCEL').map(keyOf));
  const over = new Set(world.tills.over);
  await begin(world, name, 'poll', fate, async (instance) => {
    const events = await instance.pulled.poll(pos(0), ALL, new AbortController().signal);
    for (const event of events) {
      const job = world.now.jobs.find(({ id }) => id === event.orderId);
      if (event.eventType === 'CREATED' && job && cancelled.has(keyOf(job)))
        world.rules.broken.push('Q6: CREATED was offered by a poll that came after the cancel');
      if (over.has(event.eventId))
        world.rules.broken.push('Q16: an order was offered by the event of which its POS had refused it');
      if (job?.restaurant !== RESTAURANT) world.rules.broken.push('Q3: a poll had an event of another restaurant');
    }
    if (isHeard) world.tills.hear(events);
    world.note(
      `  the POS ${isHeard ? 'hears' : 'loses'} ${events.map(({ eventType }) => eventType).join(', ') || 'nothing'}`,
    );
  });
}

/** Any event that the POS has heard, also one that it has acknowledged before. */
export const acknowledge = (name: Name, place: number, fate: Fate): Command =>
  command(
    `a POS acknowledges at ${name} (${place}): ${fate}`,
    ({ tills }) => tills.heard.length > 0,
    async (world) => {
      const { heard } = world.tills;
      await letAcknowledge(
        world,
        name,
        [heard[heard.length - 1 - (place % heard.length)] as (typeof heard)[number]],
        fate,
      );
    },
  );

export async function letAcknowledge(
  world: World,
  name: Name,
  events: World['tills']['heard'],
  fate: Fate,
): Promise<void> {
  world.note(`the POS acknowledges ${events.map(({ eventType }) => eventType).join(', ')}`);
  world.tills.acknowledges(events);
  const list = events.map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType }));
  await begin(world, name, 'acknowledgement', fate, (instance) => instance.pulled.acknowledge(pos(1), list));
}

/** The POS confirms, or refuses, an order that it has; of one whose refusal was not answered it says that again. */
export const say = (name: Name, state: 'ACCEPTED' | 'REFUSED', place: number, fate: Fate, isNamed: boolean): Command =>
  command(
    `a POS ${state === 'REFUSED' ? 'refuses' : 'confirms'} at ${name} (${place}${isNamed ? ', with its event' : ''}): ${fate}`,
    ({ tills }) => tills.toSpeakOf.length > 0,
    async (world) => {
      const orders = world.tills.toSpeakOf;
      await letSay(world, name, orders[place % orders.length] as string, state, fate, isNamed);
    },
  );

/** Why the POS has nothing of the order any more, when its refusal is refused. */
const IS_REFUSED = /you have said this|you have refused|was cancelled/;

export async function letSay(
  world: World,
  name: Name,
  orderId: string,
  wanted: 'ACCEPTED' | 'REFUSED',
  fate: Fate,
  isNamed: boolean,
): Promise<void> {
  const { tills } = world;
  const { state, text, event } = tills.speaks(orderId, wanted, isNamed);
  world.note(`the POS says ${text}${isNamed ? ' of the event' : ''}`);
  await begin(world, name, 'statement', fate, async (instance) => {
    const what = state === 'REFUSED' ? { state, code: text, reason: 'no', itemIds: [] } : { state, number: text };
    const said = { ...what, eventId: isNamed ? event : undefined };
    try {
      await instance.states.say(pos(0), orderId, said, new AbortController().signal);
      world.note(`  ${text} is answered 202`);
      if (!world.now.said.some((row) => row.job === orderId && row.text === text))
        world.rules.broken.push(`Q15: ${text} was answered 202, and is not recorded`);
      if (state === 'REFUSED') tills.answered(orderId, event, true);
    } catch (error) {
      if (!(error instanceof HttpException)) throw error;
      const why = JSON.stringify(error.getResponse());
      world.note(`  ${text} is answered ${error.getStatus()}`);
      // 503: it says it again
      if (state === 'REFUSED' && error.getStatus() === 422) tills.answered(orderId, event, IS_REFUSED.test(why));
    }
  });
}

/** What no poll has returned: events of the other restaurant, and those that were never claimed. */
export const acknowledgeOthers = (name: Name, place: number): Command => {
  const find = ({ now }: World) =>
    now.jobs.filter(({ restaurant, attempts }) => restaurant !== RESTAURANT || attempts === 0);
  return command(
    `a POS acknowledges what it was not offered at ${name} (${place})`,
    (world) => world.kind.pulls && find(world).length > 0,
    async (world) => {
      const jobs = find(world);
      world.note('a POS acknowledges what it was not offered');
      const event = eventOfJob(jobs[place % jobs.length] as (typeof jobs)[number], world.now);
      await begin(world, name, 'acknowledgement', 'ok', (instance) => instance.pulled.acknowledge(pos(1), [event]));
    },
  );
};
