import { parseArgs } from 'node:util';

/** Flags and colours of the command-line tools. */

/**
 * Parses boolean flags.
 * @param args the arguments after the script's name
 * @param names the allowed flags, without `--`
 * @returns a value for each allowed flag: true when the flag is given
 * @throws Error with a one-line message for an unknown flag or any other argument
 */
export function readFlags<Name extends string>(args: string[], names: readonly Name[]): Record<Name, boolean> {
  try {
    const options = Object.fromEntries(names.map((name) => [name, { type: 'boolean', default: false } as const]));
    return parseArgs({ args, options }).values as Record<Name, boolean>;
  } catch (error) {
    // Node appends advice on escaping positional arguments
    const [reason] = (error as Error).message.split(/\n|\. /);
    throw new Error(`${reason}; try --help`);
  }
}

/**
 * Whether to print colours. FORCE_COLOR decides if it is set. Otherwise colours are printed on a terminal with colours, unless NO_COLOR
 * is set.
 * @param isTerminal whether the output is a TTY
 */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
