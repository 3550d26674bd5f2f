import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { orderPlace } from '../../../console/src/api/order-place.js';
import { RESTAURANT } from '../../../tools/demo/evening.js';
import { describeInBrowser, type Look, NEEDS_BROWSER, openBrowser, Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

/** The narrowest and the widest; `walk.spec.ts` looks at what stands between them. */
const LOOKS: readonly Look[] = [
  { width: 320, language: 'pt-BR', colorScheme: 'dark' },
  { width: 1920, height: 1080, language: 'en-US' },
];
const KB = 1_024;

/** What somebody else may write, and no page may take for anything but text, or let out of its place. */
const HOSTILE = `<img src=x onerror=alert(1)> 'quoted' "twice" {{7*7}} \u202eturned\u202c ${'x'.repeat(150)}`;
/** No path can carry it, and no page may read anything in it. */
const HOSTILE_KEY = `<script>alert(1)</script>/../?a=b#c%00${'k'.repeat(100)}`;

/** The pages of the console, and who looks at each. */
const PAGES: readonly [name: string, who: 'owner' | 'viewer' | 'administrator', path: (id: string) => string][] = [
  ['tonight', 'owner', (id) => `/r/${id}/tonight`],
  ['an order', 'owner', (id) => orderPlace(id, HOSTILE_KEY)],
  ['takings', 'viewer', (id) => `/r/${id}/takings`],
  ['set-up', 'owner', (id) => `/r/${id}/setup`],
  ['audit', 'owner', (id) => `/r/${id}/audit`],
  ['account', 'viewer', () => '/account'],
  ['a restaurant of others', 'viewer', () => '/r/00000000-0000-4000-8000-000000000000/tonight'],
  ['an order that is not there', 'viewer', (id) => `/r/${id}/orders/NOWHERE`],
  ['an address that is not there', 'viewer', () => '/nowhere'],
  ['operators', 'administrator', () => '/operators'],
  ['audit of all', 'administrator', () => '/operators/audit'],
];

describeInBrowser(`the console in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let browser: Browser;
  const windows: Window[] = [];

  beforeAll(async () => {
    [evening, browser] = await Promise.all([openEvening(), openBrowser()]);
    const { scenario, restaurantId } = evening;
    await scenario.database.query('UPDATE restaurants SET name = $2 WHERE id = $1', [restaurantId, HOSTILE]);
    const sale = {
      transactionKey: HOSTILE_KEY,
      transactionNumber: HOSTILE.slice(0, 60),
      storeCode: RESTAURANT.codeStoreTerminal,
      items: [{ itemCode: HOSTILE.slice(0, 50), itemName: HOSTILE, quantity: 1, price: 5 }],
      payments: [{ tenderType: 1, amount: 5 }],
    };
    await scenario.settle(await scenario.relay.accept(sale), 'DLQ', HOSTILE);
  });
  afterEach(async () => {
    for (const window of windows.splice(0)) await window.close();
  });
  afterAll(async () => {
    await browser?.close();
    await evening?.scenario.close();
  });

  async function open(look: Look): Promise<Window> {
    const window = await Window.open(browser, evening.scenario.relay.url, look);
    windows.push(window);
    return window;
  }
  const sound = { wrong: [], barriers: [], overflow: 0 };
  /** @param status of an answer that the page is to be given */
  const looked = async (window: Window, status = 200) => ({
    wrong: window.wrong().filter((complaint) => !complaint.includes(`status of ${status}`)),
    barriers: await window.barriers(),
    overflow: await window.overflow(),
  });

  describe.each(LOOKS)('$width px, $language', (look) => {
    test('the sign-in: nobody is kept out by how it is made, nothing is asked of another machine', async () => {
      const window = await open(look);
      await window.goTo('/');
      expect(await looked(window)).toEqual(sound);
      expect(await window.page.getAttribute('html', 'lang')).toBe(look.language === 'pt-BR' ? 'pt-BR' : 'en');
    });

    describe('to those who have signed in, whatever a terminal, a POS or a restaurant calls itself', () => {
      const signedIn = new Map<string, Window>();
      afterAll(async () => {
        for (const window of signedIn.values()) await window.close();
      });

      test.each(PAGES)('%s, of the %s', async (name, who, path) => {
        const window = signedIn.get(who) ?? (await Window.open(browser, evening.scenario.relay.url, look));
        if (!signedIn.has(who)) await window.enter(evening[who]);
        signedIn.set(who, window);
        await window.goTo(path(evening.restaurantId));
        expect(await looked(window, name === 'an order that is not there' ? 404 : 200)).toEqual(sound);
        // what is a text has not become a part of the page
        expect(await window.page.locator('img, main script').count()).toBe(0);
      });
    });
  });

  test('a sign-in leads to the restaurant, the token is out of reach of scripts', async () => {
    const window = await open({ width: 1440, language: 'en-US' });
    await window.signIn(evening.owner);
    const { page } = window;
    await page.waitForURL(`**/console/r/${evening.restaurantId}/tonight`);
    expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(
      /eyJ/,
    );
    await page.reload();
    await window.settled();
    expect(page.url()).toContain('/tonight');
    expect(window.wrong()).toEqual([]);
  });

  test('the first load with Tonight, compressed, is at most 150 KB', async () => {
    const window = await open({ width: 320, language: 'pt-BR' });
    const sizes = new Map<string, Promise<number>>();
    window.page.on('response', (response) => {
      const url = response.url();
      if (!url.includes('/console/api/'))
        sizes.set(
          url,
          response.body().then((body) => gzipSync(body).length),
        );
    });
    await window.signIn(evening.owner);
    await window.page.locator('.chart canvas').waitFor();
    const loaded = await Promise.all([...sizes].map(async ([url, size]) => [await size, url] as const));
    const total = loaded.reduce((sum, [size]) => sum + size, 0);
    expect(total).toBeGreaterThan(50 * KB);
    expect(total).toBeLessThanOrEqual(150 * KB);
  });

  test.each([
    [429, 'Too many tries. Wait a minute, then try again.'],
    [503, 'The relay is up, but its database does not answer.'],
  ])('an answer %i says what to do, and a button asks again', async (status, text) => {
    const window = await open({ width: 1440, language: 'en-US' });
    const { page } = window;
    await window.signIn(evening.owner);
    const body = { statusCode: status, error: 'X', message: 'x', code: 'X', requestId: 'r' };
    let asked = 0;
    await page.route('**/console/api/restaurants/*/statistics**', (route) => {
      asked++;
      return route.fulfill({ status, json: body });
    });
    await page.getByRole('link', { name: 'Takings', exact: true }).click();
    await page.getByText(text).first().waitFor();
    expect(asked).toBeGreaterThan(0);
    await page.unroute('**/console/api/restaurants/*/statistics**');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.locator('.hero').waitFor();
    expect(await looked(window, status)).toEqual(sound);
  });
});
