import { posPayment, TENDER_TYPES, type TenderRules, tenderName } from '../../src/pos/vendors/partner/tenders.js';

const RULES: TenderRules = { table: TENDER_TYPES, unknown: 'PARTNER_PAYMENT' };
const STRICT: TenderRules = { table: TENDER_TYPES, unknown: 'reject' };

describe('the tender table (M11)', () => {
  const rows = [
    [1, 'cash', 'DIN'],
    [50, 'instant payment', 'PARTNER_PAYMENT'],
    [16, 'credit card, one network', 'CRE'],
    [28, 'credit card, another network', 'CRE'],
  ] as const;

  test.each(rows)('%i, %s, becomes %s', (tenderType, _, code) => {
    expect(posPayment(tenderType, STRICT)).toEqual({ code });
  });

  test.each(rows)('%i written as text (%s) is the same tender', (tenderType, _, code) => {
    expect(posPayment(String(tenderType), STRICT)).toEqual({ code });
  });

  test('holds these four and no other', () => {
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
  // names that every object inherits, and values that turn into a known key only when coerced
  const unknown = [2, 99, -1, 1.5, Number.NaN, '', '01', 'toString', '__proto__', null, undefined, true, [1], { a: 1 }];

  test.each(unknown)('%j is rejected when POS_UNKNOWN_TENDER is "reject"', (tenderType) => {
    expect(posPayment(tenderType, STRICT)).toBeUndefined();
  });

  test.each(unknown)('%j becomes the code of POS_UNKNOWN_TENDER', (tenderType) => {
    expect(posPayment(tenderType, { ...RULES, unknown: 'OUT' })).toEqual({ code: 'OUT' });
  });
});

describe('POS_TENDER_TYPES merged over the built-in table', () => {
  const merged: TenderRules = {
    table: { ...TENDER_TYPES, 50: { code: 'PARTNER_PAYMENT', complement: 'pix' }, 3: { code: 'DEB' } },
    unknown: 'reject',
  };

  test('an entry’s further fields go into the payment', () => {
    expect(posPayment(50, merged)).toEqual({ code: 'PARTNER_PAYMENT', complement: 'pix' });
  });

  test('an added tender type is known', () => {
    expect(posPayment(3, merged)).toEqual({ code: 'DEB' });
  });

  test('a tender type that is not named keeps its built-in code', () => {
    expect(posPayment(1, merged)).toEqual({ code: 'DIN' });
  });
});
