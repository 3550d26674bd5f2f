import { parseArgs } from 'node:util';

export const HELP = `Usage: npm run doctor -- [options]

Checks a deployment with the relay's own configuration: the environment, the database,
the POS and its credentials, the restaurants, and the jobs that wait. It changes
nothing in the database; the relay may run meanwhile, or not.

  --json   prints the checks as a JSON array; for a program, without what the build
           prints: node dist/doctor/main.js --json
  --help   this text

Exit code 1 when orders would be lost or delayed (✗), else 0.
NO_COLOR and FORCE_COLOR are respected.`;

export interface Options {
  readonly json: boolean;
  readonly help: boolean;
}

/** @throws with one line that says what is wrong */
export function readOptions(args: string[]): Options {
  try {
    const options = { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    // without what Node adds on how to write odd arguments
    const [reason] = (error as Error).message.split(/\n|\. /);
    throw new Error(`${reason}; try --help`);
  }
}
