import type { Config } from '../../src/config/config.js';
import type { PreparedStatement } from '../../src/database/prepared.js';
import type { PrismaService } from '../../src/database/prisma.service.js';
import { ReceiptCursors } from '../../src/receipts/receipt-cursors.js';
import { OPEN } from '../../src/receipts/receipts.sql.js';
import { firstCursor, type Reader, ReceiptsReader } from '../../src/receipts/receipts-reader.js';
import { SecretBox } from '../../src/secrets/secret-box.js';

const LISTS_OF_SENDER = 10;

/** A reader on a database that answers empty lists. @param isTooSlow whether a statement for these senders takes too long */
function readerOf(isTooSlow: (senders: readonly string[]) => boolean = () => false) {
  const statements: string[][] = [];
  const prisma = {
    prepared: async ({ name }: PreparedStatement, [json]: readonly string[]) => {
      if (name === OPEN.name) return [{ at: '1', open: [], hides: false, known: [] }];
      const lists: { number: number; restaurantIds: string[] }[] = JSON.parse(json as string);
      const senders = lists.map(({ restaurantIds }) => restaurantIds[0] as string);
      statements.push(senders);
      if (isTooSlow(senders))
        throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
      return lists.map(({ number }) => ({
        number,
        type: null,
        snapshot: '5:5:',
        database: '1.00000001',
        isSame: true,
        since: '0',
      }));
    },
  } as unknown as PrismaService;
  const cursors = new ReceiptCursors(new SecretBox({ secretsKey: Buffer.alloc(32, 1) } as Config));
  const receipts = new ReceiptsReader(prisma, cursors);
  const sender = (id: string): Reader => ({ id, restaurantIds: [id] });
  return { statements, list: (id: string) => receipts.page(sender(id), firstCursor()) };
}

describe('V30: a list costs its own sender', () => {
  test('a sender with hundreds of requests waits for its own (V30, L131)', async () => {
    const { statements, list } = readerOf();
    const many = Array.from({ length: 95 }, () => list('many'));
    await list('other');
    expect(statements[0]).toHaveLength(LISTS_OF_SENDER + 1);
    expect(statements[0]).toContain('other');
    await Promise.all(many);
    expect(statements.map((senders) => senders.length)).toEqual([11, ...Array.from({ length: 8 }, () => 10), 5]);
  });

  test('the lists of a statement that took too long are read alone, and then those of the slow sender (V30, L131)', async () => {
    const { statements, list } = readerOf((senders) => senders.includes('slow'));
    const [slow, a, b] = await Promise.allSettled([list('slow'), list('a'), list('b')]);
    expect([slow?.status, a?.status, b?.status]).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect(statements).toEqual([['slow', 'a', 'b'], ['slow'], ['a'], ['b']]);
    await Promise.allSettled([list('a'), list('slow'), list('b')]);
    expect(statements.slice(4).toSorted((x, y) => y.length - x.length)).toEqual([['a', 'b'], ['slow']]);
  });
});
