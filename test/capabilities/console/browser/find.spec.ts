import type { Page } from 'playwright-core';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const LOOKS: readonly Look[] = [
  { width: 320, language: 'pt-BR', colorScheme: 'dark' },
  { width: 1440, language: 'en-US' },
];

describeInBrowser(`the search of the console (N44), in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let window: Window;
  let page: Page;
  beforeAll(async () => {
    evening = await openEvening();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  async function open(how: Look, who: 'owner' | 'viewer' | 'administrator' = 'owner'): Promise<void> {
    window = await look(
      how,
      evening[who],
      who === 'administrator' ? '/operators' : `/r/${evening.restaurantId}/tonight`,
    );
    page = window.page;
  }
  const labels = () => page.locator('.find-label').allTextContents();
  const field = () => page.locator('.find-input');
  const press = (key: string) => page.keyboard.press(key);

  test.each(LOOKS)('$width px, $language: it lies above the page, is sound, and gives the focus back', async (how) => {
    await open(how);
    const button = page.locator('.find-button');
    await button.click();
    await field().waitFor();
    await field().and(page.locator(':focus')).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/find-${how.width}.png` });
    expect(await window.sound()).toEqual(SOUND);
    await press('Escape');
    await field().waitFor({ state: 'detached' });
    await button.and(page.locator(':focus')).waitFor();
  });

  test('Ctrl-K opens it; a page is found without accents and case, chosen by arrows and Enter, and has the focus', async () => {
    await open(LOOKS[1] as Look);
    await press('Control+k');
    await field().fill('SET-UP p');
    expect(await labels()).toEqual(['Set-up: the POS', 'Set-up: printers', 'Set-up: people']);
    await press('ArrowDown');
    await press('ArrowDown');
    await press('ArrowDown');
    await press('ArrowUp');
    await page.getByRole('option', { name: 'Set-up: people', selected: true }).waitFor();
    await press('Enter');
    await page.waitForURL(/\/setup\/people$/);
    expect(await field().count()).toBe(0);
    await press('Control+k');
    await field().fill('não há');
    await page.getByText('Nothing found').waitFor();
  });

  test('an order is found by its number, with its state and amount; a press leads to it', async () => {
    await open(LOOKS[1] as Look);
    await press('Control+k');
    await field().fill('1012');
    const found = page.getByRole('option', { name: /1012/ });
    await found.getByText('66.00').waitFor();
    await found.getByText('Parked').waitFor();
    await found.click();
    await page.waitForURL(/\/orders\/SALE-1012$/);
  });

  test('a VIEWER finds no page that a VIEWER has not; a platform administrator finds orders of all restaurants', async () => {
    await open(LOOKS[1] as Look, 'viewer');
    await press('Control+k');
    await field().fill('set-up');
    expect(await labels()).toEqual(['Set-up', 'Set-up: the restaurant']);
    await open(LOOKS[1] as Look, 'administrator');
    await press('Control+k');
    await field().fill('SALE-1001');
    await page.getByRole('option', { name: /in all restaurants/ }).click();
    await page.waitForURL(/\/operators\?q=SALE-1001$/);
    await page.getByRole('link', { name: '1001' }).waitFor();
  });
});
