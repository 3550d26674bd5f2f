import { WHAT_WAITS } from '../../outbox/conditions.sql.js';
import type { OutboxConfig } from '../../platform/config/config.js';
import { bad, type Check, count, warning } from './check.js';
import type { Connection } from './connection.js';

const NAME = 'POS that accepts nothing';
/** The most answers, and the most restaurants that one of them names. */
const ANSWERS = 20;
const NAMED = 5;

interface Group {
  readonly answer: string;
  readonly restaurants: number;
  readonly orders: number;
  readonly since: string;
  /** whether it has lasted for longer than orders may wait */
  readonly lasts: boolean;
  readonly names: readonly string[];
  readonly [column: string]: unknown;
}

/**
 * The restaurants whose POS accepts nothing, by what it answers (R14, G50): many with one answer are an outage of the vendor. It is a warning until it has
 * lasted for ALARM_LATE_MS: a moment of a POS stops no procedure that ends with the doctor. None: no check.
 */
export async function refusingCheck(
  database: Connection,
  { pace, refusingAlarmMs, lateAlarmMs }: OutboxConfig,
): Promise<Check[]> {
  const groups = await database.query<Group>(
    `WITH turn AS (SELECT true AS mine), place AS MATERIALIZED (SELECT id FROM restaurants WHERE deleted_at IS NULL),
     ${WHAT_WAITS}
     SELECT mode() WITHIN GROUP (ORDER BY answer) AS answer, count(*)::int AS restaurants, sum(count)::int AS orders,
            to_char(min(since) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI "UTC"') AS since,
            bool_or(since < now() - $3::int * interval '1 millisecond') AS lasts, (array_agg(name ORDER BY name))[1:${NAMED}] AS names
     FROM refusing JOIN restaurants ON id = restaurant_id GROUP BY cause, short ORDER BY 2 DESC, 1 LIMIT ${ANSWERS}`,
    [pace === 'tick', refusingAlarmMs, lateAlarmMs],
  );
  if (groups.length === 0) return [];
  const places = (number: number) => count(number, 'restaurant');
  const sum = groups.reduce((all, { restaurants }) => all + restaurants, 0);
  return [
    {
      name: NAME,
      ...(groups.some(({ lasts }) => lasts) ? bad : warning)(`${places(sum)}: every attempt fails, and orders wait`, {
        details: groups.map(({ answer, restaurants, orders, since, names }) => {
          const more = restaurants > names.length ? ', …' : '';
          return `${answer}: ${places(restaurants)}, ${count(orders, 'order')}, since ${since} (${names.join(', ')}${more})`;
        }),
        hint: 'many restaurants with one answer: call the vendor; a refused sign-in: partner id and secret of the restaurant. The orders are sent when it is mended',
      }),
    },
  ];
}
