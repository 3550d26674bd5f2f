import type { Config } from '../../../src/platform/config/config.js';
import type { Call, CallWitness } from './calls.js';
import { type Claim, isDelivered, isLookup, isOf, leaseMsOf, newAttempt, other, POS, wasDuplicate } from './claims.js';
import { type Attempt, type Job, RESTAURANTS, type State } from './database.js';
import { nameOf } from './orders.js';
import type { Tills } from './tills.js';
import type { Running, SimulatedTime } from './time.js';
import type { By } from './world.js';

/** A rule of docs/specification.md that a history has broken. */
export class RuleBroken extends Error {}

const DAY_MS = 86_400_000;

/** Holds every change of the database, and every call, against the rules. */
export class Rules implements CallWitness {
  /** what was broken, the first first */
  readonly broken: string[] = [];
  readonly claims = new Map<string, Claim>();
  /** every attempt as it was last recorded, those that retention has removed too; by claim */
  readonly attempts = new Map<string, Attempt>();

  constructor(
    private readonly config: Config,
    private readonly time: SimulatedTime,
    private readonly now: () => State,
    /** of the first restaurant, if its POS pulls */
    private readonly tills: Tills | undefined,
  ) {}

  /** A call begins only under a lock that holds, so that a job is never in two hands (O8, D4), and once for each claim. */
  callBegins(call: Call, by: Running): void {
    const claim = this.claims.get(call.claim);
    const holder = this.now().jobs.find((job) => job.lock === call.claim);
    const name = `${call.action} of order ${call.order.number}`;
    this.must(claim && holder, `O8: ${by.instance.name} calls the POS for ${name} without a lock that holds`);
    this.must(call.action === 'LOOKUP' || call.action === holder?.action, `O8: the call is ${name}, the job is not`);
    this.must(
      claim?.calls.every(({ action }) => action === 'LOOKUP'),
      `O13: ${by.instance.name} sends ${name} twice in one attempt`,
    );
    this.must(!this.pulls(call.order.restaurantId), `Q2: ${by.instance.name} calls a POS that pulls`);
    claim?.calls.push(call);
  }

  compare(before: State, after: State, by: By): void {
    for (const attempt of after.attempts) this.attempts.set(attempt.id, attempt);
    const known = new Map(before.jobs.map((job) => [job.id, job]));
    for (const job of after.jobs) this.changed(known.get(job.id), job, { before, after, by });
    const ids = new Set(after.jobs.map(({ id }) => id));
    for (const job of before.jobs) if (!ids.has(job.id)) this.removed(job, after, by);
    this.spends(before, after);
    this.keepsEvents(before, after);
    this.keepsAttempts(before, after);
    this.records(before, after, by);
  }

