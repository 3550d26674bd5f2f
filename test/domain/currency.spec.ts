import { CURRENCIES, currencyOf } from '../../src/domain/currency.js';

const decimals = (currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;

describe('R46: the currencies of a restaurant are those of ISO 4217 whose minor unit is a hundredth', () => {
  test('each is a currency that exists', () => {
    const known = new Set(Intl.supportedValuesOf('currency'));
    expect([...CURRENCIES].filter((code) => !known.has(code))).toEqual([]);
    expect([...CURRENCIES]).toEqual([...CURRENCIES].toSorted());
  });

  test('Intl gives no other number of decimals, except where people write hundredths that ISO 4217 has', () => {
    const unlike = [...CURRENCIES].filter((code) => decimals(code) !== 2);
    const written = 'AFN ALL COP HUF IDR IRR KPW LAK LBP MMK PKR SOS SYP YER'.split(' ');
    expect(unlike.filter((code) => !written.includes(code))).toEqual([]);
  });

  test.each([
    ['no minor unit', 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    ['thousandths or smaller', 'BHD CLF IQD JOD KWD LYD OMR TND UYW'],
    ['a fifth', 'MGA MRU'],
    ['funds, metals, tests and no currency', 'BOV CHE CHW COU MXV USN XAG XAU XDR XPD XPT XSU XTS XUA XXX'],
    ['no longer a currency', 'BGN DEM FRF HRK ITL'],
  ])('%s: not among them', (_, codes) => {
    expect(codes.split(' ').filter((code) => CURRENCIES.has(code))).toEqual([]);
  });
});

describe('W34: the currency that a sale names', () => {
  test.each([
    [undefined, null],
    [null, null],
    ['', null],
    ['  ', null],
    ['BRL', 'BRL'],
    [' brl ', 'BRL'],
    [986, '986'],
    [{ code: 'BRL' }, 'no text'],
    [['BRL'], 'no text'],
    ['ß'.repeat(1_000), 'S'.repeat(20)],
    ['😀'.repeat(1_000), '😀'.repeat(20)],
  ])('%p is read as %p', (currency, read) => {
    expect(currencyOf({ currency })).toBe(read);
  });
});
