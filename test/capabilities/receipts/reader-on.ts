import { ReceiptCursors } from '../../../src/capabilities/receipts/receipt-cursors.js';
import { OPEN } from '../../../src/capabilities/receipts/receipts.sql.js';
import { type Reader, ReceiptsReader } from '../../../src/capabilities/receipts/receipts-reader.js';
import type { Config } from '../../../src/platform/config/config.js';
import type { PreparedStatement } from '../../../src/platform/database/prepared.js';
import type { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { SecretBox } from '../../../src/platform/secrets/secret-box.js';

/** Never aborts. */
export const NEVER = new AbortController().signal;

/** A sender whose restaurants have its name. */
export const sender = (id: string, restaurants = 1): Reader => ({
  id,
  restaurantIds: Array(restaurants).fill(id),
  isCurrent: async () => true,
});

/**
 * A reader on a database that answers empty lists.
 * @param answer called for each statement of lists, with their senders, before it is answered
 */
export function readerOn(
  database: 'a server' | 'the embedded database',
  answer: (senders: readonly string[]) => unknown = () => undefined,
) {
  const statements: string[][] = [];
  const sums: number[] = [];
  const prisma = {
    embeddedStatements: database === 'a server' ? undefined : 0,
    prepared: async ({ name }: PreparedStatement, [json]: readonly string[]) => {
      if (name === OPEN.name) return [{ at: '1', open: [], hides: false, known: [], hidden: [] }];
      const lists: { number: number; restaurantIds: string[] }[] = JSON.parse(json as string);
      const senders = lists.map(({ restaurantIds }) => restaurantIds[0] as string);
      statements.push(senders);
      sums.push(lists.reduce((sum, { restaurantIds }) => sum + restaurantIds.length, 0));
      await answer(senders);
      const row = { type: null, snapshot: '5:5:', database: '1.00000001', at: '1', isSame: true, met: '0' };
      return lists.map(({ number }) => ({ ...row, number }));
    },
  } as unknown as PrismaService;
  const cursors = new ReceiptCursors(new SecretBox({ secretsKey: Buffer.alloc(32, 1) } as Config));
  const receipts = new ReceiptsReader(prisma, cursors);
  return {
    receipts,
    /** the senders of the lists of each statement */
    statements,
    /** the restaurants of each statement, summed up over its lists */
    sums,
    list: (id: string, restaurants?: number, gone: AbortSignal = NEVER) =>
      receipts.page(sender(id, restaurants), undefined, gone),
  };
}
