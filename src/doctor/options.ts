import { readFlags } from '../command.js';

export const HELP = `Usage: npm run doctor -- [options]

Checks a deployment with the relay's own configuration: the environment, the database,
the POS and its credentials, the restaurants, and the jobs that wait. It changes
nothing in the database; the relay may run meanwhile, or not.

  --json   prints the checks as a JSON array; for a program, without what the build
           prints: node dist/doctor/main.js --json
  --help   this text

Exit code 1 when orders would be lost or delayed (✗), else 0.
NO_COLOR and FORCE_COLOR are respected.`;

export type Options = ReturnType<typeof readOptions>;

/** @throws with one line that says what is wrong */
export function readOptions(args: string[]) {
  return readFlags(args, ['json', 'help']);
}
