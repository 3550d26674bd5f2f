import { type Check, count, warning } from './check.js';
import type { Connection } from './connection.js';

const NAME = 'catalogue';
/** The restaurants that are looked at, the newest sales of each, their payloads as stored, and the products of each that are named (L241). */
const RESTAURANTS = 20;
const SALES = 500;
const BYTES = 262_144;
const PRODUCTS = 5;
/** A price that was sold less often may be an exception. */
const USUAL = 3;

interface Shop {
  readonly id: string;
  readonly label: string;
  readonly all: number;
  readonly [column: string]: unknown;
}

interface Sold {
  readonly code: string;
  readonly sold: number;
  /** the most frequent price, in cents */
  readonly usual: number | null;
  /** null: the catalogue lacks the code */
  readonly cents: number | null;
  readonly isMissing: boolean;
  readonly [column: string]: unknown;
}

const SHOPS = `SELECT id::text, format('%s (%s)', name, slug) AS label, count(*) OVER ()::int AS all
  FROM restaurants WHERE catalogue_id <> 0 AND deleted_at IS NULL ORDER BY catalogue_id DESC LIMIT ${RESTAURANTS}`;

/** The codes at the POS of the newest sales of 7 days. The sizes decide before a payload is read: OFFSET 0 keeps that order. */
const SOLD = `WITH page AS MATERIALIZED (
    SELECT payload -> 'items' AS items FROM (
      SELECT payload, test_mode, sum(size) OVER (ORDER BY received_at DESC, transaction_key DESC) - size AS before FROM (
        SELECT transaction_key, received_at, test_mode, payload, pg_column_size(payload) AS size FROM terminal_events
        WHERE restaurant_id = $1::uuid AND received_at >= now() - interval '168 hours'
        ORDER BY received_at DESC, transaction_key DESC LIMIT ${SALES}) AS newest OFFSET 0) AS sized
    WHERE before < ${BYTES} AND NOT test_mode OFFSET 0
  ), item AS (
    SELECT CASE WHEN each ->> 'itemCode' ~ '\\S' THEN each ->> 'itemCode' ELSE '' END AS code,
           CASE WHEN jsonb_typeof(each -> 'price') = 'number' AND abs((each ->> 'price')::numeric) < 1e12 THEN round((each ->> 'price')::numeric * 100)::bigint END AS cents
    FROM page, LATERAL (
      SELECT jsonb_path_query(items, 'lax $[*]') UNION ALL SELECT jsonb_path_query(items, 'lax $[*].options[*]')) AS query(each)
    WHERE jsonb_typeof(each) = 'object' AND coalesce(jsonb_typeof(each -> 'itemCode'), 'null') IN ('string', 'number', 'null')
  ), sent AS (
    SELECT CASE WHEN item.code = '' THEN default_item_code ELSE coalesce(known.pos_code, item.code) END AS code, item.code = '' AS is_default, cents
    FROM item JOIN restaurants ON id = $1::uuid
    LEFT JOIN pos_codes known ON known.restaurant_id = id AND kind = 'ITEM' AND terminal_code = item.code
    WHERE length(item.code) <= 255
  ), product AS (
    SELECT code, count(*)::int AS sold, count(*) FILTER (WHERE cents > 0 AND NOT is_default) AS priced,
           mode() WITHIN GROUP (ORDER BY cents) FILTER (WHERE cents > 0 AND NOT is_default) AS usual
    FROM sent WHERE code IS NOT NULL GROUP BY code
  )
  SELECT product.code, sold, usual::float8, price_cents::float8 AS cents, found.code IS NULL AS "isMissing"
  FROM product LEFT JOIN catalogue_products found ON found.restaurant_id = $1::uuid AND found.code = product.code
  WHERE found.code IS NULL OR (priced >= ${USUAL} AND usual <> price_cents)
  ORDER BY sold DESC, product.code`;

/** What was sold in 7 days and the catalogue of the POS lacks, or has at another price (I19). None: no check. */
export async function catalogueCheck(database: Connection): Promise<Check[]> {
  const shops = await database.query<Shop>(SHOPS);
  let [missing, prices] = [0, 0];
  const details: string[] = [];
  for (const { id, label } of shops) {
    // a statement for each: the embedded database runs the sales between them
    const found = await database.query<Sold>(SOLD, [id]);
    const [lacks, differs] = [found.filter(({ isMissing }) => isMissing), found.filter(({ isMissing }) => !isMissing)];
    missing += lacks.length;
    prices += differs.length;
    const parts = [
      listed(
        `${count(lacks.length, 'code')} not in the catalogue`,
        lacks,
        ({ code, sold }) => `${code} (sold ${sold} ×)`,
      ),
      listed(
        count(differs.length, 'other price'),
        differs,
        ({ code, usual, cents }) => `${code} sold at ${amount(usual)}, catalogue ${amount(cents)}`,
      ),
    ];
    if (found.length > 0) details.push(`${label}: ${parts.filter((part) => part !== '').join('; ')}`);
  }
  if (details.length === 0) return [];
  const more = (shops[0]?.all ?? 0) - shops.length;
  if (more > 0) details.push(`${count(more, 'more restaurant')} with a catalogue: not looked at`);
  return [
    {
      name: NAME,
      ...warning(
        `sold in the last 7 days: ${count(missing, 'code')} that the catalogue of the POS lacks, ${count(prices, 'price')} other than its own`,
        {
          details,
          hint: 'upload the current catalogue, set what the POS calls the product, or correct the price at the terminal; docs/specification/integration-codes.md',
        },
      ),
    },
  ];
}

function listed(what: string, all: readonly Sold[], words: (sold: Sold) => string): string {
  if (all.length === 0) return '';
  const rest = all.length - PRODUCTS;
  const shown = [...all.slice(0, PRODUCTS).map(words), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return `${what}: ${shown.join(', ')}`;
}

function amount(cents: number | null): string {
  return ((cents ?? 0) / 100).toFixed(2);
}
