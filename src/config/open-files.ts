import { readFileSync } from 'node:fs';
import type { Config } from './config.js';

/** Client connections at once, where the limit on open files leaves room for them. */
const MOST_CONNECTIONS = 1_000;
/** The least number of client connections, whatever the relay needs itself. */
const FEWEST_CONNECTIONS = 100;
/** Loading the program opens some hundred modules at once: with fewer files it fails with errors that name modules. */
const LEAST_FILES = 512;
/** Modules, sockets, the console's files, the log; and the files of the embedded database's tables and indexes. */
const OWN_FILES = { server: 100, embedded: 300 };
/** Pools beside the first one, and connections of their own: reports, migrations. */
const FURTHER_DATABASE_CONNECTIONS = 4;
/** Calls to two POS deployments, each with a connection of its own. */
const DEPLOYMENTS = 2;

/** The process may open too few files to start. */
export class OpenFilesError extends Error {}

/** What the limit on open files allows (L21). */
export interface OpenFiles {
  /** the process's limit; infinite where it is not known */
  readonly limit: number;
  /** client connections at once */
  readonly connections: number;
  /** the limit with which nothing would be bounded by it */
  readonly wanted: number;
}

/**
 * Shares the process's limit on open files between clients and the relay itself, so that clients never take a connection to the
 * database or the POS from it (L21).
 * @throws OpenFilesError when the relay cannot even be loaded
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

/** What a person does about it. */
export function raise(wanted: number): string {
  return `raise the limit to ${wanted} or more (ulimit -n, LimitNOFILE= of systemd, --ulimit nofile= of Docker)`;
}

/** Node has raised the soft limit to the hard one by the time this is read. */
function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined || soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    // no Linux: the report takes a moment, and has it everywhere but on Windows, where there is no such limit
    const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
    const soft = Number(userLimits?.open_files?.soft);
    return Number.isFinite(soft) ? soft : Number.POSITIVE_INFINITY;
  }
}
