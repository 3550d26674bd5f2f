import { Injectable } from '@nestjs/common';
import { Batcher } from '../database/batcher.js';
import { within } from '../database/deadline.js';
import { PrismaService } from '../database/prisma.service.js';
import type { BatchedRow } from '../database/row-queue.js';
import type { Cause } from '../domain/cause.js';
import type { OrderState } from '../domain/order-state.js';
import { type Cursor, type Position, writeCursor } from './receipt-cursor.js';
import { OF_PLATFORM, OF_RESTAURANTS, ONE, PAGE } from './receipts.sql.js';

/** What a sender may read (V20): what the platform sent, or all sales of these restaurants. */
export interface Reader {
  /** of whom the polls are counted together (L65) */
  readonly id: string;
  /** null: the platform */
  readonly restaurantIds: readonly string[] | null;
}

/** What became of a sale (V21). */
export interface Receipt {
  readonly type: `order.${'stored' | 'delivered' | 'parked' | 'cancelled'}`;
  readonly at: Date;
  /** the key as the terminal sent it */
  readonly transactionKey: string;
  /** the job that the webhook's answer named */
  readonly jobId: string;
  /** the state of the order now */
  readonly state: OrderState;
  /** order.parked: why */
  readonly cause?: Cause | undefined;
}

export interface ReceiptPage {
  readonly data: readonly Receipt[];
  /** continues after this page */
  readonly cursor: string;
  /** whether more receipts exist already */
  readonly more: boolean;
}

interface Change {
  readonly type: 'stored' | 'delivered' | 'parked' | 'cancelled';
  /** µs since 1970 */
  readonly receiptAt: string;
  readonly transactionKey: string;
  readonly jobId: string;
  readonly state: OrderState;
  readonly cause: Cause | null;
}

/** A row of a page, or of a list without new receipts: then all of the receipt is null. */
type Row = (Change | { readonly type: null }) & {
  readonly number: number;
  readonly snapshot: string;
  readonly database: string;
  readonly at: string;
  /** whether the cursor is of this database */
  readonly isSame: boolean;
} & Omit<Position, 'at'>;

interface Wanted extends BatchedRow {
  readonly reader: Reader;
  readonly cursor: Cursor;
}

/** Limit of a read, in ms, waiting included. */
const READ_LIMIT_MS = 10_000;
/** One statement at a time for many lists: senders who ask take one connection at most (V24). */
const READS = { parallel: 1, most: 100, bound: { rows: 3_000, length: 16_777_216 }, retry: false } as const;
/** A list without a cursor begins this long ago (L66); ms. */
const FIRST_MS = 24 * 3_600_000;
/** The database of a cursor that no snapshot belongs to: the list begins at its time. */
const NO_DATABASE = { database: '0.00000000', snapshot: '1:1:' } as const;

/** @returns where a list without a cursor begins */
export function firstCursor(): Cursor {
  return { read: { ...NO_DATABASE, at: String((Date.now() - FIRST_MS) * 1_000) } };
}

/** Reads receipts. Lists that are read at the same time share a statement. */
@Injectable()
export class ReceiptsReader {
  private readonly lists = new Batcher<Wanted, ReceiptPage>((wanted) => this.readAll(wanted), READS);

  constructor(private readonly prisma: PrismaService) {}

  /**
   * The receipts after the cursor, the oldest first.
   * @throws NotWrittenError when too many lists wait to be read; the error of the statement
   */
  page(reader: Reader, cursor: Cursor): Promise<ReceiptPage> {
    const length = 200 * (reader.restaurantIds?.length ?? 1) + cursor.read.snapshot.length;
    return within(READ_LIMIT_MS, this.lists.add({ reader, cursor, length, keys: [], source: reader.id }));
  }

  /** The last receipt of the order of this job; undefined when the sender has no such order. */
  async one({ restaurantIds }: Reader, jobId: string): Promise<Receipt | undefined> {
    const [row] = await within(READ_LIMIT_MS, this.prisma.prepared<Change>(ONE, [jobId, restaurantIds]));
    return row && receiptOf(row);
  }

  private async readAll(wanted: readonly Wanted[]): Promise<ReceiptPage[]> {
    const numbers = wanted.map((_, number) => number);
    const isPlatform = (number: number) => wanted[number]?.reader.restaurantIds === null;
    const rows = [
      ...(await this.rowsOf(
        OF_RESTAURANTS,
        numbers.filter((number) => !isPlatform(number)),
        wanted,
      )),
      ...(await this.rowsOf(OF_PLATFORM, numbers.filter(isPlatform), wanted)),
    ];
    const ofList: Row[][] = wanted.map(() => []);
    for (const row of rows) ofList[row.number]?.push(row);
    return wanted.map(({ cursor }, number) => pageOf(cursor, ofList[number] ?? []));
  }

  private rowsOf(statement: typeof OF_PLATFORM, numbers: readonly number[], wanted: readonly Wanted[]) {
    if (numbers.length === 0) return [];
    const lists = numbers.map((number) => {
      const { reader, cursor } = wanted[number] as Wanted;
      return { number, restaurantIds: reader.restaurantIds, ...columnsOf(cursor) };
    });
    return this.prisma.prepared<Row>(statement, [JSON.stringify(lists)]);
  }
}

function columnsOf({ read, rest }: Cursor) {
  const { database, snapshot: seen, at: since } = read;
  const { at: afterAt, isSettled: afterSettled, key: afterKey, id: afterId } = rest?.after ?? {};
  return { database, seen, since, until: rest?.until.snapshot, afterAt, afterSettled, afterKey, afterId };
}

/**
 * The page of one list, and its cursor. While more receipts exist than a page holds, the snapshot of the first page limits the next ones: a
 * receipt that is committed meanwhile may be older than the position, and comes after the last of these pages (V22).
 */
function pageOf(cursor: Cursor, rows: readonly Row[]): ReceiptPage {
  const [{ snapshot, database, at, isSame }] = rows as [Row];
  const changes = rows.filter((row): row is Row & Change => row.type !== null);
  const shown = changes.slice(0, PAGE);
  const until = (isSame ? cursor.rest?.until : undefined) ?? { snapshot, at };
  const more = changes.length > PAGE;
  // a cursor of another database begins at its time, and is of this one from now on
  const read = isSame ? cursor.read : { database, snapshot: NO_DATABASE.snapshot, at: cursor.read.at };
  const next: Cursor = more
    ? { read, rest: { until, after: positionOf(shown.at(-1) as Row & Change) } }
    : { read: { database, ...until } };
  return { data: shown.map(receiptOf), cursor: writeCursor(next), more };
}

const positionOf = ({ receiptAt: at, isSettled, key, id }: Row & Change): Position => ({ at, isSettled, key, id });

function receiptOf({ type, receiptAt, transactionKey, jobId, state, cause }: Change): Receipt {
  const at = new Date(Number(BigInt(receiptAt) / 1_000n));
  return { type: `order.${type}`, at, transactionKey, jobId, state, ...(cause === null ? {} : { cause }) };
}
