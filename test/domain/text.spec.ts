import { isJwtShaped, isPrintable } from '../../src/domain/text.js';

describe('POS credentials are 1 to 256 printable ASCII characters without spaces', () => {
  test.each([
    ['one character', 'x'],
    ['256 characters', 'x'.repeat(256)],
    ['the first printable', '!'],
    ['the last printable', '~'],
    ['punctuation', 'a"b\\c:d=e/f+'],
  ])('%s is accepted', (_, text) => {
    expect(isPrintable(text)).toBe(true);
  });

  test.each([
    ['nothing', ''],
    ['257 characters', 'x'.repeat(257)],
    ['a space', 'a b'],
    ['a space at its end', 'ab '],
    ['a newline at its end', 'ab\n'],
    ['a line break, which would begin another header', 'a\r\nX-Evil: 1'],
    ['NUL', 'a\0'],
    ['DEL', 'a\u007f'],
    ['a letter beyond ASCII', 'señal'],
    ['an emoji', '😀'],
  ])('%s is refused', (_, text) => {
    expect(isPrintable(text)).toBe(false);
  });
});

describe('a Bearer token is shaped like a JWT when it is three base64url parts joined by dots', () => {
  test.each([
    ['header, payload, signature', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s-_g'],
    ['a signature that is empty, as of an unsigned JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.'],
  ])('%s: yes', (_, token) => {
    expect(isJwtShaped(token)).toBe(true);
  });

  test.each([
    ['no dots', 'static-terminal-token'],
    ['two parts', 'a.b'],
    ['four parts', 'a.b.c.d'],
    ['five parts', 'a.b.c.d.e'],
    ['an empty header', '.b.c'],
    ['an empty payload', 'a..c'],
    ['letters that base64url has not', 'a+.b/.c='],
    ['a space', 'a.b.c d'],
    ['a newline behind it', 'a.b.c\n'],
    ['nothing', ''],
  ])('%s: no', (_, token) => {
    expect(isJwtShaped(token)).toBe(false);
  });
});
