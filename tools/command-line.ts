import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What the tools share at a person's terminal: their arguments and their colours. */

/**
 * The arguments given, as `parseArgs` reads them; what is not named in `options` is refused.
 * @throws with one line that says what is wrong
 */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options }>>['values'] {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    // without what Node adds on how to write odd arguments
    const [reason] = (error as Error).message.split(/\n|\. /);
    throw new Error(`${reason}; try --help`);
  }
}

/** @returns the number @throws with one line that names the option */
export function wholeNumber(option: string, text: string, least = 0): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw new Error(`--${option} must be a whole number from ${least}, not "${text}"`);
}

/** Colours when asked for (FORCE_COLOR), never when declined (NO_COLOR), else when a person's terminal has them. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
