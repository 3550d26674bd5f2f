import { type ClientOrder, isAccepted } from '../history.js';

/** A fault of the cluster, by a name that its figures are printed under, from its beginning until the cluster is whole. */
export interface Trial {
  readonly name: string;
  readonly at: number;
  readonly until: number;
}

/** How long no sale was accepted in the trials of a name, in ms, shortest first. */
export interface Outage {
  readonly name: string;
  readonly ms: readonly number[];
}

/**
 * The longest time between two accepted sales that overlaps each trial. Sales are sent all the while, so this is how long the
 * relay accepted nothing, plus the usual time between two sales.
 */
export function outagesOf(trials: readonly Trial[], orders: readonly ClientOrder[]): Outage[] {
  const times = orders
    .flatMap(({ posts }) => posts.filter(isAccepted).map(({ until }) => until))
    .toSorted((one, other) => one - other);
  const byName = new Map<string, number[]>();
  for (const { name, at, until } of trials) {
    const met = times.slice(1).map((time, index) => ({ from: times[index] as number, time }));
    const gaps = met.filter(({ from, time }) => time >= at && from <= until).map(({ from, time }) => time - from);
    byName.set(name, [...(byName.get(name) ?? []), Math.max(0, ...gaps)]);
  }
  return [...byName]
    .map(([name, ms]) => ({ name, ms: ms.toSorted((one, other) => one - other) }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/** As a table of seconds. */
export function outageLines(outages: readonly Outage[]): string[] {
  const seconds = (ms: number | undefined) => ((ms ?? 0) / 1_000).toFixed(1).padStart(7);
  return [
    'without an accepted sale, seconds: least, median, most',
    ...outages.map(
      ({ name, ms }) =>
        `${seconds(ms[0])}${seconds(ms[Math.floor((ms.length - 1) / 2)])}${seconds(ms.at(-1))}  ${name} (${ms.length} times)`,
    ),
  ];
}
