import { Injectable } from '@nestjs/common';
import { BACKLOG_MINUTES, REFUSED_AGAIN, WHAT_WAITS } from '../outbox/conditions.sql.js';
import { WAITS_SINCE } from '../outbox/waits-since.sql.js';
import { conditionOf } from '../platform/conditions/condition.js';
import { WAITING, waitingHelp } from '../platform/conditions/waiting.js';
import { Config } from '../platform/config/config.js';
import { PrismaService } from '../platform/database/prisma.service.js';
import type { Language } from '../platform/http/fields/languages.js';
import { AFFECTED, type AffectedView, INCIDENT_KINDS, type IncidentKind, type IncidentView } from './incidents.dto.js';

/** The most waiting orders of a restaurant that are counted. */
const COUNTED = 1_000;
/** The most founders with refused keys, and incidents, in an answer. */
const MOST_FOUNDERS = 100;
const MOST = 500;

/** An incident without what helps. */
type Said = Omit<IncidentView, 'help' | 'title'> & { readonly name?: string | null };
/** Times are texts of JSON. */
type Affected = Omit<AffectedView, 'since'> & { readonly since: string };
interface Refusing extends Affected {
  readonly kind: IncidentKind;
  readonly cause: string | null;
  readonly short: string;
  readonly answer: string;
  readonly oldest: string | null;
  /** when the number of restaurants with this answer reached L200; null: it has not */
  readonly vendorSince: string | null;
}
interface Row {
  readonly refusing: readonly Refusing[];
  readonly backlog: { readonly orders: number; readonly since: string; readonly minutes: number | null } | null;
  readonly due: readonly Affected[];
  readonly databaseMs: number | null;
  /** the last process that delivered, while none does */
  readonly stopped: { readonly name: string | null; readonly since: string | null } | null;
  /** of a founder, or of the platform */
  readonly keys: readonly (Pick<NonNullable<IncidentView['key']>, 'keys' | 'count'> & {
    readonly newest: Omit<NonNullable<IncidentView['key']>, 'keys' | 'count'>;
    readonly places: readonly Pick<AffectedView, 'restaurantId' | 'name'>[];
    readonly since: string;
  })[];
}

/** One statement, with the expressions of the alerts (G50 to G54). */
const READ = `
WITH turn AS (SELECT true AS mine),
place AS MATERIALIZED (SELECT id FROM restaurants WHERE deleted_at IS NULL),
${WHAT_WAITS}
SELECT
  (SELECT coalesce(json_agg(found), '[]') FROM (
     SELECT CASE WHEN cause = 'sign_in' THEN 'SIGN_IN' WHEN vendor.short IS NOT NULL THEN 'VENDOR_DOWN' ELSE 'POS_REFUSES' END AS kind,
            cause, short, refusing.answer, vendor.since AS "vendorSince", restaurant_id AS "restaurantId", restaurants.name, refusing.since,
            waits.orders, waits.oldest, waits.id AS "jobId"
     FROM refusing LEFT JOIN vendor USING (cause, short) JOIN restaurants ON restaurants.id = restaurant_id
     CROSS JOIN LATERAL (
       SELECT count(*)::int AS orders, min(created_at) AS oldest, (array_agg(id ORDER BY created_at))[1] AS id FROM (
         SELECT id, ${WAITS_SINCE} AS created_at FROM outbox_jobs
         WHERE outbox_jobs.restaurant_id = refusing.restaurant_id AND status IN ('PENDING', 'FAILED') AND action = 'CREATE'
         ORDER BY next_run_at LIMIT ${COUNTED}) AS job) AS waits) AS found) AS refusing,
  (SELECT json_build_object('orders', orders, 'since', since, 'minutes', ${BACKLOG_MINUTES}) FROM backlog) AS backlog,
  (SELECT coalesce(json_agg(found), '[]') FROM (
     SELECT restaurant_id AS "restaurantId", name, count(*)::int AS orders, min(next_run_at) AS since, NULL AS "jobId"
     FROM due JOIN restaurants ON id = restaurant_id WHERE EXISTS (SELECT FROM backlog) GROUP BY 1, 2) AS found) AS due,
  (SELECT max(database_ms) FROM slow) AS "databaseMs",
  (SELECT json_build_object('name', left(id, 400), 'since', last_seen_at) FROM stopped) AS stopped,
  (SELECT coalesce(json_agg(found), '[]') FROM (
     SELECT (array_agg(jsonb_build_object('keyId', key_id, 'name', key.name, 'reason', refused_reason) ORDER BY refused_at DESC, key.id))[1] AS newest,
            count(*)::int AS keys, least(sum(refused_count), 1000000)::int AS count, min(refused_since) AS since,
            coalesce(jsonb_agg(DISTINCT jsonb_build_object('restaurantId', restaurant_id, 'name', restaurants.name))
                     FILTER (WHERE restaurants.id IS NOT NULL), '[]') AS places
     FROM sender_keys key LEFT JOIN restaurants ON restaurants.id = restaurant_id
     WHERE ${REFUSED_AGAIN} GROUP BY coalesce(founded_by, restaurants.id) ORDER BY max(refused_at) DESC LIMIT ${MOST_FOUNDERS}) AS found) AS keys`;

