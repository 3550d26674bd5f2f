import type { Job, State } from './database.js';
import { nameOf } from './orders.js';

/** What differs between two states, in words. */
export function changesBetween(before: State, after: State): string[] {
  const known = new Map(before.jobs.map((job) => [job.id, job]));
  const changed = after.jobs.flatMap((job) => {
    const was = known.get(job.id);
    if (was && stateOf(was) === stateOf(job)) return [];
    return [`${nameOf(job)}: ${was ? `${stateOf(was)} -> ` : ''}${stateOf(job)}`];
  });
  const ids = new Set(after.jobs.map(({ id }) => id));
  const removed = before.jobs.filter(({ id }) => !ids.has(id)).map((job) => `${nameOf(job)}: removed`);
  const said = after.said.filter(({ id }) => !before.said.some((each) => each.id === id));
  const recorded = said.map(({ text, offer }) => `${text} of offer ${offer} is recorded`);
  const noted = after.spent.length - before.spent.length;
  return [...changed, ...recorded, ...removed, ...(noted > 0 ? [`${noted} key(s) noted`] : [])];
}

function stateOf({ status, attempts, withdrawn, lock }: Job): string {
  if (withdrawn) return 'withdrawn';
  const holder = lock ? ` by ${lock.split('/')[0]}` : '';
  return attempts > 0 && status !== 'SENT' ? `${status}${holder} (attempt ${attempts})` : status;
}
