import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedDatabase } from '../../../src/platform/database/pglite/embedded.js';

test('an embedded database whose log was cut does not start, and says to restore a backup (S32)', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'relay-damaged-'));
  try {
    await (await EmbeddedDatabase.open(dataDir)).close();
    const wal = join(dataDir, 'postgres', 'pg_wal');
    for (const name of readdirSync(wal)) if (/^[0-9A-F]{24}$/.test(name)) truncateSync(join(wal, name), 0);
    await expect(EmbeddedDatabase.open(dataDir)).rejects.toThrow(/does not start: .*may be damaged.*restore a backup/);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
