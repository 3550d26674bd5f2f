import { readArguments } from '../command-line.js';

export const HELP = `Usage: npm run demo -- [options]

Starts the relay with its embedded database in a temporary folder, and a simulated
POS, plays an evening in a restaurant, prints a line for each step of each order, and
all orders as a table at the end. Runs until Ctrl-C, so that you can try things yourself.

  --once   ends by itself when every order has settled: exit code 0 when every
           one ended as it must, else 1
  --help   this text

The relay listens on PORT, else on 3000 or, where that is taken, on any free port.
NO_COLOR and FORCE_COLOR are respected.`;

export type Options = ReturnType<typeof readOptions>;

/** @throws with one line that says what is wrong */
export function readOptions(args: string[]) {
  return readArguments(args, {
    once: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
}
