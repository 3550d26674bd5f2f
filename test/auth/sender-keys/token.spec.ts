import { crc32 } from 'node:zlib';
import {
  hasDigest,
  isKeyId,
  isTokenShaped,
  keyIdOf,
  newKeyId,
  newKeyToken,
} from '../../../src/auth/sender-keys/token.js';
import { digestOf } from '../../../src/platform/secrets/token.js';

/** An independent writing of the checksum: base62, most significant first. */
function base62(number: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return number < 62 ? (digits[number] as string) : base62(Math.floor(number / 62)) + digits[number % 62];
}

describe('V2: the token of a sender key', () => {
  test('has the key id, 30 characters and the CRC-32 of what is before it in base62 (V2)', () => {
    for (let i = 0; i < 1_000; i++) {
      const keyId = newKeyId();
      const token = newKeyToken(keyId);
      expect(token).toMatch(/^rly_[0-9A-Za-z]{8}_[0-9A-Za-z]{36}$/);
      expect(isKeyId(keyId) && isTokenShaped(token)).toBe(true);
      expect(keyIdOf(token)).toBe(keyId);
      expect(token.slice(-6)).toBe(base62(crc32(token.slice(0, -6))).padStart(6, '0'));
    }
  });

  test('a changed character, or two exchanged ones, are a wrong checksum, in the key id too (V2)', () => {
    const token = newKeyToken('7Hq2mZx9');
    for (let i = 4; i < token.length; i++) {
      if (token[i] === '_') continue;
      const other = token[i] === 'a' ? 'b' : 'a';
      expect(keyIdOf(token.slice(0, i) + other + token.slice(i + 1))).toBeUndefined();
    }
    const [a, b] = [token.slice(0, 20), token.slice(22)];
    if (token[20] !== token[21]) expect(keyIdOf(`${a}${token[21]}${token[20]}${b}`)).toBeUndefined();
  });

  test.each(['', 'rly_', 'rly_7Hq2mZx9_', `rly_7Hq2mZx9_${'a'.repeat(35)}`, `RLY_7Hq2mZx9_${'a'.repeat(36)}`, 'a.b.c'])(
    '%j is no token (V2)',
    (text) => {
      expect([isTokenShaped(text), keyIdOf(text)]).toEqual([false, undefined]);
    },
  );

  test('a token is known by its digest (V2)', () => {
    const [token, other] = [newKeyToken('7Hq2mZx9'), newKeyToken('7Hq2mZx9')];
    expect(hasDigest(token, digestOf(token))).toBe(true);
    expect(hasDigest(other, digestOf(token))).toBe(false);
    expect(hasDigest(token, '')).toBe(false);
  });
});
