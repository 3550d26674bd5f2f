import type { Page } from 'playwright-core';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const LOOKS: Look[] = [
  { width: 390, height: 844, language: 'pt-BR' },
  { width: 1440, language: 'en-US' },
];
/** The sale that is to be found, by what is only its own. */
const SALE = {
  transactionKey: 'FIND-1',
  transactionNumber: 'Z9000417',
  storeCode: RESTAURANT.codeStoreTerminal,
  items: [{ itemCode: 'AG-50', itemName: 'Água com gás', quantity: 1, price: 43.21 }],
  payments: [{ tenderType: 1, amount: 43.21 }],
  table: 'Terraço 7',
};

describeInBrowser(`the search of Tonight, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;

  beforeAll(async () => {
    evening = await openEvening({ SALE_LABEL_FIELD: 'table' });
    await evening.scenario.relay.accept(SALE);
    await evening.scenario.relay.tick();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  async function open(how: Look): Promise<Window> {
    const window = await look(how, evening.viewer, `/r/${evening.restaurantId}/tonight`);
    await window.page.locator('.order-row').nth(5).waitFor();
    return window;
  }
  const numbers = (page: Page) => page.locator('.order-filters .choice, .orders .choice').allTextContents();

  test.each(LOOKS)(
    '$width px, $language: finds an order by the beginning of its number, amount, item and label; the numbers of the filters stay (N22)',
    async (how) => {
      const window = await open(how);
      const { page } = window;
      const ofDay = await numbers(page);
      expect(ofDay).toHaveLength(5);
      const box = page.getByRole('searchbox');
      for (const text of ['z9000', '43,21', '43.21', 'água', 'AG-50', 'terraço']) {
        await box.fill('');
        await page.locator('.order-row').nth(5).waitFor();
        await box.fill(text);
        await page.locator('.order-row').nth(1).waitFor({ state: 'detached' });
        expect([text, await page.locator('.order-row').count()]).toEqual([text, 1]);
        expect(await page.locator('.order-row').textContent()).toContain(SALE.transactionNumber);
        expect(await numbers(page)).toEqual(ofDay);
      }
      expect(await window.sound()).toEqual(SOUND);
      // the middle of a number is no beginning
      await box.fill('000417');
      await page.locator('.order-row').first().waitFor({ state: 'detached' });
      expect(await numbers(page)).toEqual(ofDay);
    },
  );

  test('a slash puts the cursor into the search; in a field it is a letter (N22)', async () => {
    const window = await open(LOOKS[1] as Look);
    const { page } = window;
    const box = page.getByRole('searchbox');
    const hasCursor = () => box.evaluate((element) => element.matches(':focus'));
    expect(await hasCursor()).toBe(false);
    await page.keyboard.press('Control+/');
    expect(await hasCursor()).toBe(false);
    await page.keyboard.press('/');
    expect([await hasCursor(), await box.inputValue()]).toEqual([true, '']);
    await page.keyboard.type('1/2');
    expect(await box.inputValue()).toBe('1/2');
    // a field of another part of the page keeps its slash, and the cursor
    await box.fill('');
    await page.locator('input[type="radio"]').first().focus();
    await page.keyboard.press('/');
    expect(await hasCursor()).toBe(false);
  });
});
