import type { Page } from 'playwright-core';
import { DayCloser } from '../../../../src/capabilities/days/day-closer.js';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const WIDE: Look = { width: 1440, language: 'en-US' };
const PHONE: Look = { width: 320, language: 'pt-BR' };

describeInBrowser(`tip and service fee, in a browser (R71)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const path = (rest: string) => `/r/${evening.restaurantId}/${rest}`;
  /** Without the spaces that do not break. */
  const textOf = async (page: Page, selector: string) =>
    ((await page.locator(selector).first().textContent()) ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');
  /** The rows of a table with the header of each cell that has one of these. */
  const rowsOf = async (page: Page, caption: string, columns: readonly string[]) => {
    const table = page.locator('table', { has: page.locator('caption', { hasText: caption }) });
    const heads = await table.locator('thead th').allTextContents();
    const rows = await table
      .locator('tbody tr')
      .evaluateAll((found) => found.map((row) => [...row.children].map((cell) => cell.textContent)));
    return rows.map((cells) => [cells[0], ...columns.map((name) => cells[heads.indexOf(name)])]);
  };
  const PAGES = ['tonight', 'takings', 'days'] as const;
  const MONEY = { tonight: '.total-money', takings: '.day-net', days: '.days-open ~ p' };

  test('a restaurant that never has one sees no line and no column of it', async () => {
    for (const name of PAGES) {
      const { page } = await look(WIDE, evening.owner, path(name));
      // below its own total a line that says no more is empty
      await page.locator(MONEY[name]).first().waitFor({ state: 'attached' });
      if (name === 'takings') await page.getByText('The same as a table').last().click();
      const text = await page.locator('main').textContent();
      expect(text).not.toMatch(/\btips?\b|service fee|Several means/i);
      expect(await page.locator('.money-tips').count()).toBe(0);
    }
  });

  test('with some: a line below the money, columns by means of payment, and a row for sales with several', async () => {
    const { scenario } = evening;
    const sell = async (transactionKey: string, payments: object[], parts: object) => {
      await scenario.relay.accept({
        transactionKey,
        storeCode: RESTAURANT.codeStoreTerminal,
        payments,
        transactionDate: new Date().toISOString(),
        ...parts,
      });
      await scenario.relay.tick();
    };
    await sell('TIP-CARD', [{ tenderType: 16, amount: 90 }], { tipAmount: 9, serviceFeeAmount: 1.2 });
    const both = [
      { tenderType: 1, amount: 50 },
      { tenderType: 16, amount: 50 },
    ];
    await sell('TIP-BOTH', both, { tipAmount: 4 });
    for (const name of PAGES) {
      const window = await look(WIDE, evening.owner, path(name));
      const { page } = window;
      await page.locator('.money-tips').first().waitFor();
      expect(await textOf(page, '.money-tips')).toBe('Included: tip 13.00 · service fee 1.20');
      expect(await window.sound()).toEqual(SOUND);
    }
    const { page } = await look(WIDE, evening.owner, path('takings'));
    await page.locator('.tender-table').waitFor();
    const rows = await rowsOf(page, 'By means of payment', ['Tip', 'Service fee']);
    expect(rows.filter(([, tip, fee]) => tip !== '–' || fee !== '–')).toEqual([
      [expect.stringMatching(/^Credit card/), '9.00', '1.20'],
      ['Several means of payment', '4.00', '–'],
      ['Taken', '13.00', '1.20'],
    ]);
    await page.getByText('The same as a table').last().click();
    const days = await rowsOf(page, ' in all', ['Tip', 'Service fee']);
    expect(days.filter(([, tip]) => tip !== '–').map(([, ...parts]) => parts)).toEqual([['13.00', '1.20']]);
    const phone = await look(PHONE, evening.owner, path('takings'));
    const several = phone.page.locator('.tender-list details', { hasText: 'Várias formas de pagamento' });
    await several.locator('summary').click();
    expect(((await several.textContent()) ?? '').replaceAll(/\s/g, ' ')).toContain('Gorjeta4,00');
    expect(await textOf(phone.page, '.money-tips')).toBe('Incluído: gorjeta 13,00 · taxa de serviço 1,20');
    expect(await phone.sound()).toEqual(SOUND);
  });

  test('the end of a closed day has them by means of payment', async () => {
    const { scenario, restaurantId } = evening;
    await scenario.database.query(
      `UPDATE restaurants SET days_since = now() - interval '2 days', day_closes_at = '04:00' WHERE id = $1`,
      [restaurantId],
    );
    await scenario.database.query(
      `UPDATE terminal_events SET received_at = now() - interval '49 hours' WHERE restaurant_id = $1 AND transaction_key LIKE 'TIP-%'`,
      [restaurantId],
    );
    const [next] = await scenario.database.query<{ day: string }>(
      `SELECT to_char(business_day(days_since, timezone, day_closes_at), 'YYYY-MM-DD') AS day FROM restaurants WHERE id = $1`,
      [restaurantId],
    );
    const day = (next as { day: string }).day;
    await scenario.relay.get(DayCloser).closeByItself(restaurantId, day);
    const window = await look(WIDE, evening.owner, path(`days/${day}`));
    const { page } = window;
    await page.locator('.money-tips').waitFor();
    expect(await rowsOf(page, 'By means of payment', ['Number', 'Tip', 'Service fee'])).toEqual([
      [expect.stringMatching(/^Credit card/), '2', '9.00', '1.20'],
      ['Cash', '1', '–', '–'],
      ['Several means of payment', '–', '4.00', '–'],
    ]);
    expect(await window.sound()).toEqual(SOUND);
  });
});
