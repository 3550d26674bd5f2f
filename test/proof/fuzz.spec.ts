import { deflateSync } from 'node:zlib';
import { fieldsOf, longFieldOf } from '../../proof/fuzz/lengths.js';
import type { Route, Source } from '../../proof/fuzz/operations.js';
import { Random } from '../../proof/random.js';
import type { Document, Schema } from '../../tools/contract.js';

const SALE: Schema = { $ref: '#/components/schemas/Sale' };
const document = {
  components: {
    schemas: {
      Sale: {
        type: 'object',
        required: ['number'],
        properties: {
          number: { type: 'string' },
          isTest: { type: 'boolean' },
          items: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
        },
      },
      Item: { type: 'object', properties: { price: { type: 'number' } } },
    },
  },
} as unknown as Document;

describe('the long texts of the fuzz', () => {
  test('are sent in every field, at any depth and of any type', () => {
    expect(fieldsOf(document, SALE)).toEqual([['number'], ['isTest'], ['items', 'price']]);
  });

  test('have each length in each field, and cannot be compressed', () => {
    const seen = new Set<string>();
    for (let stream = 0; stream < 24; stream++) {
      const source = { document, random: new Random(`1/${stream}`) } as Source;
      const body = longFieldOf(source, [{ body: SALE } as Route], stream).body as {
        number?: string;
        isTest?: unknown;
        items?: { price?: unknown }[];
      };
      const values = { number: body.number, isTest: body.isTest, price: body.items?.[0]?.price };
      for (const [name, value] of Object.entries(values)) {
        // a valid field has a text like `text 12`
        if (typeof value !== 'string' || value.startsWith('text ')) continue;
        const length = [...value].length;
        seen.add(`${name} ${length}`);
        if (length >= 3_000) expect(deflateSync(value).length).toBeGreaterThan(length * 0.7);
      }
    }
    const lengths = [10, 300, 3_000, 300_000];
    expect([...seen].sort()).toEqual(
      ['number', 'isTest', 'price'].flatMap((name) => lengths.map((length) => `${name} ${length}`)).sort(),
    );
  });
});
