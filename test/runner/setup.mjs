// Jest's global setup of the suites that need a database.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import './typescript.mjs';

export default async function setup() {
  execFileSync(process.execPath, ['tools/build.mjs', 'client'], { stdio: 'inherit' });
  const folder = mkdtempSync(join(tmpdir(), 'relay-test-'));
  process.env.RELAY_TEST_FOLDER = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const server = process.env.TEST_DATABASE_URL;
  if (!server) return;
  const { makeTemplate } = await import('./template.ts');
  process.env.RELAY_TEST_TEMPLATE = await makeTemplate(server);
}
