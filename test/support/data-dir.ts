import { cpSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';

/** A DATA_DIR with a migrated database in it, copied from the one made for all tests: making one takes seconds. */
export function makeDataDir(): string {
  const folder = process.env.RELAY_TEST_FOLDER as string;
  const dataDir = mkdtempSync(join(folder, 'd-'));
  cpSync(join(folder, 'template'), join(dataDir, 'postgres'), { recursive: true });
  return dataDir;
}
