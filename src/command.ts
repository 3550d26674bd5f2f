import { parseArgs } from 'node:util';

/** What the commands for a person's terminal share: their flags and their colours. */

/**
 * The flags given, each true or false; every one that is not named here is refused, and so is any other argument.
 * @throws with one line that says what is wrong
 */
export function readFlags<Name extends string>(args: string[], names: readonly Name[]): Record<Name, boolean> {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean', default: false } as const]));
    return parseArgs({ args, options }).values as Record<Name, boolean>;
  } catch (error) {
    // without what Node adds on how to write odd arguments
    const [reason] = (error as Error).message.split(/\n|\. /);
    throw new Error(`${reason}; try --help`);
  }
}

/** Colours when asked for (FORCE_COLOR), never when declined (NO_COLOR), else when a person's terminal has them. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
