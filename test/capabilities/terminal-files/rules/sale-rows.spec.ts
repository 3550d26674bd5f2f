import { Matching } from '../../../../src/capabilities/terminal-files/rules/file-matching.js';
import type { MatchRow, MatchSale } from '../../../../src/capabilities/terminal-files/rules/match-rows.js';

const DAY = '2026-11-20';
const DAYS = { from: DAY, to: DAY };
const START = Date.parse(`${DAY}T18:00:00Z`);
const NONE = new Map();

/** A sale of these tenders. */
const sale = (tenders: readonly number[], changes: Partial<MatchSale> = {}): MatchSale => {
  const cents = tenders.map(BigInt);
  const sum = cents.reduce((all, one) => all + one, 0n);
  return {
    ...{ key: 'K', number: null, isRefund: false, cents: sum, otherCents: [sum, ...cents], day: DAY, taken: null },
    ...{ at: new Date(START), ...changes },
  };
};
let line = 1;
const row = (cents: number, changes: Partial<MatchRow> = {}): MatchRow => ({
  ...{ line: ++line, problem: null, reference: 'K', authorisation: null, terminal: null, instalment: null },
  ...{ cents: BigInt(cents), kind: 'SALE', at: new Date(START), isDateOnly: false, tender: null, day: DAY },
  ...{ refused: [], isEntered: false, ...changes },
});
const by = (cents: number, authorisation: string) => row(cents, { authorisation });
const answers = (rows: readonly MatchRow[], sales: readonly MatchSale[]) =>
  new Matching(rows, sales, DAYS, NONE).answers().rows.map(({ answer }) => answer);

