import { existsSync } from 'node:fs';
import { errorText } from './check.js';
import { HELP, readOptions } from './options.js';

/** The command `npm run doctor` (R13). */

const print = (text: string) => console.log(text);

/** @returns the exit code */
async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    print(HELP);
    return 0;
  }
  // not for the help: it loads all there is to examine
  const { examine } = await import('./examination.js');
  const { env, stdout } = process;
  // a reader that has seen enough (`doctor | head`) changes neither what is examined nor the exit code
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  if (env.NODE_ENV !== 'production' && existsSync('.env')) process.loadEnvFile('.env');
  return examine(options, { env, print, isTerminal: stdout.isTTY });
}

main().then(
  (code) => process.exit(code),
  (error: Error) => {
    process.stderr.write(`doctor: ${errorText(error)}\n`);
    process.exit(1);
  },
);
