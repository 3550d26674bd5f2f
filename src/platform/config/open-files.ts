import { readFileSync } from 'node:fs';
import type { Config } from './config.js';

/** The most client connections, if the limit on open files allows them. */
const MOST_CONNECTIONS = 2_000;
/** At least this number of client connections is allowed, even when the relay itself may need their files. */
const FEWEST_CONNECTIONS = 100;
/** With fewer files the program cannot be loaded: loading opens some hundred modules at once. */
const LEAST_FILES = 512;
/**
 * Files that the relay itself opens: modules, sockets, files of the console, the log; with the embedded database also tables and
 * indexes.
 */
const OWN_FILES = { server: 100, embedded: 300 };
/** Database connections outside the main pool, for reports and migrations. */
const FURTHER_DATABASE_CONNECTIONS = 4;
/** The POS and the test POS: each has its own connections. */
const DEPLOYMENTS = 2;

/** The limit on open files is too low to start. */
export class OpenFilesError extends Error {}

/** The shares of the limit on open files (L21). */
export interface OpenFiles {
  /** the limit of the process; infinite when unknown */
  readonly limit: number;
  /** the most client connections */
  readonly connections: number;
  /** the limit that would allow MOST_CONNECTIONS client connections */
  readonly wanted: number;
}

/**
 * Divides the limit on open files between client connections and the relay's own files, so that clients cannot use up the files for
 * connections to the database and the POS (L21).
 * @throws OpenFilesError when the limit is too low to load the program
 */
export function shareOpenFiles(
  { databaseUrl, databasePoolSize, outbox }: Pick<Config, 'databaseUrl' | 'databasePoolSize' | 'outbox'>,
  limit = openFilesLimit(),
): OpenFiles {
  // both ends of a connection to the embedded database are in this process
  const ends = databaseUrl ? 1 : 2;
  const own =
    (databaseUrl ? OWN_FILES.server : OWN_FILES.embedded) +
    ends * (databasePoolSize + FURTHER_DATABASE_CONNECTIONS) +
    DEPLOYMENTS * outbox.batchSize;
  const wanted = own + MOST_CONNECTIONS;
  if (limit < LEAST_FILES)
    throw new OpenFilesError(
      `this process may open ${limit} files, fewer than the ${LEAST_FILES} it needs: ${raise(wanted)}`,
    );
  return { limit, wanted, connections: Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, limit - own)) };
}

/** The advice for an operator. */
export function raise(wanted: number): string {
  return `raise the limit to ${wanted} or more (ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of Docker)`;
}

/** The limit of this process. Node raises the soft limit to the hard limit at its start. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // not Linux: the diagnostic report is slower, and has the limit except on Windows; Windows has no limit
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
    const soft = Number(userLimits?.open_files?.soft);
    return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
  }
}
