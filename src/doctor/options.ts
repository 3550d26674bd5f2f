import { readFlags } from './command-line.js';

/** The text of `--help`. */
export const HELP = `Usage: npm run doctor -- [options]

Checks a deployment with the relay's own configuration: the environment, the database,
the POS and its credentials, the restaurants, and the waiting jobs. It changes
nothing in the database; the relay may run meanwhile, or not.

  --json   prints the checks as a JSON array; programs run
           node dist/doctor/main.js --json, without the output of the build
  --help   prints this text

Exit code 1 when orders would be lost or delayed (✗), else 0.
NO_COLOR and FORCE_COLOR are respected.`;

/** `json`: print JSON; `help`: print the help and exit. */
export type Options = ReturnType<typeof readOptions>;

/** Parses the command's arguments. @throws Error with a one-line message for an unknown option */
export function readOptions(args: string[]) {
  return readFlags(args, ['json', 'help']);
}
