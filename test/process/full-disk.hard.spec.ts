import fs, { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { EmbeddedDatabase } from '../../src/platform/database/pglite/embedded.js';
import { patienceOf } from '../../src/platform/database/start.js';
import { Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';

const lineOf = (dataDir: string) =>
  `no space left in DATA_DIR (${dataDir}): free some, or set DATA_DIR to another disk`;

describe('a start on a full disk (S44)', () => {
  test('a new embedded database: one line names DATA_DIR and says what to do (S44)', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'full-disk-'));
    const { writeSync } = fs;
    fs.writeSync = () => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    try {
      await expect(EmbeddedDatabase.open(dataDir)).rejects.toThrow(lineOf(dataDir));
    } finally {
      fs.writeSync = writeSync;
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  test('the first write: exit code 1 and the same line (S44)', async () => {
    const scenario = await Scenario.inDataDir();
    const first = await scenario.start();
    await scenario.database.query(`CREATE FUNCTION no_space() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
    await scenario.database.query(
      'CREATE TRIGGER no_space BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION no_space()',
    );
    await first.close();
    const relay = scenario.spawn({ ADMIN_EMAIL: 'a@example.com', ADMIN_PASSWORD: marked('administrator') });
    expect(await relay.ended()).toBe(1);
    expect(relay.text).toBe(`The relay cannot start: ${lineOf(scenario.dataDir)}\n`);
    await scenario.close();
  });

  test('it is not waited for, as an outage of a server is (S44)', async () => {
    const full = Object.assign(new pg.DatabaseError('could not extend file', 0, 'error'), { code: '53100' });
    const lines: unknown[] = [];
    const log = { warn: (line: unknown) => lines.push(line) } as never;
    await expect(patienceOf(60_000, log, true)(() => Promise.reject(full))).rejects.toBe(full);
    expect(lines).toEqual([]);
  });
});
