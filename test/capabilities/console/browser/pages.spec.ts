import { orderPlace } from '../../../../console/src/api/order-place.js';
import { SETUP_TOPICS } from '../../../../console/src/api/setup-place.js';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

/** The narrowest and the widest; `walk.spec.ts` looks at what stands between them. */
const LOOKS: readonly Look[] = [
  { width: 320, language: 'pt-BR', colorScheme: 'dark' },
  { width: 1920, height: 1080, language: 'en-US' },
];

/** What somebody else may write, and no page may take for anything but text, or let out of its place. */
const HOSTILE = `<img src=x onerror=alert(1)> 'quoted' "twice" {{7*7}} \u202eturned\u202c ${'x'.repeat(150)}`;
/** No path can carry it, and no page may read anything in it. */
const HOSTILE_KEY = `<script>alert(1)</script>/../?a=b#c%00${'k'.repeat(100)}`;

const SETUP = ['', ...SETUP_TOPICS.map((topic) => `/${topic}`)];

/** The paths that each user looks at. */
const PAGES = {
  owner: (id: string) => [
    `/r/${id}/tonight`,
    orderPlace(id, HOSTILE_KEY),
    ...SETUP.map((topic) => `/r/${id}/setup${topic}`),
    `/r/${id}/products`,
    `/r/${id}/audit`,
  ],
  viewer: (id: string) => [
    ...[`/r/${id}/takings`, '/account', '/r/00000000-0000-4000-8000-000000000000/tonight'],
    ...[`/r/${id}/orders/NOWHERE`, '/nowhere'],
  ],
  administrator: () => ['/operators', '/operators/audit'],
};

describeInBrowser(`the console in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;

  beforeAll(async () => {
    evening = await openEvening();
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
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  describe.each(LOOKS)('$width px, $language', (how) => {
    test('the sign-in has no barrier, and asks nothing of another machine', async () => {
      const window = await look(how, undefined, '/');
      expect(await window.sound()).toEqual(SOUND);
      expect(await window.page.getAttribute('html', 'lang')).toBe(how.language === 'pt-BR' ? 'pt-BR' : 'en');
    });

    test.each(['owner', 'viewer', 'administrator'] as const)(
      'all pages of the %s, whatever a terminal, a POS or a restaurant calls itself',
      async (who) => {
        const window = await look(how, evening[who]);
        for (const path of PAGES[who](evening.restaurantId)) {
          await window.goTo(path);
          expect([path, await window.sound(path.endsWith('/NOWHERE') ? 404 : undefined)]).toEqual([path, SOUND]);
          // a text has not become a part of the page
          expect(await window.page.locator('img, main script').count()).toBe(0);
        }
      },
    );
  });

  test('a sign-in leads to the restaurant, the token is out of reach of scripts', async () => {
    const window = await look({ width: 1440, language: 'en-US' });
    await window.signIn(evening.owner);
    const { page } = window;
    await page.waitForURL(`**/console/r/${evening.restaurantId}/tonight`);
    expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(
      /eyJ/,
    );
    await page.reload();
    await window.settled();
    expect(page.url()).toContain('/tonight');
  });

  test.each([
    [429, 'Too many tries. Wait a minute, then try again.'],
    [503, 'The relay is up, but its database does not answer.'],
  ])('an answer %i says what to do, and a button asks again', async (status, text) => {
    const window = await look({ width: 1440, language: 'en-US' });
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
    expect(await window.sound(status)).toEqual(SOUND);
  });
});
