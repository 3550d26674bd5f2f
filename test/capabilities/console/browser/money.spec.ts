import type { Page } from 'playwright-core';
import { until } from '../../../support/until.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const WIDE: Look = { width: 1440, language: 'en-US' };
const PHONE: Look = { width: 320, language: 'pt-BR' };

describeInBrowser(`currency and refunds, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let refundKey: string;

  beforeAll(async () => {
    evening = await openEvening();
    const { scenario, restaurantId } = evening;
    // the day before, as the terminal dates it
    const transactionDate = new Date(Date.now() - 36 * 3_600_000).toISOString();
    const sale = { restaurantId, transactionDate, storeCode: undefined };
    const refund = { ...sale, transactionKey: 'BACK', totalAmount: -1_234.56, items: [], payments: [] };
    const { body } = await scenario.relay.post({ ...refund }).expect(200);
    await scenario.relay.tick();
    refundKey = await scenario.keyOf(body.jobId);
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const path = (rest: string) => `/r/${evening.restaurantId}/${rest}`;
  /** Without the spaces that do not break. */
  const textOf = async (page: Page, selector: string) =>
    ((await page.locator(selector).first().textContent()) ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');

  test('R46: an OWNER chooses the currency from a list; one that cannot be used is not in it', async () => {
    const { scenario, restaurantId, owner } = evening;
    const { page } = await look(WIDE, owner, path('setup'));
    const select = page.getByLabel('Currency');
    const offered = await select
      .locator('option')
      .evaluateAll((options) => options.map((option) => option.getAttribute('value')));
    expect(offered).toEqual(expect.arrayContaining(['', 'BRL', 'EUR', 'HUF']));
    expect(offered).not.toContain('JPY');
    await select.selectOption('BRL');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    const stored = async () =>
      (await scenario.api.get(`/restaurants/${restaurantId}`, owner.token).expect(200)).body.currency;
    await until(async () => (await stored()) === 'BRL');
  });

  test.each([
    [WIDE, 'R$', 'refunded R$1,234.56', 'Refund', '-R$1,234.56'],
    [PHONE, 'R$ ', 'estornado R$ 1.234,56', 'Estorno', '-R$ 1.234,56'],
  ])('R47, R48, R49: takings and Tonight in %j', async (how, sign, refunded, badge, amount) => {
    const window = await look(how, evening.owner, path('takings'));
    const { page } = window;
    await page.locator('.day-net').waitFor();
    expect(await textOf(page, '.hero')).toContain(sign);
    const money = await textOf(page, '.day-net');
    expect(money).toContain(refunded);
    expect(await textOf(page, '.day-split')).toContain(amount);
    expect(await textOf(page, '.day-sum')).toMatch(/another day|dia diferente/);
    expect(await window.sound()).toEqual(SOUND);
    await window.goTo(path('tonight'));
    await page.locator('.total-money').waitFor();
    // R61: the same words
    expect(await textOf(page, '.total-money')).toBe(money);
    const row = page.locator('.order-row', { hasText: 'BACK' });
    expect(((await row.textContent()) ?? '').replaceAll(/\s+/g, ' ')).toContain(badge);
    expect(((await row.locator('.order-amount').textContent()) ?? '').replaceAll('\u00a0', ' ')).toBe(amount);
    expect(await window.sound()).toEqual(SOUND);
  });

  test('M16: the page of a refund says that it is recorded, and offers no cancel', async () => {
    const window = await look(PHONE, evening.owner, path(`orders/${refundKey}`));
    await window.page.getByText('O terminal informou que o dinheiro foi devolvido.').waitFor();
    expect(await window.page.getByRole('button', { name: /ancelar/ }).count()).toBe(0);
    expect(await window.sound()).toEqual(SOUND);
  });

  test('R47: the list of restaurants has the amounts of each in its own currency', async () => {
    const window = await look(WIDE, evening.owner, '/restaurants');
    await window.page.locator('.money-line', { hasText: 'refunded' }).waitFor();
    expect(await window.page.locator('table').textContent()).toContain('R$');
    expect(await window.sound()).toEqual(SOUND);
  });
});
