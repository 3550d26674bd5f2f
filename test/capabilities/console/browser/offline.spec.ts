import type { TestRelay } from '../../../support/relay.js';
import { browserOf, builtConsole, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };

describeInBrowser(`the console without a connection, in a browser (N35)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let relay: TestRelay;
  beforeAll(async () => {
    evening = await openEvening();
  });
  beforeEach(async () => {
    relay = await evening.scenario.start({}, builtConsole());
  });
  const look = browserOf(() => relay.url);
  afterAll(() => evening?.scenario.close());

  /** Tonight, loaded by the service worker. */
  async function opened() {
    const window = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/tonight`);
    await window.page.evaluate('navigator.serviceWorker.ready.then(() => true)');
    await window.page.reload();
    await window.settled();
    return window;
  }

  test('it opens with the last state and says of when it is; a page that was not kept says that there is no connection', async () => {
    const window = await opened();
    const { page } = window;
    const verdict = await page.getByTestId('verdict').textContent();
    await relay.close();
    await page.reload();
    await page
      .locator('.offline:not([hidden])')
      .getByText(/No connection|not answer/i)
      .waitFor();
    expect(await page.getByTestId('verdict').textContent()).toBe(verdict);
    const { barriers, overflow } = await window.sound();
    expect({ ...SOUND, barriers, overflow }).toEqual(SOUND);
    await page.getByRole('link', { name: 'Takings' }).first().click();
    await page
      .getByText(/no connection|not answer|could not be reached/i)
      .first()
      .waitFor();
    window.wrong();
  });

  test('a new password removes what is kept of the person', async () => {
    const { page } = await opened();
    expect(await page.evaluate('caches.has("person")')).toBe(true);
    const body = `{ method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: '{}' }`;
    await page.evaluate(`fetch('/console/session/password', ${body}).then(() => true)`);
    expect(await page.evaluate('caches.has("person")')).toBe(false);
  });

  test('after a sign-out nothing of the person is kept', async () => {
    const window = await opened();
    const { page } = window;
    await page.evaluate(`fetch('/console/session', { method: 'DELETE' }).then(() => true)`);
    expect(await page.evaluate('caches.has("person")')).toBe(false);
    await relay.close();
    await page.reload();
    await page.locator('main').waitFor();
    expect(await page.getByTestId('verdict').count()).toBe(0);
    window.wrong();
  });
});
