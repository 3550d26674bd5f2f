import { readArguments } from '../../tools/command-line.js';

export const HELP = `Usage: npm run soak -- [options]

Lets a built relay receive and deliver at half of its full load, with retention at
work, and says whether anything grows: memory, tables, indexes, dead rows, the
time of an answer, the time of a claim. Creates a Postgres server, or with DATABASE_URL
a database on that server, and removes it. Exit code 1 when something grew, or an order is missing.

  --minutes N   how long (default 30; the first sixth of it warms up)
  --rate N      sales a second (default: half of what it delivers when flooded,
                measured for 15 s at the start)
  --help        this text`;

const MINUTES = { default: 30, least: 1, most: 24 * 60 };

export interface Options {
  readonly help: boolean;
  /** how long it runs after its start, in ms */
  readonly durationMs: number;
  /** sales a second; undefined: to be measured */
  readonly rate: number | undefined;
  /** connection string of a user who may create databases; undefined: a temporary server */
  readonly server: string | undefined;
}

/** @throws an error of one line */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>): Options {
  const given = readArguments(args, {
    minutes: { type: 'string', default: String(MINUTES.default) },
    rate: { type: 'string' },
    help: { type: 'boolean', default: false },
  });
  const minutes = Number(given.minutes);
  if (!(minutes >= MINUTES.least && minutes <= MINUTES.most))
    throw new Error(`--minutes must be a number from ${MINUTES.least} to ${MINUTES.most}; try --help`);
  const rate = given.rate === undefined ? undefined : Number(given.rate);
  if (rate !== undefined && !(rate > 0)) throw new Error('--rate must be a number above 0; try --help');
  return { help: given.help, durationMs: minutes * 60_000, rate, server: env.DATABASE_URL };
}
