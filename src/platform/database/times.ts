import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter, SqlQuery, SqlQueryable } from '@prisma/driver-adapter-utils';
import type pg from 'pg';

type TypeParsers = Pick<pg.CustomTypesConfig, 'getTypeParser'>;

const TIMESTAMPTZ = 1184;
const TIMESTAMPTZ_ARRAY = 1185;
const TIME_WITH_ZONE = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?/g;

/**
 * Prisma's adapter for `pg`, with times that do not depend on the session's zone. The adapter itself sends a Date without a
 * zone, and cuts off the offset of a time that it reads. In a session that is not in UTC, both make times wrong by hours without an error.
 */
export class ZonedPrismaPg extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter: SqlDriverAdapter = sendingZones(await super.connect());
    const startTransaction = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel) => sendingZones(await startTransaction(isolationLevel));
    return adapter as Awaited<ReturnType<PrismaPg['connect']>>;
  }
}

function sendingZones<Queryable extends SqlQueryable>(queryable: Queryable): Queryable {
  const { queryRaw, executeRaw } = queryable;
  queryable.queryRaw = (query) => queryRaw.call(queryable, withZones(query));
  queryable.executeRaw = (query) => executeRaw.call(queryable, withZones(query));
  return queryable;
}

/** Replaces points in time by ISO 8601 texts with a zone; the adapter passes texts on unchanged. */
function withZones(query: SqlQuery): SqlQuery {
  const isTime = query.argTypes.map(
    ({ scalarType, dbType }) => scalarType === 'datetime' && !/^(DATE|TIME|TIMETZ)$/.test(dbType ?? ''),
  );
  if (!isTime.includes(true)) return query;
  return {
    sql: query.sql,
    args: query.args.map((arg, i) => (isTime[i] ? textOf(arg) : arg)),
    argTypes: query.argTypes.map((type, i) => (isTime[i] ? { ...type, scalarType: 'string' } : type)),
  };
}

function textOf(arg: unknown): unknown {
  if (Array.isArray(arg)) return arg.map(textOf);
  return arg instanceof Date || typeof arg === 'string' ? new Date(arg).toISOString() : arg;
}

/** Parsers that get every timestamptz in UTC, also in a session with another time zone. */
export function inUtc(types: TypeParsers): TypeParsers['getTypeParser'] {
  return ((oid: number, format: 'text' | 'binary') => {
    const parse = types.getTypeParser(oid, format as 'text') as (text: string) => unknown;
    if (format === 'binary' || (oid !== TIMESTAMPTZ && oid !== TIMESTAMPTZ_ARRAY)) return parse;
    return (text: string) => parse(text.replaceAll(TIME_WITH_ZONE, timeInUtc));
  }) as TypeParsers['getTypeParser'];
}

/** `2026-11-21 16:00:00.123456-03` -> `2026-11-21 19:00:00.123456+00`, keeping the digits below a millisecond. */
function timeInUtc(
  text: string,
  date: string,
  time: string,
  fraction = '',
  sign = '+',
  hours = '00',
  minutes = '00',
  seconds = '00',
): string {
  const offsetSeconds = Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
  const local = Date.parse(`${date}T${time}Z`);
  if (offsetSeconds === 0 || Number.isNaN(local)) return text;
  const utc = new Date(local - (sign === '-' ? -offsetSeconds : offsetSeconds) * 1_000).toISOString();
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}${fraction}+00`;
}
