import { isPassword, normalizeEmail } from '../../src/domain/account.js';

describe('a password has 8 characters at least and 72 bytes at most (A5)', () => {
  test.each([
    ['8 characters', 'x'.repeat(8)],
    ['8 characters of several bytes', '😀'.repeat(8)],
    ['72 bytes', 'x'.repeat(72)],
  ])('%s: accepted', (_, password) => {
    expect(isPassword(password)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['7 characters', 'x'.repeat(7)],
    ['7 characters of two code units each', '😀'.repeat(7)],
    ['73 bytes', 'x'.repeat(73)],
    ['73 bytes in 72 characters', `${'x'.repeat(71)}é`],
    ['a number', 12345678],
    ['nothing', undefined],
  ])('%s: refused', (_, password) => {
    expect(isPassword(password)).toBe(false);
  });
});

describe('an email is stored and compared (A5)', () => {
  test.each([
    ['in lower case', 'Maria@Example.COM', 'maria@example.com'],
    ['without blanks around it', ' maria@example.com\n', 'maria@example.com'],
    [
      'composed, so that both spellings of an accented letter are one account',
      'jose\u0301@example.com',
      'jos\u00e9@example.com',
    ],
    ['with U+FFFD for NUL, which Postgres refuses', 'maria\0@example.com', 'maria\ufffd@example.com'],
  ])('%s', (_, email, stored) => {
    expect(normalizeEmail(email)).toBe(stored);
  });
});
