import type { Random } from '../../random.js';
import { POS_FAULTS, type PosFault } from '../plan.js';

/** Seconds of deploy/cluster/patroni.yml after which a primary that is not heard of loses its role, in ms. */
export const TTL_MS = 20_000;

/** How a leader dies: its whole machine, its Postgres alone, or its Patroni alone, whose Postgres then has no manager. */
export const DEATHS = ['machine', 'postgres', 'patroni'] as const;

/** What is done to the servers of the cluster; one at a time, and each begins when the cluster is whole. */
export type ClusterFault =
  | { readonly kind: 'leader'; readonly dies: (typeof DEATHS)[number]; readonly awayMs: number }
  | { readonly kind: 'pause'; readonly forMs: number }
  | { readonly kind: 'switchover' }
  /** two members of etcd are away; with `standbyToo` one of them with its whole machine */
  | { readonly kind: 'quorum'; readonly standbyToo: boolean; readonly forMs: number }
  /** the machine of the synchronous standby is paused */
  | { readonly kind: 'standby'; readonly forMs: number }
  /** Postgres of both standbys is away; with `leaderDies` they come back when the leader's machine is away */
  | { readonly kind: 'standbys'; readonly leaderDies: boolean; readonly forMs: number }
  /** one relay's, while nothing else happens to the cluster */
  | { readonly kind: 'haproxy' | 'pgbouncer'; readonly front: number; readonly forMs: number };

/** What happens beside it, `afterMs` after the fault of the same step began; `front` and `relay` are 0 or 1. */
export type BesideFault = { readonly afterMs: number } & (
  | { readonly kind: 'relay-kill' | 'relay-term'; readonly relay: number }
  | { readonly kind: 'haproxy' | 'pgbouncer'; readonly front: number; readonly forMs: number }
  | { readonly kind: 'pos'; readonly how: PosFault; readonly forMs: number }
  | { readonly kind: 'reset' }
);

/** A fault of the cluster, and what happens beside it. */
export interface Step {
  /** quiet time before it */
  readonly afterMs: number;
  readonly fault: ClusterFault;
  readonly beside: readonly BesideFault[];
}

/** How many faults of each kind. */
export interface ClusterSize {
  readonly leaderKills: number;
  readonly pauses: number;
  readonly switchovers: number;
  readonly quorumLosses: number;
  readonly standbyPauses: number;
  readonly standbysAway: number;
  /** of the times without standbys, those in which the leader dies too */
  readonly leaderDiesToo: number;
  /** of each, as a step of its own; as many happen beside other steps */
  readonly frontRestarts: number;
  /** whether faults last no longer than they must to have an effect */
  readonly brief: boolean;
  readonly relayKills: number;
  readonly relayTerms: number;
  readonly posFaults: number;
  readonly resets: number;
}

type Undated = BesideFault extends infer Each ? (Each extends BesideFault ? Omit<Each, 'afterMs'> : never) : never;

const MOST_BESIDE_AFTER_MS = 12_000;

/** The steps of a night: the faults of the cluster in random order, and the others spread over them. */
export function clusterPlanOf(size: ClusterSize, random: Random): Step[] {
  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
  const faults: ClusterFault[] = [
    ...times(
      size.leaderKills,
      (index): ClusterFault => ({
        kind: 'leader',
        // Postgres first where time is short: its standby is promoted at once
        dies: DEATHS[(index + (size.brief ? 1 : 0)) % DEATHS.length] as (typeof DEATHS)[number],
        awayMs: random.between(500, 6_000),
      }),
    ),
    ...times(
      size.pauses,
      (): ClusterFault => ({
        kind: 'pause',
        forMs: TTL_MS + random.between(3_000, size.brief ? 4_000 : 8_000),
      }),
    ),
    ...times(size.switchovers, (): ClusterFault => ({ kind: 'switchover' })),
    ...times(
      size.quorumLosses,
      (index): ClusterFault => ({
        kind: 'quorum',
        standbyToo: index % 2 === 0,
        // the leader steps down when it could not keep its lock
        forMs: size.brief ? random.between(13_000, 15_000) : TTL_MS + random.between(1_000, 5_000),
      }),
    ),
    ...times(size.standbyPauses, (): ClusterFault => ({ kind: 'standby', forMs: random.between(12_000, 18_000) })),
    ...times(
      size.standbysAway,
      (index): ClusterFault => ({
        kind: 'standbys',
        leaderDies: index < size.leaderDiesToo,
        forMs: random.between(6_000, 9_000),
      }),
    ),
  ];
  const fronts = () =>
    (['haproxy', 'pgbouncer'] as const).flatMap((kind) =>
      times(size.frontRestarts, (index) => ({ kind, front: index % 2, forMs: random.between(2_000, 8_000) })),
    );
  if (!size.brief) faults.push(...fronts());
  const beside: Undated[] = [
    ...times(size.relayKills, (index): Undated => ({ kind: 'relay-kill', relay: index % 2 })),
    ...times(size.relayTerms, (index): Undated => ({ kind: 'relay-term', relay: (index + 1) % 2 })),
    ...fronts(),
    ...times(
      size.posFaults,
      (index): Undated => ({
        kind: 'pos',
        how: POS_FAULTS[index % POS_FAULTS.length] as PosFault,
        forMs: random.between(1_500, 5_000),
      }),
    ),
    ...times(size.resets, (): Undated => ({ kind: 'reset' })),
  ];
  const mixed = random.some(beside, beside.length).map((fault) => ({
    ...fault,
    afterMs: random.between(0, MOST_BESIDE_AFTER_MS),
  })) as BesideFault[];
  return random.some(faults, faults.length).map((fault, step) => ({
    afterMs: size.brief ? random.between(1_000, 2_000) : random.between(2_000, 5_000),
    fault,
    beside: mixed
      .filter((_, index) => index % faults.length === step)
      .toSorted((one, other) => one.afterMs - other.afterMs),
  }));
}

/** How long a step takes as a rule, in ms: for the pace of the sales. */
const USUAL_MS: Record<ClusterFault['kind'], number> = {
  leader: 30_000,
  pause: 43_000,
  switchover: 12_000,
  quorum: 34_000,
  standby: 28_000,
  standbys: 16_000,
  haproxy: 6_000,
  pgbouncer: 6_000,
};
const LEADER_DIES_TOO_MS = 58_000;

/** How long all steps take as a rule, in ms. */
export function usualMs(steps: readonly Step[]): number {
  const of = (fault: ClusterFault) =>
    fault.kind === 'standbys' && fault.leaderDies ? LEADER_DIES_TOO_MS : USUAL_MS[fault.kind];
  return steps.reduce((sum, { afterMs, fault }) => sum + afterMs + of(fault), 0);
}

/** One line of the printed plan. */
export function stepLine({ fault, beside }: Step, index: number): string {
  const text = (each: object) =>
    Object.entries(each)
      .map(([name, value]) => (name === 'kind' ? value : `${name}=${value}`))
      .join(' ');
  const others = beside.map(({ afterMs, ...each }) => `${text(each)} after ${(afterMs / 1_000).toFixed(1)} s`);
  return `${String(index + 1).padStart(4)}  ${[text(fault), ...others].join('; ')}`;
}
