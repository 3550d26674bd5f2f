import { loadEnvFile } from '../../platform/config/env-file.js';
import { errorText } from './check.js';
import { readFlags } from './command-line.js';

/** The command `npm run doctor` (R13). */

const HELP = `Usage: npm run doctor -- [options]

Checks a deployment with the relay's own configuration: the environment, the database,
the POS and its credentials, the restaurants, and the waiting jobs. It changes
nothing in the database; the relay may run meanwhile, or not.

  --json   prints the checks as a JSON array; programs run
           node dist/doctor/main.js --json, without the output of the build
  --help   prints this text

Exit code 1 when orders would be lost or delayed (✗), else 0.
NO_COLOR and FORCE_COLOR are respected.`;

const print = (text: string) => console.log(text);

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readFlags(process.argv.slice(2), ['json', 'help']);
  if (options.help) {
    print(HELP);
    return 0;
  }
  // loaded here, so that --help is fast
  const { examine } = await import('./examination.js');
  const { env, stdout } = process;
  // a closed pipe (`doctor | head`) changes neither the checks nor the exit code
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  if (env.NODE_ENV !== 'production') loadEnvFile('.env', env);
  return examine(options, { env, print, isTerminal: stdout.isTTY, now: Date.now });
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`doctor: ${errorText(error)}\n`);
    process.exit(1);
  },
);
