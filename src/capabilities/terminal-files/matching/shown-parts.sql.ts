import type { FieldPath } from '../../../domain/hidden-fields.js';
import { Prisma } from '../../../platform/database/generated/client.js';

/** A path in one text. Names of paths have no quotes (L88), and quotes in names of a payload are escaped. */
const textOf = (path: FieldPath) => path.map((name) => `.${JSON.stringify(name)}`).join('');

/**
 * SQL: rows of a JSON, which are all of it but the fields at these paths (S22). Arrays on the way are passed through, as in withoutFields().
 * Only what is above a hidden field is taken apart: everything else stays in one piece.
 */
export function shownParts(json: Prisma.Sql, paths: readonly FieldPath[]): Prisma.Sql {
  if (paths.length === 0) return Prisma.sql`SELECT ${json}`;
  const hidden = paths.map(textOf);
  // the places above hidden fields, and the names of these places that lead to one
  const ways = new Map(
    paths.flatMap((path) =>
      path.map((name, i) => [textOf(path.slice(0, i + 1)), { at: textOf(path.slice(0, i)), name }] as const),
    ),
  );
  const [places, names] = [[...ways.values()].map(({ at }) => at), [...ways.values()].map(({ name }) => name)];
  return Prisma.sql`
    WITH RECURSIVE way AS (
      SELECT at, name, at || '.' || to_json(name) AS path FROM unnest(${places}::text[], ${names}::text[]) AS of_path(at, name)),
    place(value, at) AS (
      SELECT ${json}, ''
      UNION ALL
      SELECT inner_place.value, inner_place.at FROM place CROSS JOIN LATERAL (
        SELECT value, place.at FROM jsonb_array_elements(CASE jsonb_typeof(place.value) WHEN 'array' THEN place.value ELSE '[]' END)
        UNION ALL
        SELECT place.value -> name, path FROM way
        WHERE way.at = place.at AND jsonb_typeof(place.value) = 'object' AND place.value ? name AND path <> ALL (${hidden}::text[])
      ) AS inner_place)
    SELECT CASE jsonb_typeof(value)
      WHEN 'array' THEN '[]'
      WHEN 'object' THEN value - ARRAY(SELECT name FROM way WHERE way.at = place.at)
      ELSE value END FROM place`;
}
