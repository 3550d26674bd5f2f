import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Arguments and colours of the command line tools. */

/**
 * Reads the arguments by `parseArgs`; unknown ones are refused.
 * @throws an error of one line
 */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: Options,
): ReturnType<typeof parseArgs<{ args: string[]; options: Options }>>['values'] {
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    // without Node's advice on arguments that begin with a dash
    const [reason] = (error as Error).message.split(/\n|\. /);
    throw new Error(`${reason}; try --help`);
  }
}

/** @throws an error of one line that names the option */
export function wholeNumber(option: string, text: string, least = 0): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least) return value;
  throw new Error(`--${option} must be a whole number from ${least}, not "${text}"`);
}

/** Whether to print colours: FORCE_COLOR, NO_COLOR, else whether it is a terminal. */
export function wantsColour(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined) return !['0', 'false'].includes(env.FORCE_COLOR);
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