  private changed(was: Job | undefined, job: Job, change: Change): void {
    const { by, after } = change;
    const doing = by === 'operator' ? by : by.activity;
    const move = `${nameOf(job)}: ${was?.status ?? 'nothing'} to ${job.status} by ${doing}`;
    const must = (condition: unknown, rule: string) => this.must(condition, `${rule} (${move})`);
    const isCancelled = job.action === 'CREATE' && other(after, job) !== undefined;
    if (!was) {
      if (job.status === 'PROCESSING') this.bornClaimed(job, change, must);
      else must(job.status === 'PENDING' && job.attempts === 0, 'O2: a new job is PENDING, with no attempts');
      must(doing === (job.action === 'CREATE' ? 'webhook' : 'cancel'), 'O2: only a webhook or a cancel makes a job');
    } else if (was.status === job.status && was.lock === job.lock && was.withdrawn === job.withdrawn) {
      const isReset = doing === 'operator' && job.attempts === 0 && job.status !== 'PROCESSING';
      must(job.attempts === was.attempts || isReset, 'O10: attempts change with a move');
    } else if (doing === 'statement' && was.status === 'SENT' && job.status === 'DLQ') {
      must(job.cause === 'refused' && !job.withdrawn, 'Q16: only a refusal takes back what was delivered');
      must(isNewlyRefused(job, change), 'Q16: a refusal is recorded with its move');
    } else if (job.status === 'PROCESSING') this.locked(was, job, isCancelled, change, must);
    else if (was.status === 'PROCESSING') this.ended(was, job, isCancelled, change, must);
    else if (job.status === 'SENT') this.deliveredLate(was, job, change, must);
    else if (job.withdrawn) {
      must(was.status !== 'SENT', 'O3: SENT is never left');
      must(isCancelled, 'C5: an order is withdrawn for its cancel only');
      must(['cancel', 'worker', 'poll'].includes(doing), 'C5: a cancel, or its worker, withdraws');
    } else {
      must(!was.withdrawn, 'C8: a withdrawn order stays withdrawn');
      must(was.status !== 'SENT', 'O3: SENT is never left');
      must(job.status === 'PENDING' && job.attempts === 0, 'O2: the move is not legal');
      const asksAgain = doing === 'cancel' && job.action === 'CANCEL' && was.status === 'DLQ';
      must(doing === 'operator' || asksAgain, 'O2: only an operator resets, and a cancel that is asked for again');
    }
  }

  /** A job that the statement that stores it has claimed. */
  private bornClaimed(job: Job, { by, before }: Change, must: Must): void {
    const lock = job.lock as string;
    must(
      this.config.outbox.pace === 'eager' && job.action === 'CREATE',
      'O32: only a sale is claimed when it is stored',
    );
    must(isOf(by, lock), 'O32: an instance claims in its own name');
    must(!this.pulls(job.restaurant), 'Q2: a POS that pulls claims its orders itself');
    must(job.attempts === 1, 'O10: a claim counts as an attempt');
    must(!this.claims.has(lock), 'O10: every claim has a new lock');
    const overtaken = before.jobs.find(
      ({ restaurant, status, due }) =>
        restaurant === job.restaurant && /PENDING|FAILED/.test(status) && (due ?? Infinity) <= this.time.now,
    );
    must(!overtaken, `O32: it overtakes ${overtaken && nameOf(overtaken)}`);
    this.claims.set(lock, { lock, job, calls: [] });
  }

  private locked(was: Job, job: Job, isCancelled: boolean, { by, before }: Change, must: Must): void {
    const lock = job.lock as string;
    must(was.status === 'PENDING' || was.status === 'FAILED', 'O7: a job has one holder');
    const doing = by === 'operator' ? by : by.activity;
    if (this.pulls(job.restaurant))
      must(doing === 'poll' && lock.startsWith(POS), 'Q2: only a poll claims, as the POS');
    else must(doing === 'worker' && isOf(by, lock), 'O7: a worker locks, in its own name');
    must(job.attempts === was.attempts + 1, 'O10: a claim counts as an attempt');
    must(was.due !== null && was.due <= this.time.now, 'O6: only due jobs are locked');
    must(!this.claims.has(lock), 'O10: every claim has a new lock');
    must(!isCancelled, 'C5: an order is never sent after its cancel was accepted');
    if (job.action === 'CANCEL')
      must(other(before, job)?.status !== 'PROCESSING', 'C3: a cancel does not overtake its order');
    this.claims.set(lock, { lock, job, calls: [] });
  }

