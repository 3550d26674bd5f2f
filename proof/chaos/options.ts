import { randomBytes } from 'node:crypto';
import { readArguments, wholeNumber } from '../../tools/command-line.js';
import type { ClusterSize } from './cluster/plan.js';
import { type PlanSize, PRESSURES } from './plan.js';

export const HELP = `Usage: npm run chaos -- [options]          SEED=<text> repeats the plan of a run

Starts instances of the relay on a new pair of Postgres servers, sends sales and
cancels through all of them, and does to them what a bad night does: kill -9, SIGSTOP
past the lease, SIGTERM, database crashes and failovers, answers lost on the way, dead
lines, POSs that pull, lose answers and refuse orders, no connections left, rows and tables locked by others, a role and a database with
wrong settings, commits that wait for a standby, a full disk, file descriptors used up, a
tenant with rows that the database refuses, reports and files beside it all, big bodies of
unknown senders, clocks off by minutes, a POS that is down, slow, late, busy or resets, an
operator who resets jobs. A sender that only reads receipts must get those of every order.
At the end it prints what became of every order. Exit code 1 when a rule is broken, with
the whole history of each order that breaks one.

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
  --pulling SHARE    restaurants whose POS asks for its orders (Open Delivery), with two tills each (0.5)
  --cluster          on the cluster of deploy/cluster instead: three Postgres under Patroni, etcd,
                     HAProxy, PgBouncer and two relays. Leaders die, are paused and switched over,
                     etcd has no quorum, standbys are away. With --short about three minutes, else
                     about twenty for 6000 sales; it takes as long as its faults take
      --leader-kills N     kill -9 of a leader      (10; with --short 1)
      --switchovers N      by patronictl            (5; 1)
      --quorum-losses N    etcd without a quorum    (3; 1)
      --asynchronous       commits wait for no standby: what is then lost is the counter-proof,
                           and exit code 1 means that nothing was
  --keep             keeps the instances' logs, and a list of all doubles
  --help             this text

Needs the programs of a Postgres server (initdb, pg_ctl, ...): those that pg_config names,
or below /usr/lib/postgresql; --cluster needs patroni, etcd, haproxy and pgbouncer too. Without them
it says so and does nothing (exit code 0).`;

const POS_MODES = ['mixed', 'plain', 'refusing', 'asked'] as const;
export type PosMode = (typeof POS_MODES)[number];

/** How a run is done. */
export interface Options {
  readonly seed: string;
  readonly orders: number;
  /** how long sales are sent */
  readonly loadMs: number;
  readonly pos: PosMode;
  /** the share of restaurants whose POS pulls, 0 to 1 */
  readonly pulling: number;
  readonly keep: boolean;
  readonly help: boolean;
  /** how many faults of each kind, and how long they go on */
  readonly size: Omit<PlanSize, 'leaseMs'>;
  /** undefined: the run makes its own pair of servers */
  readonly cluster: { readonly asynchronous: boolean; readonly size: ClusterSize } | undefined;
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
    pulling: { type: 'string', default: '0.5' },
    keep: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    'leader-kills': { type: 'string' },
    switchovers: { type: 'string' },
    'quorum-losses': { type: 'string' },
    asynchronous: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  const { short, keep, help, cluster, asynchronous } = given;
  const count = (
    name:
      | 'orders'
      | 'instances'
      | 'kills'
      | 'restarts'
      | 'failovers'
      | 'seconds'
      | 'leader-kills'
      | 'switchovers'
      | 'quorum-losses',
    usual: number,
    least = 0,
  ) => (given[name] === undefined ? usual : wholeNumber(name, given[name], least));
  const orders = count('orders', short ? 600 : cluster ? 6_000 : 2_000, 1);
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
  const ofCluster = ['leader-kills', 'switchovers', 'quorum-losses'] as const;
  const misplaced = [...ofCluster, 'asynchronous' as const].find((name) => given[name] && !cluster);
  if (misplaced) throw new Error(`--${misplaced} needs --cluster`);
  return {
    seed: env.SEED || randomBytes(4).toString('hex'),
    orders,
    loadMs,
    pos: posMode(given.pos),
    pulling: shareOf(given.pulling),
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
      // longer than receipts look back for a commit of usual length, where there is time for it
      holds: durationMs < 120_000 ? 1 : 2,
      holdMs: durationMs < 120_000 ? 3_000 : 35_000,
    },
    cluster: cluster
      ? {
          asynchronous,
          size: clusterSize(short, asynchronous, {
            leaderKills: count('leader-kills', short ? 1 : 10),
            switchovers: count('switchovers', short ? 1 : 5),
            quorumLosses: count('quorum-losses', short ? 1 : 3),
          }),
        }
      : undefined,
  };
}

/** The rest of a night, beside what can be chosen; a short one has each kind of fault once. */
function clusterSize(
  short: boolean,
  asynchronous: boolean,
  chosen: Pick<ClusterSize, 'leaderKills' | 'switchovers' | 'quorumLosses'>,
): ClusterSize {
  const kills = chosen.leaderKills;
  return {
    ...chosen,
    pauses: Math.max(1, Math.ceil(kills / 3)),
    standbyPauses: short ? 0 : Math.max(1, Math.ceil(kills / 4)),
    standbysAway: short ? 1 : Math.max(2, Math.ceil(kills / 3)),
    // a short night has no time for it, but where it is what the night is about
    leaderDiesToo: short && !asynchronous ? 0 : Math.max(1, Math.ceil(kills / 5)),
    frontRestarts: Math.max(1, Math.ceil(kills / 4)),
    brief: short,
    relayKills: Math.max(1, Math.ceil(kills / 2)),
    relayTerms: Math.ceil(kills / 3),
    posFaults: short ? 3 : 2 * kills,
    resets: short ? 3 : 2 * kills,
  };
}

function shareOf(given: string): number {
  const share = /^\d(\.\d+)?$/.test(given) ? Number(given) : Number.NaN;
  if (share <= 1) return share;
  throw new Error(`--pulling must be a share from 0 to 1, not "${given}"`);
}

function posMode(given: string): PosMode {
  const mode = POS_MODES.find((name) => name === given);
  if (!mode) throw new Error(`--pos must be one of ${POS_MODES.join(', ')}, not "${given}"`);
  return mode;
}
