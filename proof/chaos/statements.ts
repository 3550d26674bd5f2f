import type { OrderCase } from './cases.js';
import type { Rule } from './rules.js';

/** A call by which a POS that pulls confirms an order, or refuses it (Q15, Q16). */
export interface Statement {
  readonly at: number;
  readonly until: number;
  /** of the POS */
  readonly store: string;
  /** id of the CREATE job */
  readonly orderId: string;
  readonly state: 'ACCEPTED' | 'REFUSED';
  /** the number of a confirmation, the code of a refusal: another one for each decision of the POS, and the same when it repeats the call */
  readonly text: string;
  /** HTTP status; null: no answer */
  readonly status: number | null;
  /** `code` of the answer, or the error of the transport */
  readonly code: string | null;
}

/** A statement as the relay has recorded it. */
export interface Recorded {
  readonly at: number;
  readonly tx: string;
  readonly jobId: string;
  /** how often the order had been refused before */
  readonly offer: number;
  readonly state: Statement['state'];
  readonly text: string;
}

/** The refusals that the relay has recorded, the first first. */
export function refusals({ recorded }: OrderCase): Recorded[] {
  return recorded.filter(({ state }) => state === 'REFUSED').toSorted((one, other) => one.offer - other.offer);
}

/**
 * Rules Q15 and Q16. A call that was answered 202 is recorded once, one without an answer at most once, and one that was answered with an error not
 * at all. A refusal parks the order in the transaction that records it, and only a reset offers the order again.
 */
export function statementsOf(one: OrderCase): [Rule, string][] {
  const { statements, recorded, moves } = one;
  const found: [Rule, string][] = [];
  const decisions = new Map([...statements, ...recorded].map((each) => [`${each.state} ${each.text}`, each]));
  for (const [name, { state, text }] of decisions) {
    const calls = statements.filter((call) => call.state === state && call.text === text);
    const rows = recorded.filter((row) => row.state === state && row.text === text).length;
    const answered = calls.filter(({ status }) => status === 202).length;
    const unknown = calls.filter(({ status }) => status === null || status >= 500).length;
    if (rows < answered)
      found.push(['statement lost', `${name} was answered 202 ${answered} times, and is recorded ${rows} times`]);
    if (rows > 0 && answered + unknown === 0)
      found.push(['unexpected', `${name} is recorded, and its POS did not say it`]);
    else if (rows > answered + unknown) found.push(['recorded twice', `${name} is recorded ${rows} times`]);
  }
  let refusedBefore: number | undefined;
  for (const { tx, text } of refusals(one)) {
    const place = moves.findIndex((move) => move.tx === tx && move.to === 'DLQ');
    if (place < 0) {
      found.push(['statement lost', `REFUSED ${text} is recorded, and its order was not parked`]);
      continue;
    }
    const wasReset = moves.slice(refusedBefore, place).some(({ from, to }) => from === 'DLQ' && to === 'PENDING');
    if (refusedBefore !== undefined && !wasReset)
      found.push(['recorded twice', `REFUSED ${text} is recorded, and nobody had sent the order again`]);
    if (moves.slice(0, place).some(({ action }) => action === 'CANCEL'))
      found.push(['illegal move', `REFUSED ${text} is recorded after the cancel of the order`]);
    refusedBefore = place;
  }
  return found;
}
