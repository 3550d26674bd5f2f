import type { Caller } from '../../../support/scenario.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const LOOKS: readonly Look[] = [
  { width: 320, language: 'pt-BR', colorScheme: 'dark' },
  { width: 1440, language: 'en-US' },
];
const PHONE: Look = { width: 390, height: 844, language: 'en-US' };

describeInBrowser(`what the POS calls the products, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeAll(async () => {
    evening = await openEvening();
  });
  beforeEach(async () => {
    ({ id, owner, sell } = await evening.scenario.restaurant(`PRODUCTS-PAGE-${++stores}`));
    const item = (itemCode: unknown, itemName: string, price: number) => ({ itemCode, itemName, price, quantity: 1 });
    await sell({ items: [item('PZ', 'Pizza à moda', 42.5), item('CF', 'Café', 6), item(undefined, 'Gift', 1)] });
    await sell({ items: [item('CF', 'Café', 6)] });
    await evening.scenario.settle(await sell({ items: [item('NEW', 'Açaí', 19)] }), 'DLQ', 'unknown product NEW');
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const codes = async () =>
    (await evening.scenario.api.get(`/restaurants/${id}/codes`, owner.token).expect(200)).body.data;

  test.each(LOOKS)('the page has no barrier and nothing leaves its place: $width px, $language (N39)', async (how) => {
    const window = await look(how, owner, `/r/${id}/products`);
    await window.page.getByText('Açaí', { exact: true }).first().waitFor();
    if (process.env.SHOT)
      await window.page.screenshot({ path: `${process.env.SHOT}/products-${how.width}.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await window.page.getByRole('button', { name: /Açaí/ }).click();
    if (process.env.SHOT)
      await window.page.screenshot({ path: `${process.env.SHOT}/products-form-${how.width}.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
  });

  test('what the POS refuses is first; an OWNER sets a code and a name, and removes them (N39)', async () => {
    const window = await look(PHONE, owner, `/r/${id}/products`);
    const { page } = window;
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await page.locator('tbody').getByRole('row').first().getByText('Açaí').waitFor();
    await row('Açaí').getByText('The POS refuses it').waitFor();
    await page.getByRole('button', { name: /^Change: .*Açaí/ }).click();
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText('Enter a code of 1 to 255 characters.').waitFor();
    await page.getByLabel('Code at the POS').first().fill(' AC-1 ');
    await page.getByLabel('Name at the POS (optional)').fill('Acai 500 ml');
    await page.getByRole('button', { name: 'Save' }).first().click();
    await row('Açaí').getByText('Saved. It holds for the next order.').waitFor();
    await row('Açaí').getByText('AC-1').waitFor();
    expect(await codes()).toMatchObject([{ terminalCode: 'NEW', posCode: 'AC-1', name: 'Acai 500 ml' }]);
    await page.getByRole('button', { name: /^Change: .*Açaí/ }).click();
    await page.getByRole('button', { name: 'Remove' }).click();
    await row('Açaí').getByText('the code of the terminal', { exact: true }).waitFor();
    expect(await codes()).toEqual([]);
  });

  test('products are found by name without accents, by code, and by state (N39)', async () => {
    const window = await look(PHONE, owner, `/r/${id}/products`);
    const { page } = window;
    const rows = page.locator('tbody').first().getByRole('row');
    await rows.nth(3).waitFor();
    const names = () => rows.getByRole('rowheader').allTextContents();
    await page.getByLabel('Product or code').fill('CAFE');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await names()).toEqual([expect.stringContaining('Café')]);
    await page.getByLabel('Product or code').fill('');
    await page.getByLabel('Show').selectOption('The POS refuses it');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await names()).toEqual([expect.stringContaining('Açaí')]);
  });

  test('with a catalogue: what it lacks, and its price where the last one differs (N39, I20)', async () => {
    const csv = 'code;name;price\nPZ;Pizza;40\nCF;Cafe;6';
    await evening.scenario.api.put(`/restaurants/${id}/catalogue`, owner.token).type('text/csv').send(csv).expect(200);
    const { page } = await look(PHONE, owner, `/r/${id}/products`);
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    await row('Açaí').getByText('Not in the catalogue').waitFor();
    await row('Pizza').getByText('catalogue: 40.00').waitFor();
    expect(await row('Café').getByText('catalogue').count()).toBe(0);
  });

  test('the code of a card brand and the code of items without one are set; a MANAGER only reads (N39)', async () => {
    const window = await look(PHONE, owner, `/r/${id}/products`);
    const { page } = window;
    await page.getByLabel('Number at the terminal').fill('16');
    await page.getByLabel('Brand (optional)').fill('VISA');
    await page.getByLabel('Code at the POS').last().fill('VISA-CREDIT');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('16 · VISA').waitFor();
    await page.getByLabel('Default code at the POS (empty: none)').fill('MISC');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved. It holds for the next order.').first().waitFor();
    await page.getByRole('row').filter({ hasText: 'items without a code' }).getByText('MISC').waitFor();
    expect(await codes()).toMatchObject([{ kind: 'TENDER', terminalCode: '16|VISA', posCode: 'VISA-CREDIT' }]);
    const manager = await evening.scenario.staff(id, 'MANAGER');
    const second = await look(PHONE, manager, `/r/${id}/setup`);
    await second.page.getByRole('link', { name: 'Products and codes' }).click();
    await second.page.getByText('16 · VISA').waitFor();
    await second.page.getByText('Café').first().waitFor();
    expect(await second.page.getByRole('button', { name: /Change|Add|Save/ }).count()).toBe(0);
    expect(await second.sound()).toEqual(SOUND);
  });
});
