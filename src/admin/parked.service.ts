import { Injectable } from '@nestjs/common';
import type { Subject } from '../domain/cause.js';
import { VENDOR_FOUNDERS } from '../outbox/conditions.sql.js';
import { PARKED } from '../outbox/parked.sql.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import type { CauseExampleView, CauseRestaurantView, CausesView, CauseView } from './operations.dto.js';
import { resetLine } from './reset-line.js';

/** The most causes that are counted: the first in alphabetical order. A POS may answer with a new text each time, so there may be more. */
const MAX_CAUSES = 500;
/** The most causes in the answer: those with the most jobs. */
const SHOWN = 50;
/** The most restaurants that are listed for a cause: those with the most jobs. */
const NAMED = 10;
const EXAMPLES = 3;

/**
 * The parked jobs of one restaurant with one cause. The fields from `causeParked` to `newest`, `causeKind` and `founders` are of all restaurants
 * with this cause.
 */
interface CauseInRestaurant extends CauseRestaurantView {
  readonly cause: string;
  readonly causeKind: string | null;
  readonly causeParked: number;
  readonly causeCancels: number;
  readonly causeRestaurants: number;
  readonly since: Date;
  readonly newest: Date;
  /** of the restaurants whose newest was parked within a day (O44) */
  readonly founders: number;
}

interface Example extends CauseExampleView {
  readonly cause: string;
  readonly subject: Subject | null;
}

/**
 * Groups parked jobs by cause, for platform administrators (R22). Jobs are counted by the index of the causes; rows are read only for
 * the examples.
 */
@Injectable()
export class ParkedService {
  constructor(private readonly prisma: PrismaService) {}

  async byCause(): Promise<CausesView> {
    const rows = await this.count();
    const causes = groupedBy(rows, ({ cause }) => cause);
    const shown = [...causes.values()].slice(0, SHOWN);
    const newest = await this.examplesOf(shown.flatMap((restaurants) => restaurants.slice(0, EXAMPLES)));
    const examples = groupedBy(newest, ({ cause }) => cause);
    return {
      data: shown.map((of) => this.view(of, examples.get(of[0]?.cause as string) ?? [])),
      meta: { causes: causes.size, more: causes.size > SHOWN },
    };
  }

  private view(restaurants: readonly CauseInRestaurant[], examples: readonly Example[]): CauseView {
    const {
      cause,
      causeKind: kind,
      causeParked,
      causeCancels,
      causeRestaurants,
      since,
      newest,
      founders,
    } = restaurants[0] as CauseInRestaurant;
    return {
      ...{ cause, kind, parked: causeParked, cancels: causeCancels, since, newest, restaurantCount: causeRestaurants },
      // of the newest: the same error is about the same thing
      subject: examples[0]?.subject ?? null,
      unmappable: kind === 'unmappable' || kind === 'refund',
      common: founders >= VENDOR_FOUNDERS,
      restaurants: restaurants.map(({ restaurantId, name, parked, today, dayBegan }) => ({
        ...{ restaurantId, name, parked, today, dayBegan },
      })),
      examples: pickOf(examples).map(({ cause: _, subject: __, ...example }) => example),
      psql: resetLine(this.prisma.psql, cause),
    };
  }

