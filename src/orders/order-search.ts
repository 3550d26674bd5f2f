import { Prisma } from '../platform/database/generated/client.js';

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
 * SQL: whether the search finds a sale (R43), with the columns of the event and its `items`. Cases are compared by this collation: that of
 * the database may know ASCII only, or Turkish.
 */
export function isFoundIn({ text, labelPath }: Search, collation: string): Prisma.Sql {
  const typed = text.toLowerCase();
  const cents = centsOf(text);
  const lower = (value: Prisma.Sql) => Prisma.sql`lower(${value} COLLATE ${Prisma.raw(`"${collation}"`)})`;
  const ways = [
    Prisma.sql`starts_with(${lower(Prisma.sql`transaction_key`)}, ${typed})`,
    Prisma.sql`starts_with(${lower(Prisma.sql`transaction_number`)}, ${typed})`,
    ...(cents === undefined ? [] : [Prisma.sql`paid_cents = ${cents}::bigint`]),
    ...(labelPath.length === 0 ? [] : [Prisma.sql`strpos(${lower(labelOf(labelPath))}, ${typed}) > 0`]),
    Prisma.sql`EXISTS (
      SELECT FROM jsonb_array_elements(CASE jsonb_typeof(items) WHEN 'array' THEN items ELSE '[]' END) AS item
      WHERE strpos(${lower(Prisma.sql`(item ->> 'itemName')`)}, ${typed}) > 0 OR ${lower(Prisma.sql`(item ->> 'itemCode')`)} = ${typed})`,
  ];
  return Prisma.sql`coalesce(${Prisma.join(ways, ' OR ')}, false)`;
}

/** SQL: whether an event has this key, as stored or as sent, or this number. Outside test mode the stored key is the key as sent. */
export const isFoundBy = (
  search: string,
) => Prisma.sql`(transaction_key = ${search} OR (source_key = ${search} AND test_mode)
      OR transaction_number = ${search})`;

/** The alternatives of {@link isFoundBy}; there is an index for each. */
export const FOUND_BY = [
  Prisma.sql`transaction_key`,
  Prisma.sql`test_mode AND source_key`,
  Prisma.sql`transaction_number`,
].map(
  (column) => (restaurantId: string, search: string) =>
    Prisma.sql`restaurant_id = ${restaurantId}::uuid AND ${column} = ${search}`,
);
