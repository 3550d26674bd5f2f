import { Prisma as PrismaErrors } from './generated/client.js';

const { PrismaClientKnownRequestError, PrismaClientInitializationError } = PrismaErrors;

/** What the driver adapter tells of the error behind a Prisma error. */
interface DriverCause {
  readonly kind?: string;
  /** SQLSTATE */
  readonly code?: string;
  readonly severity?: string;
  readonly originalMessage?: string;
  readonly constraint?: { readonly index?: string; readonly fields?: readonly string[] };
}

function driverCause(error: unknown): DriverCause | undefined {
  if (!(error instanceof PrismaClientKnownRequestError)) return undefined;
  return (error.meta as { driverAdapterError?: { cause?: DriverCause } } | undefined)?.driverAdapterError?.cause;
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
/** Connection exceptions, insufficient resources, operator intervention. */
const AWAY_STATES = /^(08|53|57P)/;
/** What `pg` says before a statement has reached the server. */
const AWAY_MESSAGES =
  /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|Connection terminated|timeout exceeded when trying to connect/;

/** The database does not answer, or dropped the connection: an outage, not a bug. */
export function isDatabaseAway(error: unknown): boolean {
  const cause = driverCause(error);
  if (cause && (AWAY_KINDS.has(cause.kind ?? '') || cause.severity === 'FATAL' || AWAY_STATES.test(cause.code ?? '')))
    return true;
  return (
    error instanceof PrismaClientInitializationError || (error instanceof Error && AWAY_MESSAGES.test(error.message))
  );
}

/** The error in one line, without Prisma's account of the call that met it. */
export function reasonOf(error: unknown): string {
  const cause = driverCause(error);
  const text = cause?.originalMessage ?? cause?.kind ?? (error instanceof Error ? error.message : String(error));
  return text.trim().split('\n').at(-1) ?? 'unknown error';
}
