import { Injectable } from '@nestjs/common';
import { hides } from '../../domain/hidden-fields.js';
import { type CodedItem, namedItems } from '../../domain/named-items.js';
import { itemsInError } from '../../outbox/named-items.sql.js';
import { PARKED } from '../../outbox/parked.sql.js';
import { Config } from '../../platform/config/config.js';
import { PacedPages, type Pacing } from '../../platform/database/paced-pages.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { MAX_PRODUCTS, type ProductState, type ProductsView, type ProductView } from './products.dto.js';

/** What is read at most: sales, the newest, and the time in which a piece may begin, in ms (L236). */
const MOST_SALES = 50_000;
const MOST_MS = 5_000;
/** What one statement reads: sales, and the bytes of their payloads as stored. */
const ON_SERVER = { sales: 2_000, bytes: 1_048_576, longMs: 200 };
const EMBEDDED = { sales: 250, bytes: 65_536, longMs: 40 };
const REST: Pacing['rest'] = { fromMs: 0, times: 2, mostMs: 100 };
/** The newest refused orders whose errors are read, and how they are read: in orders (I21). */
const REFUSALS = 100;
const REFUSALS_PACING: Pacing = {
  first: 4,
  most: REFUSALS,
  quickMs: 20,
  slowMs: 40,
  rest: { fromMs: 20, times: 4, mostMs: 500 },
};

/** What the list shows of options. */
const OF_OPTIONS = ['itemCode', 'itemName', 'price'].map((field) => ['items', 'options', field]);

type Sold = readonly [code: string, name: string | null, count: number, price: number | null, at: string];

interface Piece {
  readonly read: number;
  readonly isLast: boolean | null;
  /** of its oldest sale, as a text of Postgres */
  readonly at: string | null;
  readonly key: string | null;
  readonly products: readonly Sold[];
}

interface Refusal {
  readonly lastError: string;
  readonly items: readonly CodedItem[];
}

