import type fc from 'fast-check';
import type { Fate, Step } from './steps.js';
import type { Activity } from './time.js';
import type { Name, World } from './world.js';

export type Command = fc.AsyncCommand<World, World>;

/** One command: it is skipped where it makes no sense, and judged when it is done. */
export function command(
  title: string,
  makesSense: (world: World) => boolean,
  run: (world: World) => Promise<void>,
): Command {
  return {
    toString: () => title,
    check: makesSense,
    run: async (_, world) => {
      await run(world);
      world.judge();
    },
  };
}

export const always = () => true;

/** Begins something whose first statement meets this fate; `held`: it waits. */
export async function begin(
  world: World,
  name: Name,
  activity: Activity,
  fate: Fate,
  work: Parameters<World['begin']>[2],
) {
  await world.begin(name, activity, work);
  const step = world.steps.lastStatement(world.instance(name), activity);
  if (step && fate !== 'held') await world.take(step, fate);
}

/** Lets one of these steps happen, by its place. */
export function takeOne(world: World, steps: readonly Step[], place: number, fate: Fate): Promise<void> {
  return world.take(steps[place % steps.length] as Step, fate);
}
