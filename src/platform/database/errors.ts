import pg from 'pg';
import { NoAnswerError } from './connection.js';
import { DeadlineError } from './deadline.js';
import { Prisma } from './generated/client.js';

const { PrismaClientKnownRequestError, PrismaClientInitializationError } = Prisma;

/** The driver's error behind Prisma's. */
interface DriverCause {
  readonly kind?: string;
  /** SQLSTATE; Prisma's adapter gives it only for errors without a `kind` */
  readonly code?: string | undefined;
  /** SQLSTATE of any error, as Prisma's adapter gives it */
  readonly originalCode?: string | undefined;
  readonly severity?: string | undefined;
  readonly originalMessage?: string;
  readonly constraint?: { readonly index?: string; readonly fields?: readonly string[] };
}

function driverCause(error: unknown): DriverCause | undefined {
  // the error of a statement that did not go through Prisma
  if (error instanceof pg.DatabaseError)
    return { code: error.code, severity: error.severity, originalMessage: error.message };
  // the error of a BEGIN or a COMMIT, which Prisma passes on as it is
  if (error instanceof Error && error.name === 'DriverAdapterError') return error.cause as DriverCause | undefined;
  if (!(error instanceof PrismaClientKnownRequestError)) return undefined;
  return (error.meta as { driverAdapterError?: { cause?: DriverCause } } | undefined)?.driverAdapterError?.cause;
}

/** SQLSTATE of a driver's or Prisma's error. */
export function stateOf(error: unknown): string {
  const cause = driverCause(error);
  return String(cause?.originalCode ?? cause?.code ?? (error as { code?: unknown } | null | undefined)?.code ?? '');
}

/** Unique-constraint violation (P2002): which constraint or index refused the row. */
export function uniqueViolation(error: unknown): { readonly constraint: string } | undefined {
  if (!(error instanceof PrismaClientKnownRequestError) || error.code !== 'P2002') return undefined;
  const constraint = driverCause(error)?.constraint;
  return { constraint: constraint?.index ?? constraint?.fields?.join(', ') ?? 'unique' };
}

/** The record that an update or delete aimed at is missing (P2025). */
export function isMissingRecord(error: unknown): boolean {
  return error instanceof PrismaClientKnownRequestError && error.code === 'P2025';
}

/** Text that Postgres cannot hold: a NUL character. */
export function isUnstorableText(error: unknown): boolean {
  return driverCause(error)?.code === '22021';
}

const AWAY_KINDS = new Set([
  'DatabaseNotReachable',
  'DatabaseDoesNotExist',
  'ConnectionClosed',
  'SocketTimeout',
  'TooManyConnections',
]);
/**
 * Connection exceptions, insufficient resources, operator intervention, system errors; the statement's deadline on the server; an
 * idle transaction that was ended; a server that became read-only because another one is the primary now, or that does not read the
 * number of a transaction meanwhile (55000, "recovery is in progress"); a lock that was not granted in time, a serialization failure, a
 * deadlock.
 */
const AWAY_STATES = /^(08|53|57P|57014|58|25P03|25006|55000|55P03|40001|40P01)/;
/** A table that is missing, a privilege that is missing. */
const UNFIT_STATES = /^(42P01|42501)$/;
/** A transaction that did not start, or did not end, in time. */
const TRANSACTION_TIMED_OUT = 'P2028';
/** Messages of `pg` and Node about connections. */
const AWAY_MESSAGES =
  /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EMFILE|ENFILE|Connection terminated|timeout expired|timeout exceeded when trying to connect|connection error and is not queryable|Client was closed/;

/** A time zone that Postgres does not know. */
export function isUnknownTimeZone(error: unknown): boolean {
  const cause = driverCause(error);
  return cause?.code === '22023' && /^time zone .* not recognized/.test(cause.originalMessage ?? '');
}

/**
 * A table or a privilege is missing until somebody repairs it: this counts as an outage ({@link isDatabaseAway}), but it may be a bug,
 * so callers log it as an error.
 */
export function isDatabaseUnfit(error: unknown): boolean {
  return UNFIT_STATES.test(stateOf(error));
}

/**
 * An outage, after which a retry may succeed, and not a bug (H13): the database does not answer, is read-only, closed the connection,
 * refused the statement for a temporary reason, or is unfit ({@link isDatabaseUnfit}); or this process has no file descriptor left.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof NoAnswerError || error instanceof DeadlineError || isDatabaseUnfit(error)) return true;
  const cause = driverCause(error);
  if (AWAY_KINDS.has(cause?.kind ?? '') || cause?.severity === 'FATAL' || AWAY_STATES.test(stateOf(error))) return true;
  if (!(error instanceof Error)) return false;
  return (
    error instanceof PrismaClientInitializationError ||
    (error as { code?: unknown }).code === TRANSACTION_TIMED_OUT ||
    AWAY_MESSAGES.test(error.message)
  );
}

/** The server ended the statement because it took too long. It answers, so that other statements may succeed. */
export function isTooSlow(error: unknown): boolean {
  return stateOf(error) === '57014';
}

/** The error in one line, without Prisma's description of the call. */
export function reasonOf(error: unknown): string {
  const cause = driverCause(error);
  const text = cause?.originalMessage ?? cause?.kind ?? (error instanceof Error ? error.message : String(error));
  return text.trim().split('\n').at(-1) ?? 'unknown error';
}
