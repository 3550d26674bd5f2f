import { readArguments, wholeNumber } from '../../tools/command-line.js';

export const HELP = `Usage: npm run fuzz -- [options]

Sends hostile requests to a new relay, made from the OpenAPI document and a
seed, while one restaurant goes on selling. Among them is every field of every body as
text of 10 to 300,000 characters that cannot be compressed. Checked for every request:
an answer of the document and never a 5xx, no byte of another tenant, at most 100 ms of CPU. Checked
over all: memory stays flat, every sale of that restaurant is cooked exactly once, although its
POS sends each answer in another form (compressed, in UTF-16, with a byte order mark), and every
order that counts as delivered is one that the POS accepted.
Exit code 0 when all of it holds, else 1; each failure is printed with the request.

  --requests N   how many; default 100000
  --seed S       a whole number; default: a new one, which is printed
  --only N       sends request number N of the seed alone
  --help         this text

The database is a new embedded one, or a new one on the server that DATABASE_URL or
TEST_DATABASE_URL names; either is removed at the end.`;

export interface Options {
  readonly help: boolean;
  readonly requests: number;
  readonly seed: number;
  readonly only: number | undefined;
}

/** @throws an error of one line */
export function readOptions(args: string[]): Options {
  const { help, requests, seed, only } = readArguments(args, {
    help: { type: 'boolean', default: false },
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    only: { type: 'string' },
  });
  return {
    help,
    requests: wholeNumber('requests', requests),
    seed: seed === undefined ? Date.now() % 1_000_000 : wholeNumber('seed', seed),
    only: only === undefined ? undefined : wholeNumber('only', only),
  };
}
