import { existsSync } from 'node:fs';
import { reasonOf } from './check.js';
import { examine } from './examination.js';
import { HELP, readOptions } from './options.js';

/** The command `npm run doctor`. */

const print = (text: string) => console.log(text);

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    print(HELP);
    return 0;
  }
  const { env, stdout } = process;
  if (env.NODE_ENV !== 'production' && existsSync('.env')) process.loadEnvFile('.env');
  return examine(options, { env, print, isTerminal: stdout.isTTY });
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`doctor: ${reasonOf(error)}\n`);
    process.exit(1);
  },
);