  /** A job leaves PROCESSING: settled, released or expired. */
  private ended(was: Job, job: Job, isCancelled: boolean, change: Change, must: Must): void {
    const { by, before, after } = change;
    const lock = was.lock as string;
    const attempt = newAttempt(lock, before, after);
    const isWaiting = job.status === 'PENDING' || job.withdrawn;
    must(by !== 'operator', 'R12: nobody resets a job that is being sent');
    if (isWaiting) must(job.withdrawn === isCancelled, 'C5: an order that was cancelled meanwhile is withdrawn');
    if (by !== 'operator' && by.activity === 'reaper') {
      const held = this.time.now - (was.locked as number);
      must(held > leaseMsOf(this.config, lock), 'O17: only an expired lease is returned');
      must(isWaiting && job.attempts === was.attempts, 'O17: an expired attempt stays counted');
      must(attempt?.outcome === 'LOST' && attempt.reach === 'UNKNOWN', 'O18: an expired attempt is recorded as LOST');
    } else {
      must(isOf(by, lock), 'O12: only the holder of the very lock settles');
      if (isWaiting) {
        must(job.attempts === was.attempts - 1 && !attempt, 'O2: a released attempt is not counted');
        must(
          this.claims.get(lock)?.calls.every((call) => isLookup(call) || wasDuplicate(call)),
          'O2: what was released has not been sent',
        );
      } else this.settled(was, job, attempt, after, must);
    }
  }

  private settled(was: Job, job: Job, attempt: Attempt | undefined, after: State, must: Must): void {
    const claim = this.claims.get(was.lock as string) as Claim;
    must(job.attempts === was.attempts, 'O10: attempts are counted at the claim');
    must(attempt?.outcome === job.status && attempt.number === job.attempts, 'O18: every attempt leaves a row');
    if (job.status === 'FAILED') must((job.due as number) > this.time.now, 'O14: a retry waits');
    if (job.status === 'SENT')
      must(this.isAtPos(claim, job, after), 'D9: SENT is what the POS has, or need not cancel');
    if (job.status === 'DLQ')
      must(/HTTP 4|gave up/.test(job.error ?? ''), 'O16: parked when refused, or after the last attempt');
  }

  private deliveredLate(was: Job, job: Job, { by, before, after }: Change, must: Must): void {
    const last = before.attempts.filter((attempt) => attempt.job === was.id).at(-1);
    const claim = [...this.claims.values()].find(({ lock }) => lock.endsWith(`/${last?.id}`));
    must(
      was.status === 'PENDING' && last?.outcome === 'LOST',
      'O12: only the last attempt, which was LOST, delivers late',
    );
    must(claim && isOf(by, claim.lock), 'O12: only who held the lock delivers late');
    must(claim && this.isAtPos(claim, job, after), 'O12: only an order that the POS has is delivered late');
    must(after.attempts.find(({ id }) => id === last?.id)?.outcome === 'SENT', 'O2: the LOST attempt becomes SENT');
  }

  /** What a POS that pulls has fetched it has when it has acknowledged it (Q5). */
  private isAtPos(claim: Claim, job: Job, after: State): boolean {
    const create = other(after, job);
    if (!claim.lock.startsWith(POS)) return isDelivered(claim, create);
    return this.tills?.hasAcknowledged(job) === true || (job.action === 'CANCEL' && create?.withdrawn === true);
  }

  private pulls(restaurant: string): boolean {
    return this.tills !== undefined && restaurant === RESTAURANTS[0];
  }

  private removed(job: Job, after: State, by: By): void {
    const name = nameOf(job);
    this.must(by !== 'operator' && by.activity === 'retention', `O22: ${name} was removed`);
    this.must(job.status === 'SENT', `O22: ${name} was removed, and is not delivered: it is ${job.status}`);
    const age = this.time.now - job.updated;
    this.must(age > this.config.outbox.retentionDays * DAY_MS, `O22: ${name} was removed too early`);
    this.must(after.spent.includes(`${job.restaurant}/${job.key}`), `O22: ${name} was removed, and its key forgotten`);
  }

  /** Keys are noted of delivered orders only, since they are removed next. */
  private spends(before: State, after: State): void {
    for (const key of after.spent.filter((each) => !before.spent.includes(each))) {
      const open = before.jobs.find((job) => keyOf(job) === key && job.status !== 'SENT');
      this.must(!open, `O22: the key of ${open && nameOf(open)} was noted for removal, and it is ${open?.status}`);
    }
  }

