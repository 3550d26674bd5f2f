import { posPayment, TENDER_TYPES, type TenderRules, tenderName } from '../../src/pos/vendors/partner/tenders.js';

const STRICT: TenderRules = { table: TENDER_TYPES, unknown: 'reject' };

describe('the tender table (M11)', () => {
  const rows = [
    [1, 'cash', 'DIN'],
    [50, 'instant payment', 'PARTNER_PAYMENT'],
    [16, 'credit card, one network', 'CRE'],
    [28, 'credit card, another network', 'CRE'],
  ] as const;

  test.each(rows)('%i, %s, becomes %s, also when it is sent as text', (tenderType, _, code) => {
    for (const sent of [tenderType, String(tenderType)]) expect(posPayment(sent, STRICT)).toEqual({ code });
  });

  test('has these four and no other', () => {
    expect(Object.keys(TENDER_TYPES).map(Number)).toEqual([1, 16, 28, 50]);
  });
});

describe('the name of a tender type (R18)', () => {
  test.each([
    ['1', 'cash'],
    ['50', 'instant payment'],
    ['16', 'credit card'],
    ['28', 'credit card'],
    ['99', null],
    ['', null],
    ['01', null],
    ['toString', null],
    ['__proto__', null],
  ])('%j: %j', (tenderType, name) => {
    expect(tenderName(tenderType)).toBe(name);
  });
});

describe('a tender type outside the table', () => {
  // inherited property names, and values that are a known key only after coercion
  const unknown = [2, 99, -1, 1.5, Number.NaN, '', '01', 'toString', '__proto__', null, undefined, true, [1], { a: 1 }];

  test.each(unknown)('%j is rejected with POS_UNKNOWN_TENDER=reject, else it gets that code', (tenderType) => {
    expect(posPayment(tenderType, STRICT)).toBeUndefined();
    expect(posPayment(tenderType, { table: TENDER_TYPES, unknown: 'OUT' })).toEqual({ code: 'OUT' });
  });
});