const TIME = `to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The next sales of 30 days, the newest first, and their products. $2 and $3: how many sales, and bytes; $4 and $5: where the piece before ended, or null; $6: with options. The
 * sizes decide before any payload is read: OFFSET 0 keeps that order.
 */
const PIECE = `WITH page AS MATERIALIZED (
    SELECT * FROM (
      SELECT *, sum(size) OVER newest - size AS before,
             count(*) OVER () < $2::int AND row_number() OVER newest = count(*) OVER () AS is_last
      FROM (
        SELECT transaction_key, received_at, test_mode, payload, pg_column_size(payload) AS size FROM terminal_events
        WHERE restaurant_id = $1::uuid AND received_at >= now() - interval '720 hours' AND received_at <= coalesce($4::timestamptz, 'infinity')
          AND ($4::timestamptz IS NULL OR (received_at, transaction_key) < ($4::timestamptz, $5::text))
        ORDER BY received_at DESC, transaction_key DESC LIMIT $2::int
      ) AS newest WINDOW newest AS (ORDER BY received_at DESC, transaction_key DESC)
    ) AS sized WHERE before < $3::int OFFSET 0
  ), item AS (
    SELECT CASE WHEN jsonb_typeof(each -> 'itemCode') IN ('string', 'number') AND each ->> 'itemCode' ~ '\\S' THEN each ->> 'itemCode' ELSE '' END AS code,
           each ->> 'itemName' AS name, CASE WHEN jsonb_typeof(each -> 'price') = 'number' THEN (each ->> 'price')::float8 END AS price, received_at
    FROM page, LATERAL (SELECT payload -> 'items' AS items OFFSET 0) AS of_sale, LATERAL (
      SELECT jsonb_path_query(items, 'lax $[*]') UNION ALL SELECT jsonb_path_query(items, 'lax $[*].options[*]') WHERE $6::boolean) AS query(each)
    WHERE NOT test_mode AND jsonb_typeof(each) = 'object'
  ), product AS (
    SELECT code, count(*)::int AS count, left((array_agg(name ORDER BY received_at DESC))[1], 255) AS name,
           (array_agg(price ORDER BY received_at DESC))[1] AS price, max(received_at) AS received_at
    FROM item WHERE length(code) <= 255 GROUP BY code ORDER BY 2 DESC LIMIT ${MAX_PRODUCTS}
  )
  SELECT count(*)::int AS read, bool_or(is_last) AS "isLast", min(received_at)::text AS at,
         (array_agg(transaction_key ORDER BY received_at, transaction_key))[1] AS key,
         (SELECT coalesce(json_agg(json_build_array(code, name, count, price, ${TIME})), '[]') FROM product) AS products
  FROM page`;

const REFUSED = `SELECT job.last_error AS "lastError", ${itemsInError('sale.payload', 'job.last_error', '$1::uuid')} AS items
  FROM (
    SELECT event_key, last_error FROM outbox_jobs
    WHERE restaurant_id = $1::uuid AND ${PARKED.sql} AND action = 'CREATE' AND cause = 'refused' AND subject = 'product' AND last_error IS NOT NULL
    ORDER BY updated_at DESC, id LIMIT $2::int OFFSET $3::int
  ) AS job, LATERAL (SELECT payload FROM terminal_events WHERE transaction_key = job.event_key AND restaurant_id = $1::uuid OFFSET 0) AS sale`;

const IN_CATALOGUE = `SELECT code, price_cents::float8 AS cents FROM catalogue_products WHERE restaurant_id = $1::uuid AND code = ANY ($2::text[])`;

/** Lists what a restaurant has sold in the last 30 days, and what the POS calls it (I10). */
@Injectable()
export class Products {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /**
   * Reads sales in pieces, the newest first, until L236. Between two pieces others have their turn at the connection.
   * @param seesAll whether the reader sees the fields of PAYLOAD_HIDE (S23)
   * @throws the database's error
   */
  async list(restaurantId: string, seesAll: boolean): Promise<ProductsView> {
    const withOptions =
      seesAll || !this.config.payloadHide.some((path) => OF_OPTIONS.some((field) => hides(path, field)));
    const { products, sales, from } = await this.sold(restaurantId, withOptions);
    const [restaurant, known, refusals] = await Promise.all([
      this.prisma.reports.restaurant.findUniqueOrThrow({
        where: { id: restaurantId },
        select: { defaultItemCode: true, catalogueId: true },
      }),
      this.prisma.reports.posCode.findMany({ where: { restaurantId, kind: 'ITEM' } }),
      this.refusals(restaurantId),
    ]);
    const codes = new Map(known.map((code) => [code.terminalCode, code]));
    const refused = new Set(namedItems(refusals, Number.POSITIVE_INFINITY).map(({ code }) => code));
    const data = [...products.values()].map(([code, name, count, lastPrice, lastSoldAt]): ProductView => {
      const pos = codes.get(code);
      const posCode = code === '' ? restaurant.defaultItemCode : (pos?.posCode ?? null);
      const state = stateOf(code, posCode, refused);
      return {
        terminalCode: code || null,
        name,
        count,
        lastPrice,
        lastSoldAt,
        posCode,
        posName: pos?.name ?? null,
        inCatalogue: null,
        cataloguePriceCents: null,
        state,
      };
    });
    const isRefused = ({ state }: ProductView) => Number(state === 'refused');
    const sorted = data.toSorted((a, b) => isRefused(b) - isRefused(a) || b.count - a.count);
    const shown = sorted.slice(0, MAX_PRODUCTS);
    if (restaurant.catalogueId !== 0) await this.addCatalogue(restaurantId, shown);
    return { data: shown, meta: { sales, from } };
  }

  /** Adds what the catalogue says of the products (I20). */
  private async addCatalogue(restaurantId: string, products: readonly ProductView[]): Promise<void> {
    const sent = ({ posCode, terminalCode }: ProductView) => posCode ?? terminalCode;
    const codes = products.map(sent).filter((code) => code !== null);
    const found = await this.prisma.report<{ code: string; cents: number | null }>(IN_CATALOGUE, [restaurantId, codes]);
    const prices = new Map(found.map(({ code, cents }) => [code, cents]));
    for (const product of products) {
      const code = sent(product);
      if (code === null) continue;
      product.inCatalogue = prices.has(code);
      product.cataloguePriceCents = prices.get(code) ?? null;
    }
  }

  /** What the POS said of the newest orders that it refused for a product, and the items that it may have named. */
  private async refusals(restaurantId: string): Promise<Refusal[]> {
    const pages = new PacedPages(this.prisma, REFUSALS_PACING);
    const endsAt = performance.now() + MOST_MS;
    const found: Refusal[] = [];
    while (found.length < REFUSALS && performance.now() < endsAt) {
      let wanted = 0;
      const piece = await pages.read((size) => {
        wanted = Math.min(size, REFUSALS - found.length);
        return this.prisma.report<Refusal>(REFUSED, [restaurantId, wanted, found.length]);
      });
      found.push(...piece);
      if (piece.length < wanted) break;
    }
    return found;
  }

  private async sold(restaurantId: string, withOptions: boolean) {
    const { sales: most, bytes, longMs } = this.prisma.embeddedStatements === undefined ? ON_SERVER : EMBEDDED;
    const pages = new PacedPages(this.prisma, {
      first: bytes / 8,
      most: bytes,
      quickMs: longMs,
      slowMs: longMs,
      rest: REST,
    });
    const products = new Map<string, Sold>();
    const endsAt = performance.now() + MOST_MS;
    let sales = 0;
    let last: Piece | undefined;
    while (sales < MOST_SALES && performance.now() < endsAt) {
      const after = [last?.at ?? null, last?.key ?? null];
      const read = (size: number) =>
        this.prisma.report<Piece>(PIECE, [restaurantId, most, size, ...after, withOptions]);
      const [piece]: Piece[] = await pages.read(read);
      for (const sold of piece?.products ?? []) add(products, sold);
      sales += piece?.read ?? 0;
      if (!piece?.at || piece.isLast) return { products, sales, from: null };
      last = piece;
    }
    return { products, sales, from: last?.at ? new Date(last.at).toISOString() : null };
  }
}

/** Pieces come the newest first: the first one has the last name and price. */
function add(products: Map<string, Sold>, sold: Sold): void {
  const [code, , count] = sold;
  const known = products.get(code);
  if (known) products.set(code, [code, known[1], known[2] + count, known[3], known[4]]);
  else if (products.size < MAX_PRODUCTS) products.set(code, sold);
}

function stateOf(code: string, posCode: string | null, refused: ReadonlySet<string>): ProductState {
  if (refused.has(code)) return 'refused';
  if (posCode === null) return 'unmapped';
  return code === '' ? 'default' : 'mapped';
}
