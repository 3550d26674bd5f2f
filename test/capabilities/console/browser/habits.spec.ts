import type { Page } from 'playwright-core';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { sale } from '../../../support/client.js';
import { marked } from '../../../support/secrets.js';
import { until } from '../../../support/until.js';
import { browserOf, describeInBrowser, NEEDS_BROWSER, type Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const SECONDS = 1_000;

describeInBrowser(`how the pages behave, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let window: Window;
  let page: Page;

  beforeAll(async () => {
    evening = await openEvening();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  beforeEach(async () => {
    window = await look({ width: 1440, language: 'en-US' });
    page = window.page;
  });
  afterAll(() => evening?.scenario.close());

  const tonight = () => `/r/${evening.restaurantId}/tonight`;
  /** Lets the page believe that it is seen, or not. */
  const becomes = (state: 'visible' | 'hidden') =>
    page.evaluate(
      `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
       document.dispatchEvent(new Event('visibilitychange'))`,
    );

  test('a page that nobody sees asks for nothing; seen again, it asks at once', async () => {
    await page.clock.install();
    await window.enter(evening.viewer);
    let asked = 0;
    page.on('request', (request) => (asked += request.url().includes('/console/api/') ? 1 : 0));
    await window.goTo(tonight());
    const first = asked;
    await page.clock.runFor(30 * SECONDS);
    await until(() => asked > first);
    await becomes('hidden');
    await page.waitForLoadState('networkidle');
    const seen = asked;
    await page.clock.runFor(600 * SECONDS);
    expect(asked).toBe(seen);
    await becomes('visible');
    await until(() => asked > seen);
  });

  test('without the relay the last state stays, says of when it is, and goes on by itself', async () => {
    await page.clock.install();
    await window.enter(evening.viewer);
    await window.goTo(tonight());
    await page.context().setOffline(true);
    const banner = page.getByText('No connection to the relay.');
    await until(async () => {
      await page.clock.runFor(5 * SECONDS);
      return banner.isVisible();
    });
    await page.getByText(/What you see is from \d\d:\d\d\./).waitFor();
    await page.getByTestId('verdict').getByText('1 order is not in the POS').waitFor();
    expect(await window.barriers()).toEqual([]);
    await page.context().setOffline(false);
    await until(async () => {
      await page.clock.runFor(5 * SECONDS);
      return !(await banner.isVisible());
    });
    // the browser has reported each request that failed
    window.wrong();
  });

  test('an outage is said beside what is parked, with the next try', async () => {
    const { scenario } = evening;
    const sold = await scenario.relay.accept(sale({ storeCode: RESTAURANT.codeStoreTerminal }));
    await scenario.settle(sold, 'FAILED', 'the POS is being restarted');
    await window.enter(evening.viewer);
    await window.goTo(tonight());
    const light = page.getByRole('region', { name: 'State of the orders' });
    await light.getByText('1 order is not in the POS: the POS does not know a product').first().waitFor();
    await page
      .locator('.need')
      .getByText(/^2 wait: the POS answers with error 503 since \d\d:\d\d.*, (next try in|trying now)/)
      .waitFor();
    expect(await window.barriers()).toEqual([]);
  });

  test('the language is switched on the page, and kept', async () => {
    await window.enter(evening.viewer);
    await window.goTo(tonight());
    await page.getByRole('button', { name: 'Account and language' }).click();
    await page.getByLabel('Language', { exact: true }).selectOption('pt-BR');
    await page.getByRole('heading', { name: 'Hoje', exact: true }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Hoje', exact: true }).waitFor();
    expect(await page.getAttribute('html', 'lang')).toBe('pt-BR');
  });

  test('the account lists the sessions of the user, ends all others, and so does a new password (N10, N4)', async () => {
    const somebody = await evening.scenario.staff(evening.restaurantId, 'VIEWER');
    const other = await look({ width: 390, language: 'pt-BR' });
    await other.signIn(somebody);
    await other.goTo('/account');
    await other.page.getByText('Você não está conectado em nenhum outro lugar.').waitFor();
    await window.signIn(somebody);
    await window.goTo('/account');
    const panel = page.locator('.panel', { hasText: 'Where you are signed in' });
    await panel.getByRole('listitem').nth(1).waitFor();
    const lines = await panel.getByRole('listitem').allTextContents();
    expect(lines).toEqual([
      expect.stringMatching(/^Chrome · Linux from 127\.0\.0\.1 This one.*in use now$/),
      expect.stringMatching(/^Chrome · Linux from 127\.0\.0\.1 signed in .* ago/),
    ]);
    expect(await window.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('1 other sign-in has ended.').waitFor();
    expect(await panel.getByRole('listitem').count()).toBe(1);
    await other.page.reload();
    await other.page.locator('input[type="password"]').waitFor();
    // a change of the password ends the others too
    await other.enter(somebody);
    const next = marked('another password');
    await page.getByLabel('Current password').fill(somebody.password);
    await page.getByLabel('New password', { exact: true }).fill(next);
    await page.getByLabel('New password, once more').fill(`${next}!`);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The two passwords differ.').waitFor();
    await page.getByLabel('New password, once more').fill(next);
    await page.getByRole('button', { name: 'Change the password' }).click();
    await page.getByText('The password is changed.').waitFor();
    await window.goTo(tonight());
    await page.getByTestId('verdict').waitFor();
    await other.page.reload();
    await other.page.locator('input[type="password"]').waitFor();
  });
});
