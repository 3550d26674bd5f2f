import type { OrderCase } from './cases.js';
import { type AttemptWrite, claimOf, type MoveRow } from './history.js';
import type { Rule } from './rules.js';
import { refusals } from './statements.js';

/**
 * Rules O2, O10, O12, O17, O18, O32 and Q16, held against what the triggers wrote. An ending of a claim is legal only with the attempt of
 * that very claim, written in the same transaction.
 */
export function movesOf(one: OrderCase, leaseMs: number): [Rule, string][] {
  const { moves, attemptWrites } = one;
  const refusedIn = new Set(refusals(one).map(({ tx }) => tx));
  const found: [Rule, string][] = [];
  const endings = new Map<string, string[]>();
  const sentTimes = new Map<string, number>();
  for (const move of moves) {
    const written = attemptWrites.filter(({ tx, jobId }) => tx === move.tx && jobId === move.jobId);
    const isRefusal = refusedIn.has(move.tx) && /^(SENT|DLQ) DLQ$/.test(`${move.from} ${move.to}`) && !move.withdrawn;
    const wrong = isRefusal ? undefined : problemOf(move, written, leaseMs);
    if (wrong) found.push([wrong[0], `${lineOf(move)}: ${wrong[1]}`]);
    if (move.fromLock && move.toLock !== move.fromLock) {
      const claim = claimOf(move.fromLock);
      endings.set(claim, [...(endings.get(claim) ?? []), move.to]);
    }
    // what its POS has refused is delivered once more when somebody sends it again (Q16)
    if (isRefusal) sentTimes.delete(move.jobId);
    if (move.to === 'SENT' && move.from !== 'SENT') sentTimes.set(move.jobId, (sentTimes.get(move.jobId) ?? 0) + 1);
  }
  for (const [claim, ends] of endings)
    if (ends.length > 1) found.push(['settled twice', `claim ${claim} ended ${ends.length} times: ${ends.join(', ')}`]);
  for (const [jobId, times] of sentTimes)
    if (times > 1) found.push(['settled twice', `job ${jobId} became SENT ${times} times`]);
  for (const [claim, outcomes] of settledOutcomes(attemptWrites))
    if (outcomes.length > 1)
      found.push(['settled twice', `attempt ${claim} was settled ${outcomes.length} times: ${outcomes.join(', ')}`]);
  return found;
}

/** What is wrong with a move; undefined when it is one of rule O2. */
function problemOf(move: MoveRow, written: readonly AttemptWrite[], leaseMs: number): [Rule, string] | undefined {
  const illegal = (why: string): [Rule, string] => ['illegal move', why];
  switch (`${move.from ?? 'none'} ${move.to}`) {
    case 'none PENDING':
      return move.toAttempts === 0 ? undefined : illegal('it begins with attempts');
    // claimed by the statement that stored it (O32)
    case 'none PROCESSING':
      if (move.action !== 'CREATE') return illegal('only a sale is claimed when it is stored');
      return move.toAttempts === 1 ? undefined : illegal('its attempt is not counted');
    case 'PENDING PROCESSING':
    case 'FAILED PROCESSING':
      return move.toAttempts === move.fromAttempts + 1 ? undefined : illegal('its attempt is not counted');
    // an offer holds until it is acknowledged, or its lease ends
    case 'PROCESSING PROCESSING':
      return ['offered to two', `${move.toLock} claimed it while ${move.fromLock} held it`];
    case 'PROCESSING SENT':
    case 'PROCESSING FAILED':
      return settlingProblem(move, written);
    case 'PROCESSING DLQ':
      return move.withdrawn ? returnProblem(move, written, leaseMs) : settlingProblem(move, written);
    case 'PROCESSING PENDING':
      return returnProblem(move, written, leaseMs);
    case 'PENDING SENT':
      return written.some(({ was, outcome }) => was === 'LOST' && outcome === 'SENT')
        ? undefined
        : ['settled twice', 'it was settled without a lock'];
    case 'SENT SENT':
      return ['settled twice', 'it was SENT before'];
    case 'PENDING DLQ':
    case 'FAILED DLQ':
    case 'DLQ DLQ':
      return move.withdrawn ? undefined : illegal('it was parked without a claim');
    case 'DLQ PENDING':
    case 'FAILED PENDING':
    // a reset of a job that waits already
    case 'PENDING PENDING':
      return move.toAttempts === 0 ? undefined : illegal('it is no reset, which sets the attempts to 0');
    // a probe is planned, and one that failed before its time is not counted (O45)
    case 'FAILED FAILED':
      if (written.length > 0) return illegal('an attempt was written');
      return move.toAttempts === move.fromAttempts || move.toAttempts === move.fromAttempts - 1
        ? undefined
        : illegal('its attempts changed');
    default:
      return illegal('there is no such move');
  }
}

function settlingProblem(move: MoveRow, written: readonly AttemptWrite[]): [Rule, string] | undefined {
  const claim = claimOf(move.fromLock ?? '');
  const attempt = written.find(({ attemptId }) => attemptId === claim);
  if (!attempt) {
    const other = written[0] ? `that of ${written[0].attemptId}` : 'none';
    return ['settled twice', `the lock was that of ${claim}, the attempt written is ${other}`];
  }
  if (attempt.was !== null) return ['settled twice', `its attempt was ${attempt.was} before`];
  return attempt.outcome === move.to ? undefined : ['illegal move', `its attempt says ${attempt.outcome}`];
}

/** The moves `expire` and `release`, and `withdraw` in place of them. */
function returnProblem(move: MoveRow, written: readonly AttemptWrite[], leaseMs: number): [Rule, string] | undefined {
  const illegal = (why: string): [Rule, string] => ['illegal move', why];
  if (move.toAttempts === move.fromAttempts - 1)
    return written.length === 0 ? undefined : illegal('it was released, and an attempt was written');
  if (move.toAttempts !== move.fromAttempts) return illegal('its attempts changed');
  const lost = written.find(({ attemptId }) => attemptId === claimOf(move.fromLock ?? ''));
  if (lost?.outcome !== 'LOST') return illegal('it was returned, and no lost attempt was written');
  return (move.heldMs ?? 0) >= leaseMs
    ? undefined
    : illegal(`its lease had lasted ${Math.round(move.heldMs ?? 0)} ms only`);
}

/** By attempt, what it was settled as; that it was lost before does not count. */
function settledOutcomes(writes: readonly AttemptWrite[]): Map<string, string[]> {
  const outcomes = new Map<string, string[]>();
  for (const { attemptId, outcome } of writes)
    if (outcome !== 'LOST') outcomes.set(attemptId, [...(outcomes.get(attemptId) ?? []), outcome]);
  return outcomes;
}

function lineOf({ action, from, to }: MoveRow): string {
  return `${action} ${from ?? 'stored'} -> ${to}`;
}