describe('several rows of one sale', () => {
  test.each<[what: string, tenders: number[], rows: MatchRow[], expected: string[]]>([
    ['two cards', [3_000, 4_980], [by(3_000, 'A'), by(4_980, 'B')], ['MATCHED', 'MATCHED']],
    ['two cards of one tender', [3_000], [by(2_000, 'A'), by(1_000, 'B')], ['MATCHED', 'MATCHED']],
    ['two equal halves', [3_000], [row(1_500), row(1_500)], ['MATCHED', 'MATCHED']],
    ['two of three tenders', [2_000, 1_000, 500], [by(2_000, 'A'), by(1_000, 'B')], ['MATCHED', 'MATCHED']],
    ['instalments', [3_550], [row(1_184), row(1_183), row(1_183)], ['MATCHED', 'MATCHED', 'MATCHED']],
    [
      'instalments of one of two tenders',
      [3_000, 1_000],
      ['1/3', '2/3', '3/3'].map((instalment) => row(1_000, { instalment })),
      ['MATCHED', 'MATCHED', 'MATCHED'],
    ],
    ['an equal row', [3_000], [by(3_000, 'A'), by(3_000, 'A')], ['MATCHED', 'DUPLICATE']],
    [
      'an equal row some minutes later',
      [3_000],
      [row(3_000), row(3_000, { at: new Date(START + 300_000) })],
      ['MATCHED', 'DUPLICATE'],
    ],
    ['an equal row of one of two tenders', [2_000, 1_000], [by(1_000, 'A'), by(1_000, 'A')], ['MATCHED', 'DUPLICATE']],
    [
      'two cards, each twice',
      [3_000],
      [by(2_000, 'A'), by(1_000, 'B'), by(2_000, 'A'), by(1_000, 'B')],
      ['MATCHED', 'MATCHED', 'DUPLICATE', 'DUPLICATE'],
    ],
    ['three halves', [3_000], [row(1_500), row(1_500), row(1_500)], ['MATCHED', 'MATCHED', 'DUPLICATE']],
    ['more than was paid', [3_000], [by(2_000, 'A'), by(1_500, 'B')], ['AMOUNT_DIFFERS', 'MATCHED']],
    [
      'the second card has another amount',
      [2_000, 1_000],
      [by(2_000, 'A'), by(1_500, 'B')],
      ['MATCHED', 'AMOUNT_DIFFERS'],
    ],
    ['paid on two cards, both in full', [3_000], [by(3_000, 'A'), by(3_000, 'B')], ['MATCHED', 'AMOUNT_DIFFERS']],
    ['another amount, twice', [3_000], [by(3_001, 'A'), by(3_001, 'A')], ['AMOUNT_DIFFERS', 'DUPLICATE']],
    ['less than was paid', [3_000], [by(1_000, 'A'), by(1_500, 'B')], ['AMOUNT_DIFFERS', 'MATCHED']],
  ])('%s (J10)', (_, tenders, rows, expected) => {
    expect(answers(rows, [sale(tenders)])).toEqual(expected);
  });

  test('a row that is equal to one before is DUPLICATE, also when its sale never came (J10)', () => {
    expect(answers([by(3_000, 'A'), by(3_000, 'A'), by(3_000, 'B'), by(2_000, 'A')], [])).toEqual([
      ...['MISSING_HERE', 'DUPLICATE', 'MISSING_HERE', 'MISSING_HERE'],
    ]);
    const bare = { reference: null, authorisation: 'X' };
    expect(answers([row(1, bare), row(1, bare), row(1, { reference: null })], [])).toEqual([
      ...['MISSING_HERE', 'DUPLICATE', 'MISSING_HERE'],
    ]);
    const thirds = ['1/3', '2/3', '3/3'].map((instalment) => row(1_000, { instalment }));
    expect(answers(thirds, [])).toEqual(['MISSING_HERE', 'MISSING_HERE', 'MISSING_HERE']);
    // what is not compared is never told twice
    expect(answers([row(0, { kind: 'IGNORED' }), row(0, { kind: 'IGNORED' })], [])).toEqual(['IGNORED', 'IGNORED']);
  });

  test('a number that comes again that day: each row goes to the sale that it fits into (J9)', () => {
    const lunch = sale([3_000], { key: 'lunch', number: '7' });
    const dinner = sale([5_000], { key: 'dinner', number: '7', at: new Date(START + 4 * 3_600_000) });
    const at = dinner.at;
    const rows = [
      ...[row(5_000, { reference: '7', at }), row(2_000, { reference: '7' }), row(1_000, { reference: '7' })],
      row(2_000, { reference: '7' }),
    ];
    const found = new Matching(rows, [lunch, dinner], DAYS, NONE).answers().rows;
    expect(found.map(({ answer, sale: of }) => `${answer} ${of?.key}`)).toEqual([
      ...['MATCHED dinner', 'MATCHED lunch', 'MATCHED lunch', 'DUPLICATE lunch'],
    ]);
  });

  describe('by authorisation', () => {
    const found = (rows: readonly MatchRow[], sales: readonly MatchSale[], texts: Record<string, string[]>) => {
      const matching = new Matching(rows, sales, DAYS, NONE);
      matching.matchAuthorisations(new Map(Object.entries(texts).map(([key, some]) => [key, new Set(some)])));
      return matching.answers().rows.map(({ answer }) => answer);
    };
    const bare = (cents: number, authorisation: string, changes: Partial<MatchRow> = {}) =>
      row(cents, { reference: null, authorisation, ...changes });
    /** Ten minutes from the sale. */
    const later = { at: new Date(START + 600_000) };

    test('a bill on two cards is one sale, of one tender or of two (J9)', () => {
      const two = [bare(2_000, 'AUT111', later), bare(1_000, 'AUT222', later)];
      const texts = { K: ['AUT111', 'AUT222'] };
      expect(found(two, [sale([2_000, 1_000])], texts)).toEqual(['MATCHED', 'MATCHED']);
      expect(found(two, [sale([3_000])], texts)).toEqual(['MATCHED', 'MATCHED']);
      // without the other one nothing says that it is this sale
      expect(found(two.slice(1), [sale([3_000])], texts)).toEqual(['MISSING_HERE']);
      const terminal = two.map((one) => ({ ...one, terminal: 'T1' }));
      expect(found(terminal, [sale([3_000])], { K: ['AUT111', 'AUT222', 'T1'] })).toEqual(['MATCHED', 'MATCHED']);
    });

    test('the same authorisation in the same minute is the same sale, whatever the amount (J9)', () => {
      expect(found([bare(3_001, 'AUT111')], [sale([3_000])], { K: ['AUT111'] })).toEqual(['AMOUNT_DIFFERS']);
      expect(found([bare(3_001, 'AUT111', later)], [sale([3_000])], { K: ['AUT111'] })).toEqual(['MISSING_HERE']);
      const twice = [bare(3_000, 'AUT111'), bare(3_000, 'AUT111')];
      expect(found(twice, [sale([3_000])], { K: ['AUT111'] })).toEqual(['MATCHED', 'DUPLICATE']);
    });
  });

  describe('a sale that another file has', () => {
    const taken = { taken: { fileId: 'monday', cents: 2_000n } };
    const repeats = (rows: readonly MatchRow[], of: MatchSale) =>
      new Matching(rows, [of], DAYS, NONE).answers().rows.map(({ answer, repeatOf }) => `${answer} ${repeatOf}`);

    test('its row is REPEATED, with a reference, by authorisation, or by amount and minute alone (J10)', () => {
      const of = sale([2_000], taken);
      expect(repeats([row(2_000)], of)).toEqual(['REPEATED monday']);
      expect(repeats([row(2_500)], of)).toEqual(['REPEATED monday']);
      // one sale is one row's
      expect(repeats([row(2_000, { reference: null }), row(2_000, { reference: null })], of)).toEqual([
        ...['REPEATED monday', 'MISSING_HERE null'],
      ]);
      const matching = new Matching([row(2_000, { reference: null, authorisation: 'X' })], [of], DAYS, NONE);
      matching.matchAuthorisations(new Map([['K', new Set(['X'])]]));
      expect(matching.answers().rows[0]).toMatchObject({ answer: 'REPEATED', repeatOf: 'monday' });
    });

    test('a row with another reference is missing, if the row of the other file has one of its own (J10)', () => {
      const other = row(2_000, { reference: 'other' });
      expect(repeats([other], sale([2_000], taken))).toEqual(['REPEATED monday']);
      expect(repeats([other], sale([2_000], { ...taken, taken: { ...taken.taken, isNamed: true } }))).toEqual([
        'MISSING_HERE null',
      ]);
    });

    test('the other card of the bill is MATCHED (J10)', () => {
      expect(repeats([row(1_000)], sale([2_000, 1_000], taken))).toEqual(['MATCHED null']);
    });
  });
});
