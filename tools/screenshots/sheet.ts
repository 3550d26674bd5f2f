import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

/** The sheet of parts: every part of the console in every state, on a page that no relay serves. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** An address that leads nowhere: the browser gets the files from the folder. */
const ADDRESS = 'http://sheet.invalid';

/** Builds the sheet. @returns its folder, to be removed */
export async function buildSheet(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-sheet-'));
  const require = createRequire(join(ROOT, 'console/package.json'));
  const vite = join(dirname(require.resolve('vite/package.json')), 'bin/vite.js');
  const args = [vite, 'build', 'console', '--mode', 'sheet', '--outDir', folder, '--logLevel', 'warn'];
  const env = { ...process.env, NODE_ENV: 'production' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code === 0) return folder;
  rmSync(folder, { recursive: true });
  throw new Error('the sheet of parts was not built');
}

/** Shows the sheet in a page. @param folder see {@link buildSheet} */
export async function openSheet(page: Page, folder: string): Promise<void> {
  await page.route(`${ADDRESS}/**`, (route) => {
    const { pathname } = new URL(route.request().url());
    // the preload of the font has the address that it has in the console
    return route.fulfill({ path: join(folder, pathname.replace('/console/', '/')) });
  });
  await page.goto(`${ADDRESS}/sheet/index.html`);
  await page.locator('.qr').waitFor();
  await page.locator('canvas').last().waitFor();
}
