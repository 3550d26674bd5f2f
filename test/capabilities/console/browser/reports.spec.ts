import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const ENGLISH: Look = { width: 1440, language: 'en-US' };
const PHONE: Look = { width: 320, language: 'pt-BR' };
/** What a POS may say, and what no page may take for anything but text. */
const HOSTILE = `<img src=x onerror=alert(1)> 'quoted' "twice" \u202eturned ${'x'.repeat(150)}`;

describeInBrowser(`takings, operators and audit, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;

  beforeAll(async () => {
    evening = await openEvening({ OPERATOR_ACTIONS: 'true' });
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  async function takings(how: Look, as: 'viewer' | 'owner' = 'viewer'): Promise<Page> {
    const { page } = await look(how, evening[as], `/r/${evening.restaurantId}/takings`);
    await page.locator('.day-sum, .empty').first().waitFor();
    return page;
  }

  async function statistics(query: string) {
    const { scenario, restaurantId, viewer } = evening;
    const path = `/restaurants/${restaurantId}/statistics?${query}`;
    return (await scenario.api.get(path, viewer.token).expect(200)).body;
  }

  /** The cells of the table of a caption, a list for each row. */
  const rowsOf = (page: Page, caption: string) =>
    page
      .locator('table', { has: page.locator('caption', { hasText: caption }) })
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const cents = (text: string | null | undefined) => Number(String(text).replaceAll(/\D/g, ''));
  const sumOf = (amounts: readonly number[]) => amounts.reduce((sum, amount) => sum + amount, 0);

  test('the day is split by state and by means of payment, and every sum agrees; chart and table show the same days', async () => {
    const page = await takings(ENGLISH);
    const { amounts } = await statistics('');
    const split = await rowsOf(page, 'Takings of the day');
    expect(split.map(([state]) => state)).toEqual(['In the POS', 'Waiting', 'Parked', 'Taken', 'Cancelled']);
    const parts = split.map(([, amount]) => cents(amount));
    expect(sumOf(parts.slice(0, 3))).toBe(parts[3]);
    const tenders = await rowsOf(page, 'By means of payment');
    for (const column of [1, 2, 3, 4, 5]) {
      const columnCents = tenders.map((row) => cents(row[column]));
      expect(sumOf(columnCents.slice(0, -1))).toBe(columnCents.at(-1));
    }
    expect([cents(tenders.at(-1)?.[4]), parts[3]]).toEqual([amounts.takenCents, amounts.takenCents]);
    await page.locator('canvas').last().waitFor();
    const caption = await page.locator('figcaption').textContent();
    expect(cents(caption?.split(': ')[1]?.split(' in all')[0])).toBe(amounts.takenCents);
    await page.getByText('The same as a table').last().click();
    const days = await rowsOf(page, ' in all');
    expect(days).toHaveLength(30);
    expect(sumOf(days.map((row) => cents(row[2])))).toBe(amounts.takenCents);
    // a VIEWER may not have the file (A27)
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: /CSV/ }).count()).toBe(0);
  });

  test("days are the restaurant's, stand in the address, and none comes after today", async () => {
    const page = await takings(ENGLISH);
    const { amounts } = await statistics('');
    const written = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(
      new Date(`${amounts.byDay[0].day}T12:00Z`),
    );
    expect((await page.locator('.takings-day').textContent())?.replace(',', '')).toBe(written.replace(',', ''));
    expect(await page.getByRole('button', { name: 'Day after' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Day before' }).click();
    await page.getByText('No sale on this day').waitFor();
    expect(page.url()).toMatch(/day=\d{4}-\d\d-\d\d$/);
    await page.getByRole('button', { name: 'Today' }).click();
    await page.locator('.hero').waitFor();
    expect(page.url()).not.toContain('day=');
  });

  test.each([
    ['en-US', 'This day as CSV', ','],
    ['pt-BR', 'Este dia em CSV', ';'],
  ] as const)(
    '%s: the file for the books is saved by the session, and its sum is that of the page',
    async (language, name, separator) => {
      const page = await takings({ width: 320, language }, 'owner');
      const saving = page.waitForEvent('download');
      await page.getByRole('link', { name }).click();
      const download = await saving;
      expect(download.suggestedFilename()).toMatch(/^takings-[a-z0-9-]+-\d{4}-\d\d-\d\d\.csv$/);
      const [header = '', ...lines] = readFileSync(await download.path(), 'utf8')
        .trimEnd()
        .split('\r\n');
      const cents = header.split(separator).indexOf('paidCents');
      expect(cents).toBeGreaterThan(0);
      const total = lines.reduce((sum, line) => sum + Number(line.split(separator)[cents]), 0);
      expect(total).toBe((await statistics('')).amounts.takenCents);
      expect(await page.locator('.hero').textContent()).toBe(
        (total / 100).toLocaleString(language === 'en-US' ? 'en-GB' : language, { minimumFractionDigits: 2 }),
      );
    },
  );

  test('operators see parked orders by cause and restaurant, and silent instances; they reset parked orders', async () => {
    const { scenario, administrator } = evening;
    await scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace)
       VALUES ('relay-2:7', '0.9.0', 'relay-2', now() - interval '2 days', now() - interval '10 minutes', true, 'eager')`,
    );
    const other = await scenario.restaurant('STORE-9');
    const hostile = await scenario.settle(await other.sell(), 'DLQ');
    await scenario.database.query('UPDATE outbox_jobs SET last_error = $2 WHERE id = $1', [hostile, HOSTILE]);
    const window = await look(ENGLISH, administrator, '/operators');
    const { page } = window;
    await page.locator('tr', { hasText: 'relay-2:7' }).getByText('Silent').waitFor();
    await page.locator('.cause').nth(1).waitFor();
    expect(await page.locator('.cause').count()).toBe(2);
    await page.locator('.time-chart canvas').first().waitFor();
    expect(await window.barriers()).toEqual([]);
    const cause = page.locator('.cause', { hasText: 'HTTP 422' });
    await cause.getByRole('button', { name: /Send 1 of today again/ }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('Send 1 parked order again?').waitFor();
    await dialog.getByText(/unknown product/).waitFor();
    expect(await window.barriers()).toEqual([]);
    await dialog.getByRole('button', { name: 'Send 1 again' }).click();
    await dialog.getByText(/1 is on its way again/).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await cause.waitFor({ state: 'detached' });
    await window.goTo('/operators/audit?action=jobs.reset');
    await page.locator('tbody').getByText(administrator.email).first().waitFor();
    await page.locator('.audit-filters input[type="search"]').fill('nobody@example.com');
    await page.locator('.empty').waitFor();
    expect(await window.barriers()).toEqual([]);
  });

  test('OWNERs read the audit of their restaurant, on its clock; others are refused', async () => {
    const path = `/r/${evening.restaurantId}/audit`;
    const window = await look(PHONE, evening.owner, path);
    await window.page.getByText('Entrada', { exact: false }).first().waitFor();
    const [restaurant] = await evening.scenario.database.query<{ timezone: string }>(
      'SELECT timezone FROM restaurants WHERE id = $1',
      [evening.restaurantId],
    );
    // as a Brazilian calls it
    const named = new Intl.DateTimeFormat('pt-BR', { timeZone: restaurant?.timezone, timeZoneName: 'longGeneric' });
    const zone = named.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value;
    expect(await window.page.locator('.page-head').textContent()).toContain(zone);
    expect(await window.sound()).toEqual(SOUND);
    const viewer = await look({ ...PHONE, language: 'en-US' }, evening.viewer, path);
    await viewer.page.getByText(/Your role may not do this/).waitFor();
  });
});
