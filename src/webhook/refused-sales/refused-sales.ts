import { createHash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Sale } from '../../domain/sale.js';
import { type Compared, contentOf } from '../../domain/same-sale.js';
import { firstCharacters } from '../../domain/text.js';
import { MAX_NUMBER_LENGTH } from '../../domain/transaction.js';
import { Batcher } from '../../platform/database/batch/batcher.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import { Rounds } from '../../platform/schedule/rounds.js';

/** The most sales that are kept of a restaurant in 24 hours, and for how many days (L120). */
const MOST_OF_A_DAY = 100;
const KEPT_DAYS = 30;
const RETENTION_INTERVAL_MS = 600_000;
/** Instances keep one after the other, so that the limit of a day holds. */
export const TURN_OF_REFUSED = 7_204_141_045;

/** One statement at a time: sales that are refused do not take the connections of others. */
const WRITES = { parallel: 1, most: 100, bound: { rows: 1_000, length: 16_777_216 }, retry: false } as const;

interface Row extends BatchedRow {
  /** a row of `json_to_recordset` */
  readonly columns: string;
}

/** Sales that came under the key of another sale: keeps them for people, since no order is made of them (W45, W46). */
@Injectable()
export class RefusedSales implements OnModuleInit {
  private readonly rows = new Batcher<Row, boolean>((rows) => this.write(rows), WRITES);

  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly rounds: Rounds,
  ) {}

  onModuleInit(): void {
    const round = { name: 'refused_sales.retention', everyMs: RETENTION_INTERVAL_MS, run: () => this.removeOld() };
    this.rounds.add({ ...round, on: 'workers' });
  }

  /**
   * Keeps a sale. The same sale again is counted in the row that it has (W46).
   * @param differs in what it differs from the stored sale of its key
   * @returns false when the restaurant has the most of a day (L120)
   * @throws the database's error; NotWrittenError when too many wait
   */
  async keep(restaurantId: string, sale: Sale, differs: readonly Compared[], unwanted?: AbortSignal): Promise<boolean> {
    const { transaction, payload, paid, mismatchCents } = sale;
    const { transactionKey, transactionNumber } = transaction;
    const digest = createHash('sha256')
      .update(JSON.stringify(contentOf(payload)))
      .digest('hex');
    // of a refund what was paid back (M16)
    const netCents = 'refund' in sale.order ? (mismatchCents ?? 0n) : (paid?.total ?? 0n);
    const columns = JSON.stringify({
      ...{ id: uuidV7(), restaurantId, transactionKey, digest, differs, netCents: netCents.toString(), payload },
      transactionNumber: transactionNumber && firstCharacters(transactionNumber, MAX_NUMBER_LENGTH),
    });
    const keys = [`${restaurantId}/${transactionKey}/${digest}`];
    return this.rows.add({ columns, length: columns.length, keys, source: restaurantId }, unwanted);
  }

  /** Removes what is older than L120, unless the clocks differ (S36). @returns how many */
  removeOld(): Promise<number> {
    return this.prisma.$executeRaw`
      DELETE FROM refused_sales WHERE received_at < now() - ${KEPT_DAYS}::int * interval '1 day' AND ${this.clock.condition}`;
  }

  /** @returns whether each was kept */
  private write(rows: readonly Row[]): Promise<boolean[]> {
    const columns = `[${rows.map((row) => row.columns).join()}]`;
    return this.prisma.$transaction(async (tx) => {
      // a statement of its own: the next one sees what the turn before has written
      await tx.$executeRaw`SELECT pg_advisory_xact_lock(${TURN_OF_REFUSED}::bigint)`;
      // waits for an erasure of the stored sales that is under way (W40), and for no delivery; a later one waits for this transaction
      await tx.$executeRaw`
        SELECT FROM outbox_jobs WHERE (event_key, restaurant_id) IN (
          SELECT "transactionKey", "restaurantId" FROM json_to_recordset(${columns}::json) AS sale("transactionKey" text, "restaurantId" uuid))
        ORDER BY event_key, action FOR KEY SHARE`;
      const kept = await tx.$queryRaw<{ isKept: boolean }[]>`
        WITH sent AS MATERIALIZED (
          SELECT sale.*, known.id AS known_id, event.erased_at IS NOT NULL AS is_erased FROM ROWS FROM (json_to_recordset(${columns}::json) AS (
            id uuid, "restaurantId" uuid, "transactionKey" text, digest text, differs text[], "netCents" bigint, payload jsonb,
            "transactionNumber" text)) WITH ORDINALITY AS sale(
            id, restaurant_id, transaction_key, digest, differs, net_cents, payload, transaction_number, place)
          LEFT JOIN refused_sales known ON known.restaurant_id = sale.restaurant_id
            AND known.transaction_key = sale.transaction_key AND known.digest = sale.digest
          LEFT JOIN terminal_events event ON event.transaction_key = sale.transaction_key AND event.restaurant_id = sale.restaurant_id
        ), again AS (
          UPDATE refused_sales SET times = times + 1, last_at = now() WHERE id IN (SELECT known_id FROM sent)
        ), kept AS (
          INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, transaction_number, net_cents, payload)
          SELECT id, restaurant_id, transaction_key, digest, differs, transaction_number, net_cents,
                 CASE WHEN is_erased THEN erased_payload(payload) ELSE payload END
          FROM (SELECT *, row_number() OVER (PARTITION BY restaurant_id ORDER BY place) AS nth FROM sent WHERE known_id IS NULL) AS fresh
          WHERE nth + (SELECT count(*) FROM refused_sales earlier WHERE earlier.restaurant_id = fresh.restaurant_id
                       AND earlier.received_at > now() - interval '24 hours') <= ${MOST_OF_A_DAY}::int
          RETURNING id
        )
        SELECT known_id IS NOT NULL OR id IN (SELECT id FROM kept) AS "isKept" FROM sent ORDER BY place`;
      return kept.map(({ isKept }) => isKept);
    });
  }
}