/** What needs the operator, grouped over all restaurants, for platform administrators (R60). */
@Injectable()
export class IncidentsService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly config: Config,
  ) {}

  /** @param language of what helps */
  async list(language: Language): Promise<IncidentView[]> {
    const { pace, refusingAlarmMs } = this.config.outbox;
    const [row] = await this.prisma.report<Row>(READ, [pace === 'tick', refusingAlarmMs]);
    if (!row) return [];
    const { refusing, backlog, due, databaseMs, stopped, keys } = row;
    const groups = new Map<string, Refusing[]>();
    for (const one of refusing) {
      const group = `${one.kind} ${one.cause} ${one.kind === 'SIGN_IN' ? '' : one.short}`;
      groups.set(group, [...(groups.get(group) ?? []), one]);
    }
    const found: Said[] = [
      ...(stopped ? [stoppedIncident(stopped)] : []),
      ...[...groups.values()].map(refusingIncident),
      ...(backlog ? [backlogIncident(backlog, due)] : []),
      ...(databaseMs === null ? [] : [{ ...NOTHING, kind: 'DATABASE_SLOW' as const, databaseMs }]),
      ...keys.map(keyIncident),
    ];
    return found
      .toSorted((a, b) => placeOf(a) - placeOf(b) || b.restaurants - a.restaurants)
      .slice(0, MOST)
      .map(({ name, ...incident }) => ({
        ...incident,
        title: incident.kind === 'NOTHING_SENT' ? titleOf(incident.kind, language) : null,
        help: helpOf({ ...incident, name }, language, databaseMs),
      }));
  }
}

/** What an incident does not have. */
const NOTHING = {
  ...{ answer: null, cause: null, restaurants: 0, orders: 0, since: null, oldest: null, minutes: null },
  ...{ databaseMs: null, key: null, affected: [], more: 0 },
} satisfies Omit<Said, 'kind'>;

/** What helps, from the words of the messages; null where this process has no messages about it. @param ms of a slow database; null: it is not slow */
function helpOf(said: Said, language: Language, ms: number | null): string | null {
  const { kind, answer, cause, orders, minutes, key, name } = said;
  const details = {
    answer: answer ?? '',
    orders,
    minutes,
    ms,
    ...(name && { name }),
    ...(key && { reason: key.reason, keys: key.keys }),
  };
  if (kind === 'POS_REFUSES') return waitingHelp(WAITING[language], cause, orders, true);
  return conditionOf(kind)?.words(details)[language].help ?? null;
}

const titleOf = (kind: IncidentKind, language: Language) =>
  conditionOf(kind)?.words({})[language].title(1, '', '') ?? null;

function stoppedIncident({ name, since }: NonNullable<Row['stopped']>): Said {
  return { ...NOTHING, kind: 'NOTHING_SENT', name, since: since === null ? null : new Date(since) };
}

function refusingIncident(group: readonly Refusing[]): Said {
  const [{ kind, cause, vendorSince }] = group as [Refusing];
  const oldest = earliest(group.flatMap((one) => one.oldest ?? []));
  return {
    ...{
      ...NOTHING,
      kind,
      cause,
      answer: mostFrequent(group.map(({ answer }) => answer)),
      ...affectedBy(group),
      oldest,
    },
    ...(vendorSince !== null && { since: new Date(vendorSince) }),
  };
}

function backlogIncident({ orders, since, minutes }: NonNullable<Row['backlog']>, due: readonly Affected[]): Said {
  const oldest = new Date(since);
  return { ...NOTHING, kind: 'BACKLOG', ...affectedBy(due), orders, since: oldest, oldest, minutes };
}

function keyIncident({ newest, keys, count, places, since }: Row['keys'][number]): Said {
  const affected = affectedBy(places.map((place) => ({ ...place, orders: 0, since, jobId: null })));
  return { ...NOTHING, kind: 'SENDER_REFUSED', ...affected, since: new Date(since), key: { ...newest, keys, count } };
}

function affectedBy(found: readonly Affected[]) {
  const affected = found
    .toSorted((a, b) => b.orders - a.orders || a.name.localeCompare(b.name))
    .slice(0, AFFECTED)
    .map(({ restaurantId, name, orders, since, jobId }) => ({
      restaurantId,
      name,
      orders,
      since: new Date(since),
      jobId,
    }));
  return {
    restaurants: found.length,
    orders: found.reduce((sum, { orders }) => sum + orders, 0),
    since: earliest(found.map(({ since }) => since)),
    affected,
    more: found.length - affected.length,
  };
}

/** @param times texts of JSON */
function earliest(times: readonly string[]): Date | null {
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => Date.parse(time))));
}

function mostFrequent(texts: readonly string[]): string | null {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

const placeOf = ({ kind }: Said) => INCIDENT_KINDS.indexOf(kind);
