import type { Config } from '../config/config.js';
import { DISK_FULL } from './connection.js';
import { stateOf } from './errors.js';

/** ENOSPC in the file system of PGlite, whose errors have no message. */
const EMSCRIPTEN_ENOSPC = 51;

/** Whether it is the error of a full disk: of a statement, of a file, or of a file of PGlite. */
export function isDiskFull(error: unknown): boolean {
  const { name, errno, code } = error as NodeJS.ErrnoException;
  return stateOf(error) === DISK_FULL || code === 'ENOSPC' || (name === 'ErrnoError' && errno === EMSCRIPTEN_ENOSPC);
}

/** The disk of the embedded database is full (S44); in one line. */
export function noSpaceIn(dataDir: string): string {
  return `no space left in DATA_DIR (${dataDir}): free some, or set DATA_DIR to another disk`;
}

/** @returns the error with which a start on a full disk ends; undefined: it is another error, or the disk is that of a server */
export function noSpaceError(error: unknown, { databaseUrl, dataDir }: Config): Error | undefined {
  return databaseUrl === undefined && isDiskFull(error) ? new Error(noSpaceIn(dataDir)) : undefined;
}