  /** Of an event and its CREATE there are both or neither (W17), and a key once stored is known for ever (W19, O22). */
  private keepsEvents(before: State, after: State): void {
    const withJob = new Set(after.jobs.filter(({ action }) => action === 'CREATE').map(keyOf));
    for (const event of after.events) this.must(withJob.has(event), `W17: the event ${event} has no job`);
    const kept = new Set([...after.events, ...after.spent]);
    for (const key of [...before.events, ...before.spent])
      this.must(kept.has(key), `W19: the key ${key} was forgotten`);
  }

  /** An attempt that was recorded stays as it is, unless a LOST one delivers late. */
  private keepsAttempts(before: State, after: State): void {
    const jobs = new Set(after.jobs.map(({ id }) => id));
    for (const was of before.attempts.filter(({ job }) => jobs.has(job))) {
      const now = after.attempts.find(({ id }) => id === was.id);
      const isLate = was.outcome === 'LOST' && now?.outcome === 'SENT';
      this.must(isLate || now?.outcome === was.outcome, `O18: an attempt of ${was.outcome} became ${now?.outcome}`);
    }
  }

  /** What a POS says is recorded once, of an order that it has: not of one that it has refused, nor after a cancel (Q15, Q16). */
  private records(before: State, after: State, by: By): void {
    const known = new Set(before.said.map(({ id }) => id));
    for (const said of after.said.filter(({ id }) => !known.has(id))) {
      const { job: id, state, offer, text } = said;
      const job = before.jobs.find((each) => each.id === id);
      const refusals = before.said.filter((each) => each.job === id && each.state === 'REFUSED').length;
      const must = (condition: unknown, rule: string) =>
        this.must(condition, `${rule} (${text} of ${job && nameOf(job)})`);
      must(by !== 'operator' && by.activity === 'statement', 'Q15: only the POS says it');
      must(job && this.pulls(job.restaurant), 'Q3: only the POS of the restaurant says it');
      must(job?.status === 'SENT' || job?.status === 'DLQ', 'Q15: the order was offered and settled');
      must(job && !other(before, job), `Q15: nothing is said of a cancelled order`);
      must(!(job?.cause === 'refused' && refusals > 0), 'Q16: what was refused is refused until it is sent again');
      must(offer === refusals, 'Q15: it is said of the last offer');
      const offeredBy = before.said.find(
        (each) => each.job === id && each.state === 'REFUSED' && each.offer === offer - 1,
      );
      must(
        this.tills?.isAbout(text) === (offeredBy?.offeredAs ?? id),
        'Q23: it is recorded of another offer than its POS has spoken of',
      );
      const same = after.said.filter((each) => each.job === id && each.offer === offer && each.state === state);
      must(same.length === 1, 'Q15: it is recorded once');
      const now = after.jobs.find((each) => each.id === id);
      if (state === 'REFUSED')
        must(now?.status === 'DLQ' && now.cause === 'refused', 'Q16: a refused order is parked with the refusal');
    }
    const kept = new Set(after.said.map(({ id }) => id));
    const jobs = new Set(after.jobs.map(({ id }) => id));
    for (const { id, job, text } of before.said)
      this.must(kept.has(id) || !jobs.has(job), `Q15: ${text} was recorded, and is forgotten`);
  }

  private must(condition: unknown, rule: string): void {
    if (!condition) this.broken.push(rule);
  }
}

const isNewlyRefused = ({ id }: Job, { before, after }: Change) =>
  after.said.filter((said) => said.job === id && said.state === 'REFUSED').length ===
  before.said.filter((said) => said.job === id && said.state === 'REFUSED').length + 1;

interface Change {
  readonly before: State;
  readonly after: State;
  readonly by: By;
}

type Must = (condition: unknown, rule: string) => void;

export const keyOf = ({ key, restaurant }: Pick<Job, 'key' | 'restaurant'>) => `${restaurant}/${key}`;
