import { csvLine } from '../../../src/platform/http/csv.js';

describe('a line of CSV (R25)', () => {
  const cell = (text: string) => csvLine([text], ',').slice(0, -2);

  test('cells between separators, CR and LF at its end; null is an empty cell', () => {
    expect(csvLine(['a', 1, 12n, null, ''], ',')).toBe('a,1,12,,\r\n');
    expect(csvLine(['a', 1, null], ';')).toBe('a;1;\r\n');
  });

  test.each([
    ['a "quote"', '"a ""quote"""'],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['two\nlines', '"two\nlines"'],
    ['two\r\nlines', '"two\r\nlines"'],
    ['a\tb', '"a\tb"'],
    ['Pão de queijo', 'Pão de queijo'],
  ])('%j is written %s', (text, written) => {
    expect(cell(text)).toBe(written);
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '＋1', '－1', '＠a', '=cmd|calc!A1', '-'])(
    '%s begins no formula',
    (text) => {
      expect(cell(text)).toBe(`'${text}`);
    },
  );

  test.each([
    ['\t=1', `"\t'=1"`],
    ['  =1', `  '=1`],
    ['\r=1', `"\r'=1"`],
    ['a,=1', `"a,'=1"`],
    ['a;=1', `"a;'=1"`],
    ['a\n@b', `"a\n'@b"`],
    ['a; +b', `"a; '+b"`],
    ['\u200b=1', "\u200b'=1"],
    ['\ufeff\u2060 @a', "\ufeff\u2060 '@a"],
    ['\u0001-1', "\u0001'-1"],
    ['\u00ad\u202e+1', "\u00ad\u202e'+1"],
    ['\u3164=1', "\u3164'=1"],
    ['a,\u200b=1', `"a,\u200b'=1"`],
  ])('%j begins none either, whatever separates the cells of the spreadsheet', (text, written) => {
    expect(cell(text)).toBe(written);
  });

  test('an amount below zero is a number, and no formula', () => {
    expect(csvLine([{ amount: '-12.34' }, -1234n], ',')).toBe('-12.34,-1234\r\n');
    expect(csvLine([{ amount: '-12,34' }], ';')).toBe('"-12,34"\r\n');
  });

  test.each(['T-1', '2026-11-20T19:00:00-03:00', 'a=b', 'a@b.example', '1+1'])('%s stays as it is', (text) => {
    expect(cell(text)).toBe(text);
  });
});
