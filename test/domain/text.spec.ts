import { isJwtShaped, isPrintable, isUuid, normalized } from '../../src/domain/text.js';

describe('POS credentials are 1 to 256 printable ASCII characters without spaces', () => {
  test.each([
    ['one character', 'x', true],
    ['256 characters', 'x'.repeat(256), true],
    ['the first printable', '!', true],
    ['the last printable', '~', true],
    ['punctuation', 'a"b\\c:d=e/f+', true],
    ['nothing', '', false],
    ['257 characters', 'x'.repeat(257), false],
    ['a space', 'a b', false],
    ['a space at its end', 'ab ', false],
    ['a newline at its end', 'ab\n', false],
    ['a line break, which would begin another header', 'a\r\nX-Evil: 1', false],
    ['NUL', 'a\0', false],
    ['DEL', 'a\u007f', false],
    ['a letter beyond ASCII', 'señal', false],
    ['an emoji', '😀', false],
  ])('%s: %j: %p', (_, text, expected) => {
    expect(isPrintable(text)).toBe(expected);
  });
});

describe('a UUID', () => {
  test.each([
    ['version 4', '3f0e8a52-7c6b-4d8e-9a5d-1b2c3d4e5f60', true],
    ['upper case', '3F0E8A52-7C6B-4D8E-9A5D-1B2C3D4E5F60', true],
    ['no known version, which Postgres holds as well', '00000000-0000-0000-0000-000000000001', true],
    ['without hyphens', '3f0e8a527c6b4d8e9a5d1b2c3d4e5f60', false],
    ['in braces', '{3f0e8a52-7c6b-4d8e-9a5d-1b2c3d4e5f60}', false],
    ['with a newline at its end', '3f0e8a52-7c6b-4d8e-9a5d-1b2c3d4e5f60\n', false],
    ['empty', '', false],
  ])('%s: %j: %p', (_, text, expected) => {
    expect(isUuid(text)).toBe(expected);
  });
});

describe('a Bearer token is shaped like a JWT when it is three base64url parts joined by dots', () => {
  test.each([
    ['header, payload, signature', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.s-_g', true],
    ['a signature that is empty, as of an unsigned JWT', 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.', true],
    ['no dots', 'static-terminal-token', false],
    ['two parts', 'a.b', false],
    ['four parts', 'a.b.c.d', false],
    ['five parts', 'a.b.c.d.e', false],
    ['an empty header', '.b.c', false],
    ['an empty payload', 'a..c', false],
    ['characters outside base64url', 'a+.b/.c=', false],
    ['a space', 'a.b.c d', false],
    ['a newline at its end', 'a.b.c\n', false],
    ['nothing', '', false],
  ])('%s: %j: %p', (_, text, expected) => {
    expect(isJwtShaped(text)).toBe(expected);
  });
});

describe('a text in a form of Unicode', () => {
  test.each([
    ['cartão', 'NFD', 'carta\u0303o'],
    ['carta\u0303o', 'NFC', 'cartão'],
    ['ﬁm', 'NFKD', 'fim'],
    ['plain', 'NFC', 'plain'],
  ] as const)('%j in %s', (text, form, expected) => {
    expect(normalized(text, form)).toBe(expected);
  });

  test('has ten marks on one letter at most: sorting them takes a time that grows with their square', () => {
    const marks = '\u0300\u0316';
    expect(normalized(`a${marks.repeat(5)}b`, 'NFD')).toBe(`a${marks.repeat(5)}b`.normalize('NFD'));
    // half a million marks: hours, if they were sorted
    expect(normalized(`a${marks.repeat(250_000)}b`, 'NFC')).toBe(`a${marks.repeat(5)}b`.normalize('NFC'));
  });
});
