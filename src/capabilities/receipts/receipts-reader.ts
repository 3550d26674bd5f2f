import { Injectable } from '@nestjs/common';
import type { Cause } from '../../domain/cause.js';
import type { OrderState } from '../../domain/order-state.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { within } from '../../platform/database/deadline.js';
import { isTooSlow } from '../../platform/database/errors.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { ListTurns, OF_SENDER } from './list-turns.js';
import { type Before, openBefore, readBefore } from './open-transactions.js';
import { type Cursor, columnsOf, firstCursor, NO_DATABASE, type Position } from './receipt-cursor.js';
import { ReceiptCursors } from './receipt-cursors.js';
import { OF_PLATFORM, OF_RESTAURANTS, ONE, PAGE } from './receipts.sql.js';

/** What a sender may read (V20): what the platform sent, or all sales of these restaurants. */
export interface Reader {
  /** of whom the polls are counted together (L65) */
  readonly id: string;
  /** null: the platform */
  readonly restaurantIds: readonly string[] | null;
  /** whether it still reads all of them (A40). @throws 401 when it has ended */
  readonly isCurrent: () => Promise<boolean>;
  /** is called when its request waits for something new: other requests of its founder begin (H31); absent: it has no turn */
  readonly rests?: () => void;
}

/** What became of a sale (V21). */
export interface Receipt {
  readonly type: `order.${Change['type']}`;
  readonly at: Date;
  readonly restaurantId: string;
  /** the key as the terminal sent it */
  readonly transactionKey: string;
  /** the job that the webhook's answer named */
  readonly jobId: string;
  /** the state of the order now */
  readonly state: OrderState;
  /** order.parked, order.refused: why */
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
  readonly type: 'stored' | 'delivered' | 'accepted' | 'parked' | 'refused' | 'resolved' | 'cancelled';
  /** µs since 1970 */
  readonly receiptAt: string;
  readonly restaurantId: string;
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
  /** when the snapshot was taken; µs since 1970, by the database's clock */
  readonly at: string;
  /** whether the cursor is of this database */
  readonly isSame: boolean;
  /** the begin of a transaction that the list met first and cannot see; µs since 1970 */
  readonly met: string;
} & Omit<Position, 'at'>;

interface Wanted {
  readonly reader: Reader;
  /** undefined: the list begins L66 ago */
  readonly cursor: Cursor | undefined;
}
type Begun = Wanted & { readonly cursor: Cursor };

/** Limit of a read, in ms, waiting included. */
const READ_LIMIT_MS = 10_000;
/** One statement at a time for the lists of many senders: senders who ask take one connection at most (V24), and one more for slow lists. */
const READS = { parallel: 1, most: 100, bound: { rows: 3_000, length: 16_777_216 }, retry: false } as const;
/** The lists of a sender whose list took so long, alone, are read alone for so long (L131); ms. */
const SLOW_MS = 1_000;
const SLOW_FOR_MS = 60_000;
/** The most senders that are known to be slow; the oldest is forgotten first. */
const MOST_SLOW = 1_000;
/**
 * Reads receipts. Lists of different senders that are read at the same time share a statement; a slow one is read alone (V30). On the embedded
 * database they take turns (V31).
 */
@Injectable()
export class ReceiptsReader {
  /** undefined: the statement took too long, and the list has to be read alone */
  private readonly together = new Batcher<Wanted & BatchedRow, ReceiptPage | undefined>(
    (wanted) => this.readTogether(wanted),
    READS,
  );
  private readonly alone = new Batcher<Wanted & BatchedRow, ReceiptPage>((wanted) => this.readAlone(wanted), {
    ...READS,
    most: 1,
  });
  /** sender -> until when its lists are read alone, by performance.now(), ms; oldest first */
  private readonly slow = new Map<string, number>();
  private added = 0;
  private readonly turns = new ListTurns<Wanted, ReceiptPage>((wanted) => this.readAll(wanted));

  constructor(
    private readonly prisma: PrismaService,
    private readonly cursors: ReceiptCursors,
  ) {}

  /**
   * The receipts after the cursor, the oldest first; without a cursor, those of the last 24 hours.
   * @param gone aborts when nobody waits for the page any more
   * @throws NotWrittenError when too many lists wait to be read; on the embedded database 503 TOO_MANY_AT_ONCE, ClientGoneError; the error of
   *   the statement
   */
  page(reader: Reader, cursor: Cursor | undefined, gone: AbortSignal): Promise<ReceiptPage> {
    if (this.prisma.embeddedStatements !== undefined)
      return within(READ_LIMIT_MS, this.turns.read({ reader, cursor }, gone));
    const late = new AbortController();
    return within(READ_LIMIT_MS, this.read(reader, cursor, late.signal), late);
  }

