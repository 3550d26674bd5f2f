import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** An empty folder that goes with the tests. */
export function makeFolder(): string {
  return mkdtempSync(join(process.env.RELAY_TEST_FOLDER as string, 'd-'));
}

/** Makes `dataDir` one with a migrated database in it, copied from the one made for all tests: making one takes seconds. */
export function makeDataDir(dataDir = makeFolder()): string {
  mkdirSync(dataDir, { recursive: true });
  cpSync(join(process.env.RELAY_TEST_FOLDER as string, 'template'), join(dataDir, 'postgres'), { recursive: true });
  return dataDir;
}
