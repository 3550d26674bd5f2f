import { gzipSync } from 'node:zlib';
import type { Page, Request } from 'playwright-core';
import { until } from '../../../support/until.js';
import { browserOf, describeInBrowser, holdBack, type Look, NEEDS_BROWSER } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'pt-BR' };
const KB = 1_024;
/** The frame of the page: nothing is drawn without it. */
const FRAME = '**/console/assets/index-*.js';
const SESSION = '**/console/session';

describeInBrowser(`the first load of the console, in a browser (N38)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  /** What a page has asked of the API since it was opened, without its stream: the paths below /console, as `:r/state` for one of the restaurant. */
  function askedBy(page: Page): string[] {
    const asked: string[] = [];
    page.on('request', (request: Request) => {
      if (request.isNavigationRequest()) asked.length = 0;
      const { pathname } = new URL(request.url());
      if (!/^\/console\/(api|session)/.test(pathname) || pathname.endsWith('/live')) return;
      asked.push(pathname.replace(/^\/console\/(api\/)?/, '').replace(/^restaurants\/[\w-]+\//, ':r/'));
    });
    return asked;
  }

  const TONIGHT = [
    'session',
    'users/me/restaurants',
    ':r/resend',
    ':r/alerts',
    ':r/state',
    ':r/statistics',
    ':r/orders',
  ];

  test.each([
    ['Tonight', (id: string) => `/r/${id}/tonight`],
    ['the start page of a user of one restaurant', () => '/'],
  ])('%s has asked for all that it shows before its frame has come, and asks for nothing twice', async (_, path) => {
    const window = await look(PHONE, evening.owner);
    const { page } = window;
    const asked = askedBy(page);
    const come = await holdBack(page, FRAME);
    const opened = window.goTo(path(evening.restaurantId));
    await until(() => TONIGHT.every((each) => asked.includes(each)));
    come();
    await opened;
    await page.locator('.order-list > li').first().waitFor();
    expect(page.url()).toContain('/tonight');
    expect(TONIGHT.map((each) => [each, asked.filter((one) => one === each).length])).toEqual(
      // the chart compares with another day
      TONIGHT.map((each) => [each, each === ':r/statistics' ? expect.any(Number) : 1]),
    );
  });

  test('another page has asked for session and restaurants', async () => {
    const window = await look(PHONE, evening.owner);
    const asked = askedBy(window.page);
    const come = await holdBack(window.page, FRAME);
    const opened = window.goTo(`/r/${evening.restaurantId}/takings`);
    await until(() => asked.length === 2);
    come();
    await opened;
    expect(asked.slice(0, 2)).toEqual(['session', 'users/me/restaurants']);
    expect(asked.filter((each) => !each.startsWith(':r/'))).toEqual(['session', 'users/me/restaurants']);
  });

  test('an answer that is older than L217 is requested again', async () => {
    const window = await look(PHONE, evening.owner);
    const { page } = window;
    await page.clock.install();
    const asked = askedBy(page);
    const come = await holdBack(page, FRAME);
    const opened = window.goTo(`/r/${evening.restaurantId}/tonight`);
    await until(() => asked.includes(':r/orders'));
    await page.clock.fastForward(21_000);
    come();
    await opened;
    await until(() => asked.filter((each) => each === ':r/state').length === 2);
    expect(asked.filter((each) => each === 'session').length).toBe(2);
  });

  test('without a session only the session is requested', async () => {
    const window = await look(PHONE);
    const asked = askedBy(window.page);
    await window.goTo(`/r/${evening.restaurantId}/tonight`);
    await window.page.locator('input[type="password"]').waitFor();
    expect(asked).toEqual(['session']);
  });

  test('a browser that was signed in requests the state beside the session; after a sign-out the session only', async () => {
    const window = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/takings`);
    const { page } = window;
    const asked = askedBy(page);
    // what a service worker requests cannot be held back
    await page.evaluate(`navigator.serviceWorker.ready.then((known) => known.unregister())`);
    const answer = await holdBack(page, SESSION);
    const opened = window.goTo(`/r/${evening.restaurantId}/tonight`);
    await until(() => [':r/state', ':r/statistics', ':r/orders'].every((each) => asked.includes(each)));
    const before = [...asked];
    answer();
    await opened;
    // whether the parts of capabilities exist is known from the session
    expect(before.toSorted()).toEqual([':r/orders', ':r/state', ':r/statistics', 'session', 'users/me/restaurants']);
    await page.locator('.order-list > li').first().waitFor();
    expect(asked.filter((each) => each === ':r/state')).toHaveLength(1);
    await page.unroute(SESSION);
    await page.locator('.account-button').click();
    await page.getByRole('button', { name: 'Sair' }).click();
    await page.locator('input[type="password"]').waitFor();
    await page.reload();
    await page.locator('input[type="password"]').waitFor();
    expect(asked).toEqual(['session']);
  });

  test('nothing is requested of a restaurant that is not the user’s', async () => {
    const window = await look(PHONE, evening.viewer);
    const asked = askedBy(window.page);
    await window.goTo('/r/00000000-0000-4000-8000-000000000000/tonight');
    expect(asked).toEqual(['session', 'users/me/restaurants', ':r/alerts']);
  });

  test('one font is loaded, once, and the page is drawn in it (N43)', async () => {
    const window = await look(PHONE);
    const fonts: string[] = [];
    window.page.on('response', async (response) => {
      if (response.request().resourceType() === 'font')
        fonts.push(`${response.status()} ${response.headers()['content-type']}`);
    });
    await window.goTo('/');
    await window.page.locator('input[type="password"]').waitFor();
    const drawn = () =>
      window.page.evaluate(
        `[...document.fonts].map(({ family, status, weight }) => family + ' ' + status + ' ' + weight)`,
      ) as Promise<string[]>;
    await until(async () => (await drawn())[0] === 'Geist loaded 400 600');
    expect([fonts, await drawn()]).toEqual([['200 font/woff2'], ['Geist loaded 400 600']]);
  });

  test('the first load with Tonight, compressed, is at most 120 KB (L218)', async () => {
    const window = await look({ width: 320, language: 'pt-BR' });
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
    expect(total).toBeLessThanOrEqual(120 * KB);
  });
});
