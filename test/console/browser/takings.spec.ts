import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { describeInBrowser, type Look, NEEDS_BROWSER, openBrowser, Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const ENGLISH: Look = { width: 1440, language: 'en-US' };

describeInBrowser(`takings, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let browser: Browser;
  let window: Window;

  beforeAll(async () => {
    evening = await openEvening();
    browser = await openBrowser();
  });
  afterEach(async () => {
    expect(window.wrong()).toEqual([]);
    await window.close();
  });
  afterAll(async () => {
    await browser?.close();
    await evening?.scenario.close();
  });

  async function look(look: Look, as: 'viewer' | 'owner' = 'viewer') {
    window = await Window.open(browser, evening.scenario.relay.url, look);
    await window.enter(evening[as]);
    await window.goTo(`/r/${evening.restaurantId}/takings`);
    await window.page.locator('.day-sum, .empty').first().waitFor();
    return window.page;
  }

  async function statistics(query: string) {
    const { scenario, restaurantId, viewer } = evening;
    const path = `/restaurants/${restaurantId}/statistics?${query}`;
    return (await scenario.api.get(path, viewer.token).expect(200)).body;
  }

  /** The cells of a table, a row each. */
  const tableOf = (caption: string) =>
    window.page.locator('table', { has: window.page.locator('caption', { hasText: caption }) });
  const rowsOf = (caption: string) =>
    tableOf(caption)
      .locator('tbody tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
  const cents = (text: string | null | undefined) => Number(String(text).replaceAll(/\D/g, ''));

  test('the day is split into delivered, waiting, parked and cancelled, by means of payment too; every sum agrees', async () => {
    await look(ENGLISH);
    const split = await rowsOf('Takings of the day');
    expect(split.map(([state]) => state)).toEqual(['In the POS', 'Waiting', 'Parked', 'Cancelled', 'Total']);
    const parts = split.map(([, amount]) => cents(amount));
    expect(parts.slice(0, 4).reduce((sum, part) => sum + part, 0)).toBe(parts[4]);
    const tenders = await rowsOf('By means of payment');
    for (const column of [1, 2, 3, 4, 5]) {
      const amounts = tenders.map((row) => cents(row[column]));
      expect(amounts.slice(0, -1).reduce((sum, part) => sum + part, 0)).toBe(amounts.at(-1));
    }
    expect(cents(tenders.at(-1)?.[5])).toBe(parts[4]);
    const { amounts } = await statistics('');
    expect(parts[4]).toBe(amounts.totalCents);
  });

  test('stepping through the days: the day stands in the address, none comes after today', async () => {
    const page = await look(ENGLISH);
    expect(await page.getByRole('button', { name: 'Day after' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Day before' }).click();
    await page.getByText('No sale on this day').waitFor();
    expect(page.url()).toMatch(/day=\d{4}-\d\d-\d\d$/);
    await page.getByRole('button', { name: 'Today' }).click();
    await page.locator('.hero').waitFor();
    expect(page.url()).not.toContain('day=');
  });

  test('the chart says what it shows, and a table has the same days', async () => {
    const page = await look(ENGLISH);
    const { amounts } = await statistics('');
    await page.locator('canvas').waitFor();
    expect(cents((await page.locator('figcaption').textContent())?.split(': ')[1]?.split(' in all')[0])).toBe(
      amounts.totalCents,
    );
    await page.getByText('The same as a table').click();
    const rows = await rowsOf(' in all');
    expect(rows).toHaveLength(30);
    expect(rows.reduce((sum, row) => sum + cents(row[2]), 0)).toBe(amounts.totalCents);
  });

  test.each([
    ['en-US', 'This day as CSV', ','],
    ['pt-BR', 'Este dia em CSV', ';'],
  ] as const)(
    '%s: the file for the books is saved by the session, and its sum is that of the page',
    async (language, name, separator) => {
      const page = await look({ width: 320, language }, 'owner');
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
      expect(total).toBe((await statistics('')).amounts.totalCents);
      expect(await page.locator('.hero').textContent()).toBe(
        (total / 100).toLocaleString(language === 'en-US' ? 'en-GB' : language, { minimumFractionDigits: 2 }),
      );
    },
  );

  test('A27: who may not have the file is not offered it', async () => {
    const page = await look(ENGLISH);
    await page.locator('canvas').waitFor();
    await page.waitForLoadState('networkidle');
    expect(await page.getByRole('link', { name: /CSV/ }).count()).toBe(0);
  });

  test("days are the restaurant's, whatever the browser's zone", async () => {
    const page = await look(ENGLISH);
    const { amounts } = await statistics('');
    const [day] = amounts.byDay;
    const written = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: 'UTC' }).format(
      new Date(`${day.day}T12:00Z`),
    );
    expect((await page.locator('.takings-day').textContent())?.replace(',', '')).toBe(written.replace(',', ''));
  });
});
