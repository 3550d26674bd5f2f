/** The items of an order that may be named in a refusal, and the size of a payload that is looked through, in bytes as stored (L235). */
const CANDIDATES = 20;
const MOST_BYTES = 65_536;

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
      SELECT each ->> 'itemCode' AS code, each ->> 'itemName' AS name, coalesce((
        SELECT known.pos_code FROM pos_codes known
        WHERE known.restaurant_id = ${restaurantId} AND known.kind = 'ITEM' AND known.terminal_code = each ->> 'itemCode'), each ->> 'itemCode') AS pos_code
      FROM jsonb_path_query(CASE WHEN pg_column_size(${payload}) <= ${MOST_BYTES} THEN ${payload} -> 'items' END, 'lax $.** ? (exists (@.itemCode))') AS each
      WHERE jsonb_typeof(each) = 'object'
    ) AS item
    WHERE length(code) BETWEEN 1 AND 255 AND strpos(${error}, pos_code) > 0
    GROUP BY code, pos_code ORDER BY length(pos_code) DESC, code LIMIT ${CANDIDATES}) AS candidate)`;
