import { Prisma as PrismaErrors } from './generated/client.js';

/** Unique-constraint violation (P2002): which constraint or index refused the row. */
export function uniqueViolation(error: unknown): { readonly constraint: string } | undefined {
  if (!(error instanceof PrismaErrors.PrismaClientKnownRequestError) || error.code !== 'P2002') return undefined;
  const meta = error.meta as {
    driverAdapterError?: { cause?: { constraint?: { index?: string; fields?: string[] } } };
  };
  const constraint = meta?.driverAdapterError?.cause?.constraint;
  return { constraint: constraint?.index ?? constraint?.fields?.join(', ') ?? 'unique' };
}

/** The record that an update or delete aimed at is missing (P2025). */
export function isMissingRecord(error: unknown): boolean {
  return error instanceof PrismaErrors.PrismaClientKnownRequestError && error.code === 'P2025';
}

const CONNECTION_CODES = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2037']);
const CONNECTION_ERRORS =
  /ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|ETIMEDOUT|Connection terminated|timeout exceeded when trying to connect|terminating connection|shutting down|starting up|Can't reach database/i;

/** The database does not answer, or dropped the connection: an outage, not a bug. */
export function isDatabaseAway(error: unknown): boolean {
  if (error instanceof PrismaErrors.PrismaClientInitializationError) return true;
  if (error instanceof PrismaErrors.PrismaClientKnownRequestError && CONNECTION_CODES.has(error.code)) return true;
  return error instanceof Error && /prisma|pg/i.test(error.stack ?? '') && CONNECTION_ERRORS.test(error.message);
}
