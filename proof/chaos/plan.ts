import type { Random } from '../random.js';

/** What the POS does to calls for a while; see {@link ChaosPos}. */
export const POS_FAULTS = ['slow', 'late', 'errors', 'busy', 'resets', 'silent', 'down', 'sessions-lost'] as const;
export type PosFault = (typeof POS_FAULTS)[number];

/** What another client locks for a while. */
export const LOCKS = ['jobs', 'table', 'events', 'restaurant'] as const;

/** What the rest of a deployment does beside the relay; see `inject` in faults.ts. */
export const PRESSURES = ['role', 'settings', 'disk', 'descriptors', 'refused', 'viewers', 'bodies', 'files'] as const;

/** A fault to come, `atMs` after the load began; durations in ms. */
export type PlannedFault = { readonly atMs: number } & (
  | { readonly kind: 'kill' | 'term'; readonly instance: number }
  | { readonly kind: 'stop'; readonly instance: number; readonly forMs: number }
  | { readonly kind: 'restart' }
  | { readonly kind: 'failover'; readonly readOnlyMs: number }
  | { readonly kind: 'pos'; readonly how: PosFault; readonly forMs: number }
  | { readonly kind: 'lossy'; readonly instance: number; readonly chance: number; readonly forMs: number }
  | { readonly kind: 'half-open'; readonly instance: number; readonly forMs: number }
  | { readonly kind: 'crowd'; readonly forMs: number }
  | { readonly kind: 'locks'; readonly on: (typeof LOCKS)[number]; readonly forMs: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'held'; readonly forMs: number }
  | { readonly kind: 'role' | 'settings' | 'disk' | 'refused' | 'viewers' | 'files'; readonly forMs: number }
  | { readonly kind: 'descriptors' | 'bodies'; readonly instance: number; readonly forMs: number }
);

/** How many faults of each kind, within `durationMs`. */
export interface PlanSize {
  readonly instances: number;
  readonly durationMs: number;
  readonly leaseMs: number;
  readonly kills: number;
  readonly stops: number;
  readonly terms: number;
  readonly restarts: number;
  readonly failovers: number;
  readonly posFaults: number;
  readonly lines: number;
  readonly crowds: number;
  readonly resets: number;
  readonly pressures: number;
  /** how often commits wait for a standby that is not there, and for how long */
  readonly holds: number;
  readonly holdMs: number;
}

type Pressure = (typeof PRESSURES)[number];
type Undated = PlannedFault extends infer Each ? (Each extends PlannedFault ? Omit<Each, 'atMs'> : never) : never;

/** The faults of a run, by time: each kind spread over the whole of it, at random within its part. */
export function planOf(size: PlanSize, random: Random): PlannedFault[] {
  const { instances, leaseMs, durationMs } = size;
  const instance = takingTurns(instances, random);
  const posFault = takingTurns(POS_FAULTS.length, random);
  const spread = (count: number, make: (index: number) => Undated): PlannedFault[] =>
    Array.from({ length: count }, (_, index) => {
      const part = durationMs / count;
      return { atMs: Math.round(part * (index + random.next())), ...make(index) } as PlannedFault;
    });
  const pressure = (kind: Pressure): Undated => {
    // shorter than a lease: an answer heard meanwhile is written down in time
    const forMs = random.between(1_500, 3_500);
    return kind === 'descriptors' || kind === 'bodies' ? { kind, instance: instance(), forMs } : { kind, forMs };
  };
  return [
    ...spread(size.kills, () => ({ kind: 'kill', instance: instance() })),
    ...spread(size.stops, () => ({
      kind: 'stop',
      instance: instance(),
      forMs: leaseMs + random.between(1_000, 3_000),
    })),
    ...spread(size.terms, () => ({ kind: 'term', instance: instance() })),
    ...spread(size.restarts, () => ({ kind: 'restart' })),
    ...spread(size.failovers, () => ({ kind: 'failover', readOnlyMs: random.between(3_000, 8_000) })),
    ...spread(size.posFaults, () => ({
      kind: 'pos',
      how: POS_FAULTS[posFault()] as PosFault,
      forMs: random.between(1_500, 5_000),
    })),
    ...spread(size.lines, (index) =>
      index % 2 === 0
        ? {
            kind: 'lossy',
            instance: instance(),
            chance: 0.02 * random.between(1, 10),
            forMs: random.between(2_000, 8_000),
          }
        : { kind: 'half-open', instance: instance(), forMs: random.between(2_000, 8_000) },
    ),
    ...spread(size.crowds, (index) =>
      index % 2 === 0
        ? { kind: 'crowd', forMs: random.between(2_000, 5_000) }
        : { kind: 'locks', on: random.pick(LOCKS), forMs: random.between(1_000, 4_000) },
    ),
    ...spread(size.resets, () => ({ kind: 'reset' })),
    ...spread(size.holds, () => ({ kind: 'held', forMs: size.holdMs + random.between(0, 5_000) })),
    ...spread(size.pressures, (index) => pressure(PRESSURES[index % PRESSURES.length] as Pressure)),
  ].toSorted((one, other) => one.atMs - other.atMs);
}

/** Numbers below `count`: all of them before any comes again, in random order. */
function takingTurns(count: number, random: Random): () => number {
  let left: number[] = [];
  return () => {
    if (left.length === 0) left = random.some([...Array(count).keys()], count);
    return left.pop() as number;
  };
}

/** One line of the printed plan. */
export function planLine(fault: PlannedFault): string {
  const { atMs, kind, ...rest } = fault;
  const details = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'number' ? +value.toFixed(3) : value}`,
  );
  return `${(atMs / 1_000).toFixed(1).padStart(7)} s  ${[kind, ...details].join(' ')}`;
}
