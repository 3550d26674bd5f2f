import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 320, height: 640, language: 'en-US' };
const FILE = 'code;name;price\nPZ-01;Pizza Calabresa;39,90\nPZ-02;Pizza Margherita;35\nCAF;Café;\n';

describeInBrowser(`the catalogue of the POS, on a small phone (I8, I13 to I15)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening({ RESEND: 'restaurants' });
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  async function opened(code: string) {
    const restaurant = await evening.scenario.restaurant(code);
    const values = [restaurant.id, RESTAURANT.codeStorePos];
    await evening.scenario.database.query('UPDATE restaurants SET code_store_pos = $2 WHERE id = $1', values);
    return restaurant;
  }

  const file = (content: string) => ({ name: 'products.csv', mimeType: 'text/csv', buffer: Buffer.from(content) });

  test('an owner sees what a file changes before it replaces the catalogue, and removes it (I13, I14, I15)', async () => {
    const { id, owner } = await opened('CAT-SETUP');
    const window = await look(PHONE, owner, `/r/${id}/setup/pos`);
    const { page } = window;
    await page.getByText('No catalogue yet.').waitFor();
    const choose = (content: string) => page.locator('input[type=file]').setInputFiles(file(content));
    await choose(`${FILE}X;Bad;abc\n`);
    await page.getByText(/^Line 5, .*price.*"abc" is no amount/).waitFor();
    expect(await page.getByRole('button', { name: 'Replace the catalogue' }).count()).toBe(0);
    await choose(FILE);
    await page.getByText('3 products in the file: 3 new, 0 changed, 0 removed.').waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/catalogue.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await page.getByRole('button', { name: 'Replace the catalogue' }).click();
    await page.getByText('The catalogue has 3 products now.').waitFor();
    await page.getByText(/^3 products, since /).waitFor();
    await choose(FILE);
    await page.getByText('The catalogue has these products already.').waitFor();
    await page.getByRole('button', { name: 'Leave it' }).click();
    await page.getByRole('button', { name: 'Remove the catalogue' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove the catalogue' }).click();
    await page.getByText('The catalogue is removed.').waitFor();
    await page.getByText('No catalogue yet.').waitFor();
  });

  test('a MANAGER chooses from it what the POS calls a product, by keys or touch, and presses once; free text stays possible (I8, I15)', async () => {
    const { scenario } = evening;
    const { id, owner, sell } = await opened('CAT-MAP');
    await scenario.api.put(`/restaurants/${id}/catalogue`, owner.token).type('text/csv').send(FILE).expect(200);
    const manager = await scenario.staff(id, 'MANAGER');
    const items = [{ itemCode: 'TERMINAL-7', itemName: 'Pizza Calabresa', quantity: 1, price: 79.8 }];
    const job = await sell({ items });
    await scenario.settle(job, 'DLQ', 'unknown product TERMINAL-7');
    const window = await look(PHONE, manager, `/r/${id}/orders/${await scenario.keyOf(job)}`);
    const { page } = window;
    const field = page.getByRole('combobox', { name: 'Pizza Calabresa (TERMINAL-7)' });
    const hint = page.locator('.catalogue-field .field-hint');
    await field.fill('ZZ');
    await hint.getByText('Not in the catalogue of the POS').waitFor();
    await field.fill('pizza');
    await page.getByRole('option').nth(1).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/combobox.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await field.press('ArrowDown');
    await field.press('ArrowDown');
    expect(await page.getByRole('option', { selected: true }).textContent()).toContain('PZ-02');
    await field.press('Escape');
    expect(await page.getByRole('option').count()).toBe(0);
    await field.press('ArrowDown');
    await page.getByRole('option', { name: /^PZ-01/ }).click();
    expect(await field.inputValue()).toBe('PZ-01');
    await hint.getByText(/^Pizza Calabresa · .*39\.90$/).waitFor();
    await page.getByRole('button', { name: 'Keep and send again' }).click();
    await page.getByText('Kept. The order is sent again now: do not enter it by hand.').waitFor();
    await scenario.settle(job, 'SENT');
  });
});
