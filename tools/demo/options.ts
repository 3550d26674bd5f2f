import { readArguments } from '../command-line.js';

export const HELP = `Usage: npm run demo -- [options]

Starts the relay with its embedded database in a temporary folder, and a simulated
POS. Sends the sales of an evening, prints a line for each step of each order, and a
table of all orders at the end. One order stays parked: in the console you enter the
code of its product at the POS, and send it again. A second restaurant is left for you
to set up. Keeps running until Ctrl-C, so that you can try it.

  --once     mends the parked order by itself, and stops: exit code 0 when all
             orders are as expected, else 1
  --commands prints commands that send, cancel and show orders, to be pasted
  --verbose  prints the receipts that the terminal gets, too
  --help     this text

The relay listens on PORT. Without PORT: on 3000, or on any free port if 3000 is in use.
NO_COLOR and FORCE_COLOR are respected.`;

export type Options = ReturnType<typeof readOptions>;

/** @throws an error of one line */
export function readOptions(args: string[]) {
  return readArguments(args, {
    once: { type: 'boolean', default: false },
    commands: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
}
