import { Prisma } from '../database/generated/client.js';
import type { PrismaService } from '../database/prisma.service.js';
import { FEW } from '../outbox/state-filter.js';

/** A search reads at most this number of orders, the newest (L51). */
const EXAMINED = 5_000;
/** An amount with its cents: `42,50`, `42.50`, `1.234,50`, `1 234.50`. */
const AMOUNT = /^(\d{1,10}|\d{1,3}(?:[.,\s]\d{3}){1,3})[.,](\d{2})$/;

/** Where the label of a sale stands in its payload (SALE_LABEL_FIELD); empty: sales have no label. */
export type LabelPath = readonly string[];

/** Of which orders a search is. */
export interface Search {
  readonly restaurantId: string;
  /** as typed, without spaces around it, not empty */
  readonly text: string;
  readonly labelPath: LabelPath;
}

/** @returns the cents of a text that is an amount with two decimals; undefined for any other text */
export function centsOf(text: string): number | undefined {
  const [, units, cents] = AMOUNT.exec(text) ?? [];
  return units === undefined ? undefined : Number(units.replaceAll(/\D/g, '')) * 100 + Number(cents);
}

/** SQL: the label of an event (R44), its first 60 characters; null without one. */
export const labelOf = (labelPath: LabelPath) => Prisma.sql`sale_label(payload, ${[...labelPath]}::text[])`;

/**
 * The keys of the orders of the last seven days that a text finds (R43). It reads the newest of them only (L51), by the index of the list;
 * LIMIT stands below the conditions, so that they do not decide how many rows are read.
 */
export async function keysFound(prisma: PrismaService, { restaurantId, text, labelPath }: Search): Promise<string[]> {
  const typed = text.toLowerCase();
  const cents = centsOf(text);
  const ways = [
    Prisma.sql`starts_with(lower(transaction_key), ${typed})`,
    Prisma.sql`starts_with(lower(transaction_number), ${typed})`,
    ...(cents === undefined ? [] : [Prisma.sql`paid_cents = ${cents}::bigint`]),
    ...(labelPath.length === 0 ? [] : [Prisma.sql`strpos(lower(${labelOf(labelPath)}), ${typed}) > 0`]),
    Prisma.sql`EXISTS (
      SELECT FROM jsonb_array_elements(CASE jsonb_typeof(payload -> 'items') WHEN 'array' THEN payload -> 'items' ELSE '[]' END) AS item
      WHERE strpos(lower(item ->> 'itemName'), ${typed}) > 0 OR lower(item ->> 'itemCode') = ${typed})`,
  ];
  const { text: sql, values } = Prisma.sql`
    SELECT transaction_key AS key FROM (
      SELECT transaction_key, transaction_number, paid_cents, payload FROM terminal_events
      WHERE restaurant_id = ${restaurantId}::uuid AND received_at >= now() - interval '168 hours'
      ORDER BY received_at DESC LIMIT ${EXAMINED}
    ) AS newest
    WHERE ${Prisma.join(ways, ' OR ')} LIMIT ${FEW}`;
  const rows = await prisma.unprepared<{ key: string }>(sql, values);
  return rows.map(({ key }) => key);
}