  /** Walks the index from each cause to the next (a loose index scan), and counts the jobs of each cause by the index. */
  private count(): Promise<CauseInRestaurant[]> {
    return this.prisma.reports.$queryRaw<CauseInRestaurant[]>`
      WITH RECURSIVE cause AS (
        (SELECT error_cause(last_error) AS cause FROM outbox_jobs WHERE ${PARKED}
         ORDER BY error_cause(last_error) LIMIT 1)
        UNION ALL
        SELECT next.cause FROM cause CROSS JOIN LATERAL (
          SELECT error_cause(last_error) AS cause FROM outbox_jobs
          WHERE ${PARKED} AND error_cause(last_error) > cause.cause
          ORDER BY error_cause(last_error) LIMIT 1) AS next
      ), counted AS (
        SELECT cause.cause, of_cause.*, restaurants.name, coalesce(founded_by, restaurants.id) AS party
        FROM (SELECT cause FROM cause LIMIT ${MAX_CAUSES}) AS cause
        CROSS JOIN LATERAL (
          SELECT restaurant_id, max(cause) AS kind, count(*) AS parked, count(*) FILTER (WHERE action = 'CANCEL') AS cancels,
                 min(updated_at) AS since, max(updated_at) AS newest
          FROM outbox_jobs WHERE ${PARKED} AND error_cause(last_error) = cause.cause
          GROUP BY restaurant_id) AS of_cause
        JOIN restaurants ON restaurants.id = of_cause.restaurant_id AND deleted_at IS NULL
      ), ranked AS (
        SELECT cause, restaurant_id::text AS "restaurantId", name, parked::int,
               (sum(parked) OVER of_cause)::int AS "causeParked", (sum(cancels) OVER of_cause)::int AS "causeCancels",
               (count(*) OVER of_cause)::int AS "causeRestaurants", max(kind) OVER of_cause AS "causeKind", min(since) OVER of_cause AS since,
               max(newest) OVER of_cause AS newest,
               row_number() OVER (PARTITION BY cause ORDER BY parked DESC, restaurant_id) AS place
        FROM counted WINDOW of_cause AS (PARTITION BY cause)
      )
      SELECT ranked.*, day.began AS "dayBegan", today.jobs AS today, of_cause.founders
      FROM ranked
      JOIN (
        SELECT cause, (count(DISTINCT party) FILTER (WHERE newest > now() - interval '24 hours'))::int AS founders FROM counted GROUP BY cause
      ) AS of_cause USING (cause)
      CROSS JOIN LATERAL (
        SELECT (business_day(now(), timezone, day_closes_at) + day_closes_at::time) AT TIME ZONE timezone AS began
        FROM restaurants WHERE id = ranked."restaurantId"::uuid OFFSET 0) AS day
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS jobs FROM outbox_jobs
        WHERE ${PARKED} AND error_cause(last_error) = ranked.cause AND restaurant_id = ranked."restaurantId"::uuid
          AND updated_at >= day.began) AS today
      WHERE place <= ${NAMED} ORDER BY "causeParked" DESC, cause, place`;
  }

  /** The newest parked jobs of each pair of cause and restaurant. */
  private examplesOf(places: readonly CauseInRestaurant[]): Promise<Example[]> {
    return this.prisma.reports.$queryRaw<Example[]>`
      SELECT place.cause, job.id::text AS "jobId", event_key AS "eventKey", action::text, place.restaurant::text AS "restaurantId",
             name AS "restaurantName", last_error AS "lastError", job.updated_at AS "parkedAt", job.subject
      FROM unnest(${places.map(({ cause }) => cause)}::text[], ${places.map(({ restaurantId }) => restaurantId)}::uuid[],
                  ${places.map(({ name }) => name)}::text[]) WITH ORDINALITY AS place(cause, restaurant, name, number)
      CROSS JOIN LATERAL (
        SELECT * FROM outbox_jobs
        WHERE ${PARKED} AND error_cause(last_error) = place.cause AND restaurant_id = place.restaurant
        ORDER BY updated_at DESC LIMIT ${EXAMPLES}) AS job
      ORDER BY place.number, job.updated_at DESC`;
  }
}

/** Picks the examples of a cause: one from each restaurant in turn, so that they come from different restaurants where possible. */
function pickOf(examples: readonly Example[]): Example[] {
  const byRestaurant = [...groupedBy(examples, ({ restaurantId }) => restaurantId).values()];
  const turns = Array.from({ length: EXAMPLES }, (_, turn) => byRestaurant.flatMap((of) => of[turn] ?? []));
  return turns.flat().slice(0, EXAMPLES);
}

/** Groups rows by key. The order of the groups is the order of their first rows. */
function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}
