import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvFile } from '../../../src/platform/config/env-file.js';

describe('the file of variables (S1)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'env-file-'));
  const path = join(folder, '.env');
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each([
    ['as editors of Linux write it', '', '\n'],
    ['with a byte order mark first, as editors of Windows write it', '\uFEFF', '\r\n'],
  ])('%s: each variable has its name; one that is set stays', (_, mark, end) => {
    writeFileSync(path, `${mark}${['PORT=3001', '# a comment', 'HOST="::1"', 'POS_URL=http://file'].join(end)}${end}`);
    const environment: NodeJS.ProcessEnv = { POS_URL: 'http://set' };
    loadEnvFile(path, environment);
    expect(environment).toEqual({ PORT: '3001', HOST: '::1', POS_URL: 'http://set' });
  });

  test('no file adds nothing', () => {
    const environment = {};
    loadEnvFile(join(folder, 'none'), environment);
    expect(environment).toEqual({});
  });
});
