import { type KeptDecision, KeptDecisions } from '../../../../src/capabilities/terminal-files/rules/kept-decisions.js';

const AT = new Date('2026-03-04T19:00:00Z');

const kept = (changes: Partial<KeptDecision>): KeptDecision => ({
  ...{ sha256: 'a', line: 1, isOwn: false, kind: 'SALE', reference: null, authorisation: null, cents: 1_000n, at: AT },
  ...{ identity: null, decision: 'ENTERED', eventKey: null, refused: [], note: null, decidedBy: null, decidedAt: null },
  ...changes,
});
const row = (changes: object = {}) => ({
  ...{ line: 9, reference: null, authorisation: null, cents: 1_000n, at: AT, identity: null, ...changes },
});

describe('what was decided about a row before (J19, J20)', () => {
  test.each<[what: string, decision: Partial<KeptDecision>, of: object, isFound: boolean]>([
    ['its line in the same file', { isOwn: true, line: 9, cents: 1n, reference: 'a' }, { reference: 'b' }, true],
    ['another line of the same file', { isOwn: true, line: 8 }, {}, false],
    ['its line in another file', { line: 9, reference: 'a' }, { reference: 'b' }, false],
    ['the identity', { identity: 'x', reference: 'a' }, { identity: 'x' }, true],
    [
      'the reference, with another amount',
      { reference: 'a', identity: 'x' },
      { reference: 'a', identity: 'y', cents: 100_000n },
      true,
    ],
    ['the authorisation', { authorisation: 'a' }, { authorisation: 'a', reference: 'b' }, true],
    // numbers begin again each day
    [
      'the reference of another day',
      { reference: 'a' },
      { reference: 'a', at: new Date('2026-03-06T19:00:00Z') },
      false,
    ],
    [
      'the reference, where the day was read as the month',
      { reference: 'a' },
      { reference: 'a', at: new Date('2026-04-03T19:00:00Z') },
      true,
    ],
    ['time and amount of a row without a name', {}, {}, true],
    ['another amount of a row without a name', {}, { cents: 1_001n }, false],
    ['another minute of a row without a name', {}, { at: new Date(AT.getTime() + 60_000) }, false],
    ['time and amount, but the row has a reference', {}, { reference: 'a' }, false],
  ])('%s', (_, decision, of, isFound) => {
    const decisions = new KeptDecisions([kept(decision)]);
    expect(decisions.of(row(of)) !== null).toBe(isFound);
    expect(decisions.found()).toHaveLength(isFound ? 1 : 0);
  });

  test('a decision is that of one row', () => {
    const decisions = new KeptDecisions([kept({ reference: 'a' })]);
    const rows = [row({ reference: 'a' }), row({ reference: 'a', line: 10 })];
    expect(rows.map((one) => decisions.of(one)?.decision ?? null)).toEqual(['ENTERED', null]);
  });
});
