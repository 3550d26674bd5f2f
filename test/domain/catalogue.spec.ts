import fc from 'fast-check';
import { digestOf, digestsOf, hasCode, notInCatalogue } from '../../src/domain/catalogue.js';
import { NO_CODES } from '../../src/domain/pos-codes.js';

describe('the digests of the codes of a catalogue (I16)', () => {
  test('a catalogue has each of its codes, and no other one', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1 })), fc.string(), (codes, other) => {
        const digests = digestsOf(codes);
        expect(codes.filter((code) => !hasCode(digests, code))).toEqual([]);
        expect(hasCode(digests, other)).toBe(codes.includes(other));
      }),
    );
    expect(hasCode(digestsOf([]), 'A')).toBe(false);
  });

  test('numbers that follow each other have digests of their own, below 2^53, which stay: they are stored', () => {
    const digests = digestsOf(Array.from({ length: 100_000 }, (_, n) => String(n)));
    expect(new Set(digests).size).toBe(100_000);
    expect(Math.max(...digests.slice(-1))).toBeLessThan(2 ** 53);
    expect(['', 'A', 'PZ-01', 'ção 🍕'].map(digestOf)).toEqual([
      3338908027751811, 4438178491138429, 8446535072187616, 4510179756581525,
    ]);
  });

  test('the first 1,000 items of a sale are looked up, and 50 codes are named (I17, L242)', () => {
    const items = Array.from({ length: 2_000 }, (_, n) => ({
      ...{ code: n < 999 ? 'A' : `X-${n}`, name: '', quantity: 1, unitPrice: 1, options: undefined, notes: undefined },
    }));
    expect(notInCatalogue(items, NO_CODES, digestsOf(['A']))).toMatchObject([
      { text: expect.stringMatching(/X-999 /) },
    ]);
    const texts = notInCatalogue(items.toReversed(), NO_CODES, digestsOf(['A'])).map(({ text }) => text);
    expect([texts.length, texts.at(-1)]).toEqual([51, 'and 950 more like these']);
  });
});
