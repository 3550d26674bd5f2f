import type { Browser } from 'playwright-core';
import { describeInBrowser, type Look, NEEDS_BROWSER, openBrowser, Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const ENGLISH: Look = { width: 1440, language: 'en-US' };
/** What a POS may say, and what no page may take for anything but text. */
const HOSTILE = `<img src=x onerror=alert(1)> 'quoted' "twice" \u202eturned ${'x'.repeat(150)}`;

describeInBrowser(`the pages of operators and of the audit, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let browser: Browser;

  beforeAll(async () => {
    [evening, browser] = await Promise.all([openEvening({ OPERATOR_ACTIONS: 'true' }), openBrowser()]);
    const { scenario } = evening;
    await scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace)
       VALUES ('relay-2:7', '0.9.0', 'relay-2', now() - interval '2 days', now() - interval '10 minutes', true, 'eager')`,
    );
    const other = await scenario.restaurant('STORE-9');
    const hostile = await scenario.settle(await other.sell(), 'DLQ');
    await scenario.database.query('UPDATE outbox_jobs SET last_error = $2 WHERE id = $1', [hostile, HOSTILE]);
  });
  afterAll(async () => {
    await browser?.close();
    await evening?.scenario.close();
  });

  test('what is parked and why, for whom, who lives, who has stopped without a word', async () => {
    const window = await Window.open(browser, evening.scenario.relay.url, ENGLISH);
    await window.enter(evening.administrator);
    await window.goTo('/operators');
    const { page } = window;
    const silent = page.locator('tr', { hasText: 'relay-2:7' });
    await silent.getByText('Silent').waitFor();
    await page.locator('.cause').nth(1).waitFor();
    expect(await page.locator('.cause').count()).toBe(2);
    await page.locator('.time-chart canvas').first().waitFor();
    expect(await window.barriers()).toEqual([]);
    expect(window.wrong()).toEqual([]);
    await window.close();
  });

  test('who did what, everywhere, and narrowed', async () => {
    const window = await Window.open(browser, evening.scenario.relay.url, ENGLISH);
    await window.enter(evening.administrator);
    await window.goTo('/operators/audit');
    const { page } = window;
    await page.locator('tbody tr').first().waitFor();
    await page.locator('.audit-filters input[type="search"]').fill('nobody@example.com');
    await page.locator('.empty').waitFor();
    expect(await window.barriers()).toEqual([]);
    expect(window.wrong()).toEqual([]);
    await window.close();
  });

  test('sends parked orders again: counts first, asks, says how many, and writes it down', async () => {
    const window = await Window.open(browser, evening.scenario.relay.url, ENGLISH);
    const { page } = window;
    await window.enter(evening.administrator);
    await window.goTo('/operators');
    const cause = page.locator('.cause', { hasText: 'HTTP 422' });
    await cause.getByRole('button', { name: /Send these again/ }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Send 1 parked order again?').waitFor();
    expect(await window.barriers()).toEqual([]);
    await dialog.getByRole('button', { name: 'Send 1 again' }).click();
    await dialog.getByText(/1 is on its way again/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await cause.waitFor({ state: 'detached' });
    await window.goTo('/operators/audit?action=jobs.reset');
    await page.locator('main').getByText(evening.administrator.email).first().waitFor();
    expect(window.wrong()).toEqual([]);
    await window.close();
  });

  test('OWNERs read the audit of their restaurant, on its clock; who may not is told so', async () => {
    const window = await Window.open(browser, evening.scenario.relay.url, { width: 320, language: 'pt-BR' });
    const { page } = window;
    await window.enter(evening.owner);
    await window.goTo(`/r/${evening.restaurantId}/audit`);
    await page.getByText('Entrada', { exact: false }).first().waitFor();
    const [restaurant] = await evening.scenario.database.query<{ timezone: string }>(
      'SELECT timezone FROM restaurants WHERE id = $1',
      [evening.restaurantId],
    );
    expect(await page.locator('.page-head').textContent()).toContain(restaurant?.timezone);
    expect(await window.barriers()).toEqual([]);
    expect(await window.overflow()).toBeLessThanOrEqual(0);
    await window.close();
    const viewer = await Window.open(browser, evening.scenario.relay.url, { width: 320, language: 'en-US' });
    await viewer.enter(evening.viewer);
    await viewer.goTo(`/r/${evening.restaurantId}/audit`);
    await viewer.page.getByText(/Your role may not do this/).waitFor();
    expect(viewer.wrong()).toEqual([]);
    await viewer.close();
  });
});
