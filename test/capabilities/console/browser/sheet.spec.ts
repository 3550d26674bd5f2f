import { rmSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { buildSheet, openSheet } from '../../../../tools/screenshots/sheet.js';
import { animatedWebp } from '../../../../tools/screenshots/webp.js';
import { barriersOf, CHROMIUM, describeInBrowser, NEEDS_BROWSER } from './browser.js';

const ZOOM = 2;

describeInBrowser(`the sheet of parts, in a browser${NEEDS_BROWSER}`, () => {
  let folder: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = await buildSheet();
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  });
  afterAll(async () => {
    await browser?.close();
    if (folder) rmSync(folder, { recursive: true });
  });

  async function open(width: number, colorScheme: 'light' | 'dark'): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme, reducedMotion: 'reduce' });
    await openSheet(page, folder);
    return page;
  }

  // 720 is a desk of 1,440 px at 200 %
  test.each([320, 390, 1_440 / ZOOM, 1_440].flatMap((width) => [[width, 'light'] as const, [width, 'dark'] as const]))(
    '%i px, %s: no part in any state has a barrier or is wider than the page',
    async (width, colorScheme) => {
      const page = await open(width, colorScheme);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await barriersOf(page)).toEqual([]);
      await page.close();
    },
  );

  test('a film of two pictures has both, as the browser reads it', async () => {
    const page = await open(320, 'light');
    const camera = await page.context().newCDPSession(page);
    const { data } = await camera.send('Page.captureScreenshot', { format: 'webp', quality: 50 });
    const still = Buffer.from(data, 'base64');
    const film = animatedWebp(
      [1_000, 2_000].map((ms) => ({ image: still, ms })),
      320,
      900,
    );
    expect(film.readUInt32LE(4)).toBe(film.length - 8);
    const size = await page.evaluate(
      `(async () => {
        const image = new Image();
        image.src = 'data:image/webp;base64,${film.toString('base64')}';
        await image.decode();
        return [image.naturalWidth, image.naturalHeight];
      })()`,
    );
    expect(size).toEqual([320, 900]);
    expect(film.toString('latin1').match(/ANMF/g)).toHaveLength(2);
    await page.close();
  });
});