  private async read(reader: Reader, cursor: Cursor | undefined, late: AbortSignal): Promise<ReceiptPage> {
    const length = 200 * (reader.restaurantIds?.length ?? 1) + (cursor?.read.snapshot.length ?? 0);
    // lists of a sender with the same key never share a statement
    const keys = [`${reader.id} ${this.added++ % OF_SENDER}`];
    const wanted = { reader, cursor, length, keys, source: reader.id };
    const isSlow = (this.slow.get(reader.id) ?? 0) > performance.now();
    return (isSlow ? undefined : await this.together.add(wanted, late)) ?? this.alone.add(wanted, late);
  }

  /** The last receipt of the order of this job; undefined when the sender has no such order. */
  async one({ restaurantIds }: Reader, jobId: string): Promise<Receipt | undefined> {
    const [row] = await within(READ_LIMIT_MS, this.prisma.prepared<Change>(ONE, [jobId, restaurantIds]));
    return row && receiptOf(row);
  }

  private async readTogether(wanted: readonly Wanted[]): Promise<(ReceiptPage | undefined)[]> {
    try {
      return await this.readAll(wanted);
    } catch (error) {
      // which of them is slow is not known
      if (isTooSlow(error)) return wanted.map(() => undefined);
      throw error;
    }
  }

  private async readAlone(wanted: readonly Wanted[]): Promise<ReceiptPage[]> {
    const begun = performance.now();
    let isSlow = false;
    try {
      const pages = await this.readAll(wanted);
      isSlow = performance.now() - begun > SLOW_MS;
      return pages;
    } catch (error) {
      isSlow = isTooSlow(error);
      throw error;
    } finally {
      if (isSlow) for (const { reader } of wanted) this.noteSlow(reader);
    }
  }

  private noteSlow({ id }: Reader): void {
    this.slow.delete(id);
    this.slow.set(id, performance.now() + SLOW_FOR_MS);
    if (this.slow.size > MOST_SLOW) this.slow.delete(this.slow.keys().next().value as string);
  }

  private async readAll(wanted: readonly Wanted[]): Promise<ReceiptPage[]> {
    const before = await readBefore(this.prisma);
    const begun = wanted.map(({ reader, cursor = firstCursor(before.at) }) => ({ reader, cursor }));
    const numbers = wanted.map((_, number) => number);
    const isPlatform = (number: number) => wanted[number]?.reader.restaurantIds === null;
    const rowsOf = (statement: typeof OF_PLATFORM, some: readonly number[]) =>
      this.rowsOf(statement, some, begun, before);
    const rows = [
      ...(await rowsOf(
        OF_RESTAURANTS,
        numbers.filter((number) => !isPlatform(number)),
      )),
      ...(await rowsOf(OF_PLATFORM, numbers.filter(isPlatform))),
    ];
    const ofList: Row[][] = wanted.map(() => []);
    for (const row of rows) ofList[row.number]?.push(row);
    return begun.map(({ cursor }, number) => this.pageOf(cursor, before, ofList[number] ?? []));
  }

  private rowsOf(statement: typeof OF_PLATFORM, numbers: readonly number[], begun: readonly Begun[], before: Before) {
    if (numbers.length === 0) return [];
    const lists = numbers.map((number) => {
      const { reader, cursor } = begun[number] as Begun;
      return { number, restaurantIds: reader.restaurantIds, ...columnsOf(cursor, before.clock) };
    });
    return this.prisma.prepared<Row>(statement, [JSON.stringify(lists)]);
  }

  /**
   * The page of one list, and its cursor. While more receipts exist than a page holds, the snapshot of the first page limits the next ones: a
   * receipt that is committed meanwhile may be older than the position, and comes after the last of these pages (V22).
   */
  private pageOf(cursor: Cursor, before: Before, rows: readonly Row[]): ReceiptPage {
    const [{ snapshot, database, at, isSame, met }] = rows as [Row];
    const changes = rows.filter((row): row is Row & Change => row.type !== null);
    const shown = changes.slice(0, PAGE);
    const until = (isSame ? cursor.rest?.until : undefined) ?? openBefore(before, { snapshot, at }, met, cursor.read);
    const more = changes.length > PAGE;
    // a cursor of another database begins at its time, and is of this one from now on
    const read = isSame ? cursor.read : { ...cursor.read, database, snapshot: NO_DATABASE.snapshot };
    const next: Cursor = more
      ? { read, rest: { until, after: positionOf(shown.at(-1) as Row & Change) } }
      : { read: { database, ...until } };
    return { data: shown.map(receiptOf), cursor: this.cursors.write(next), more };
  }
}

const positionOf = ({ receiptAt: at, isSettled, key, id }: Row & Change): Position => ({ at, isSettled, key, id });

function receiptOf({ type, receiptAt, restaurantId, transactionKey, jobId, state, cause }: Change): Receipt {
  const at = new Date(Number(BigInt(receiptAt) / 1_000n));
  const receipt = { at, restaurantId, transactionKey, jobId, state };
  return { type: `order.${type}`, ...receipt, ...(cause === null ? {} : { cause }) };
}
