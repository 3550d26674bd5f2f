import { LARGE } from '../../domain/sale-size.js';
import { COMPARED } from '../../domain/same-sale.js';
import { readStoredTrace, type Trace } from '../../domain/trace.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';

/** The sale that is stored under a key. */
export interface FirstSale {
  /** its CREATE job */
  readonly jobId: string;
  /** the fields that a repeat is compared by (W45), as JSON; undefined: they are large, the sale was erased (W40), or retention has removed it (O22) */
  readonly content: string | undefined;
  /** whether they are large: {@link findContent} reads them */
  readonly isLarge: boolean;
  /** the texts of the answer that accepted it (W26) */
  readonly warnings: readonly string[];
}

/** What a repeat is compared by (W45): a repeat of 200 bytes does not read a megabyte. */
const compared = `CASE WHEN erased_at IS NULL THEN jsonb_build_object(${COMPARED.map((field) => `'${field}', payload->'${field}'`).join(', ')})::text END`;

const ofSale = `LATERAL (SELECT ${compared} AS compared OFFSET 0) AS of_sale`;
const ifSmall = `CASE WHEN length(compared) < ${LARGE} THEN compared END AS content, coalesce(length(compared) >= ${LARGE}, false) AS "isLarge"`;

const CONTENT = preparedStatement(
  'sale_content',
  `SELECT ${compared} AS content
   FROM outbox_jobs job JOIN terminal_events event ON event.transaction_key = event_key AND event.restaurant_id = job.restaurant_id
   WHERE job.id = $1::uuid`,
);

/** @returns what a repeat of the sale of this job is compared by, as JSON; undefined when it is gone meanwhile */
export async function findContent(prisma: PrismaService, jobId: string): Promise<string | undefined> {
  const [row] = await prisma.prepared<{ readonly content: string | null }>(CONTENT, [jobId]);
  return row?.content ?? undefined;
}

const FIRST_SALE = preparedStatement(
  'first_sale',
  `SELECT job.id::text AS "jobId", ${ifSmall}, warnings
   FROM outbox_jobs job JOIN terminal_events event ON event.transaction_key = event_key AND event.restaurant_id = job.restaurant_id,
     ${ofSale}
   WHERE event_key = $2 AND job.restaurant_id = $1::uuid AND action = 'CREATE'
   UNION ALL
   SELECT job_id::text, NULL, false, '{}' FROM spent_keys WHERE transaction_key = $2 AND restaurant_id = $1::uuid`,
);

/** @returns what is stored under this key (W20, W45), also if its event was removed; undefined when the restaurant has no such key */
export async function findFirstSale(
  prisma: PrismaService,
  restaurantId: string,
  transactionKey: string,
): Promise<FirstSale | undefined> {
  type Row = Omit<FirstSale, 'content'> & { readonly content: string | null };
  // a key that retention is about to remove has both rows
  const [first] = await prisma.prepared<Row>(FIRST_SALE, [restaurantId, transactionKey]);
  return first && { ...first, content: first.content ?? undefined };
}

/** A spent key has no trace: retention has removed its event. */
const TEST_JOB = preparedStatement(
  'test_job',
  `SELECT job.id::text AS "jobId", encode(trace, 'hex') AS trace, ${ifSmall}
   FROM outbox_jobs job JOIN terminal_events event ON event.transaction_key = event_key AND event.restaurant_id = job.restaurant_id,
     ${ofSale}
   WHERE source_key = $2 AND event.restaurant_id = $1::uuid AND test_mode AND action = 'CREATE'
   UNION ALL
   SELECT job_id::text, NULL, NULL, false FROM spent_keys WHERE source_key = $2 AND restaurant_id = $1::uuid AND test_mode
   LIMIT 1`,
);

/**
 * @returns the CREATE job of this source key in test mode (W23), the trace of its event if the event has one, and what a repeat is compared by
 *   unless it was erased; undefined when there is no such job
 */
export async function findTestJob(
  prisma: PrismaService,
  restaurantId: string,
  sourceKey: string,
): Promise<(Omit<FirstSale, 'warnings'> & { readonly trace: Trace | undefined }) | undefined> {
  type Row = Pick<FirstSale, 'jobId' | 'isLarge'> & Readonly<Record<'trace' | 'content', string | null>>;
  const [first] = await prisma.prepared<Row>(TEST_JOB, [restaurantId, sourceKey]);
  return first && { ...first, trace: readStoredTrace(first.trace), content: first.content ?? undefined };
}
