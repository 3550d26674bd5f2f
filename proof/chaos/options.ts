import { randomBytes } from 'node:crypto';
import { readArguments, wholeNumber } from '../../tools/command-line.js';
import { type PlanSize, PRESSURES } from './plan.js';

export const HELP = `Usage: npm run chaos -- [options]          SEED=<text> repeats the plan of a run

Starts instances of the relay on a new pair of Postgres servers, sends sales and
cancels through all of them, and does to them what a bad night does: kill -9, SIGSTOP
past the lease, SIGTERM, database crashes and failovers, answers lost on the way, dead
lines, no connections left, rows and tables locked by others, a role with a lock_timeout,
a full disk, file descriptors used up, a tenant with rows that the database refuses,
reports beside it all, clocks off by minutes, a POS that is down, slow, late, busy or
resets, an operator who resets jobs. At the end it prints what became of every order. Exit code 1 when a rule is broken, with the whole
history of each order that breaks one.

  --short            a run of about a minute: 600 orders, few faults
  --orders N         sales to send            (2000)
  --instances N      instances of the relay   (4)
  --kills N          kill -9                  (10)
  --restarts N       database crashes         (2)
  --failovers N      failovers                (1)
  --seconds N        how long faults go on    (as long as the above need)
  --pos MODE         what the POS makes of an order that it has already:
                       mixed      half of the stores as plain, half as refusing (the default)
                       plain      cooks it again
                       refusing   answers that it has it
                       asked      cooks it again, but can be asked, and is
  --keep             keeps the instances' logs, and a list of all doubles
  --help             this text

Needs the programs of a Postgres server (initdb, pg_ctl, ...): those that pg_config names,
or below /usr/lib/postgresql. Without them it says so and does nothing (exit code 0).`;

const POS_MODES = ['mixed', 'plain', 'refusing', 'asked'] as const;
export type PosMode = (typeof POS_MODES)[number];

/** How a run is done. */
export interface Options {
  readonly seed: string;
  readonly orders: number;
  /** how long sales are sent */
  readonly loadMs: number;
  readonly pos: PosMode;
  readonly keep: boolean;
  readonly help: boolean;
  /** how many faults of each kind, and how long they go on */
  readonly size: Omit<PlanSize, 'leaseMs'>;
}

/** Sales in a second, unless there is less time. */
const ORDERS_A_SECOND = 30;
/** An instance that was killed serves for a while before its next turn: ms for each kill. */
const MS_FOR_A_KILL = 6_500;
const MS_FOR_A_RESTART = 12_000;
const MS_FOR_A_FAILOVER = 25_000;
const LEAST_MS = 20_000;
/** Sales are still sent after the last fault, and must move as if nothing had been, in ms. */
const LOAD_AFTER_MS = 10_000;

/** @throws an error of one line */
export function readOptions(args: string[], env: Readonly<Record<string, string | undefined>>): Options {
  const given = readArguments(args, {
    short: { type: 'boolean', default: false },
    orders: { type: 'string' },
    instances: { type: 'string' },
    kills: { type: 'string' },
    restarts: { type: 'string' },
    failovers: { type: 'string' },
    seconds: { type: 'string' },
    pos: { type: 'string', default: 'mixed' },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  const { short, keep, help } = given;
  const count = (
    name: 'orders' | 'instances' | 'kills' | 'restarts' | 'failovers' | 'seconds',
    usual: number,
    least = 0,
  ) => (given[name] === undefined ? usual : wholeNumber(name, given[name], least));
  const orders = count('orders', short ? 600 : 2_000, 1);
  const kills = count('kills', short ? 3 : 10);
  const restarts = count('restarts', short ? 1 : 2);
  const failovers = count('failovers', 1);
  const needsMs = Math.max(
    (orders / ORDERS_A_SECOND) * 1_000,
    kills * MS_FOR_A_KILL,
    restarts * MS_FOR_A_RESTART + failovers * MS_FOR_A_FAILOVER,
    LEAST_MS,
  );
  const durationMs = count('seconds', Math.ceil(needsMs / 1_000), 1) * 1_000;
  const loadMs = durationMs + LOAD_AFTER_MS;
  const each = (ms: number) => Math.ceil(durationMs / ms);
  return {
    seed: env.SEED || randomBytes(4).toString('hex'),
    orders,
    loadMs,
    pos: posMode(given.pos),
    keep,
    help,
    size: {
      durationMs,
      instances: count('instances', short ? 3 : 4, 1),
      kills,
      stops: Math.max(2, Math.ceil(kills / 5)),
      terms: Math.ceil(kills / 8),
      restarts,
      failovers,
      posFaults: each(8_000),
      lines: each(10_000),
      crowds: each(20_000),
      resets: each(8_000),
      // each kind of them in a short run too
      pressures: Math.max(PRESSURES.length, each(8_000)),
    },
  };
}

function posMode(given: string): PosMode {
  const mode = POS_MODES.find((name) => name === given);
  if (!mode) throw new Error(`--pos must be one of ${POS_MODES.join(', ')}, not "${given}"`);
  return mode;
}
