/**
 * The items of an order that may be named in a refusal; the first items and options of a sale that are looked at; and the size of a payload that is
 * looked through, in bytes as stored (L235).
 */
const CANDIDATES = 20;
const MOST_PARTS = 1_000;
const MOST_BYTES = 65_536;

/** Items, their options, and options of options: a path for each level. `$.**` takes ten times as long, and payloads are stored compressed (I21). */
const LEVELS = ['lax $[*]', ...[1, 2, 3].map((depth) => `lax $[*]${'.options[*]'.repeat(depth)}`)];

/**
 * SQL: a subquery of the items of a sale and of the options within them, the items first, each as `part.each`. Options are followed three deep.
 * @param items SQL of the items of a payload; a column of the query around it, so that the payload is unpacked once
 */
export const partsOfSale = (items: string): string =>
  `(${LEVELS.map((path) => `SELECT jsonb_path_query(${items}, '${path}') AS each`).join(' UNION ALL ')}) AS part`;

/**
 * SQL: the items of a sale whose code at the POS stands somewhere in the error of its job, as a JSON list of `CodedItem`. `namesCode` of the domain
 * says whether it stands there as a word. The longest codes come first: short ones stand in many texts. The code at the POS is the restaurant's of
 * now, else the terminal's.
 * @param payload SQL of the stored payload
 * @param error SQL of `last_error`
 * @param restaurantId SQL of the restaurant's id
 */
export const itemsInError = (payload: string, error: string, restaurantId: string): string => `(
  SELECT coalesce(json_agg(json_build_object('code', code, 'name', name, 'posCode', pos_code)), '[]') FROM (
    SELECT code, max(left(name, 255)) AS name, pos_code FROM (
      SELECT code, name, coalesce((
        SELECT known.pos_code FROM pos_codes known
        WHERE known.restaurant_id = ${restaurantId} AND known.kind = 'ITEM' AND known.terminal_code = code), code) AS pos_code
      FROM (
        SELECT each ->> 'itemCode' AS code, each ->> 'itemName' AS name
        FROM (SELECT CASE WHEN pg_column_size(${payload}) <= ${MOST_BYTES} THEN ${payload} -> 'items' END AS items OFFSET 0) AS of_sale,
             LATERAL ${partsOfSale('items')}
        WHERE jsonb_typeof(each) = 'object' LIMIT ${MOST_PARTS}
      ) AS part
      WHERE length(code) BETWEEN 1 AND 255
    ) AS item
    WHERE strpos(${error}, pos_code) > 0
    GROUP BY code, pos_code ORDER BY length(pos_code) DESC, code LIMIT ${CANDIDATES}) AS candidate)`;
