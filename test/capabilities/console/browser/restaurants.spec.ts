import { type Caller, Scenario } from '../../../support/scenario.js';
import { browserOf, builtConsole, describeInBrowser, NEEDS_BROWSER, SOUND } from './browser.js';

describeInBrowser(`all my restaurants, in a browser${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;
  let person: Caller;
  const ids: string[] = [];
  let sellNew: () => Promise<unknown>;

  beforeAll(async () => {
    scenario = await Scenario.open({ POS_PARTNER_ID: '', POS_SECRET: '' }, { consoleFolder: builtConsole() });
    person = await scenario.person('USER');
    for (const name of ['Cantina Azul', 'Bar do Porto', 'Padaria Nova']) {
      const { id, sell } = await scenario.restaurant(name);
      await scenario.database.query('UPDATE restaurants SET name = $2, code_store_pos = $3 WHERE id = $1', [
        id,
        name,
        name === 'Padaria Nova' ? null : '1001',
      ]);
      if (name === 'Cantina Azul') await scenario.settle(await sell({ payments: [] }), 'DLQ');
      await scenario.database.query(
        `INSERT INTO user_restaurants (id, user_id, restaurant_id, role, updated_at) VALUES (gen_random_uuid(), $1, $2, 'ADMIN', now())`,
        [person.id, id],
      );
      ids.push(id);
      sellNew = sell;
    }
  });
  const look = browserOf(() => scenario.relay.url);
  afterAll(() => scenario?.close());

  test.each([
    [320, 'pt-BR', 'Pedidos parados', 'faltam 3 passos', 'Todos os meus restaurantes', 'precisa de alguém'],
    [1440, 'en-US', 'Orders are parked', '3 steps left', 'All my restaurants', 'needs somebody'],
  ] as const)(
    '%i px, %s: the start page of a user of several: each with its light, its open set-up and its evening; the search has their lights (N23)',
    async (width, language, parked, left, all, needed) => {
      const window = await look({ width, language }, person, '/');
      const { page } = window;
      await page.waitForURL(/\/restaurants$/);
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await row('Cantina Azul').getByText(parked).waitFor();
      await row('Padaria Nova').getByText(left).waitFor();
      if (process.env.SHOT)
        await page.screenshot({ path: `${process.env.SHOT}/restaurants-${width}.png`, fullPage: true });
      expect(await window.sound()).toEqual(SOUND);
      await page.getByRole('searchbox').fill('porto');
      await row('Cantina Azul').waitFor({ state: 'detached' });
      expect(page.url()).toContain('q=porto');
      await page.getByRole('searchbox').fill('');
      await row('Cantina Azul').getByRole('link', { name: 'Cantina Azul' }).click();
      await page.waitForURL(new RegExp(`/r/${ids[0]}/tonight`));
      await page.locator('.switcher-button').click();
      expect(await page.locator('[role="group"]').first().locator('.find-label').allTextContents()).toEqual([
        ...[all, 'Bar do Porto', 'Padaria Nova'],
      ]);
      await page.getByRole('option', { name: all }).click();
      await page.waitForURL(/\/restaurants$/);
      await page.locator('.switcher-button').click();
      // those that need somebody come first
      const first = page.getByRole('option').nth(1);
      await first.getByText(needed).waitFor();
      expect(await first.locator('.find-label').textContent()).toBe('Cantina Azul');
      expect(await window.sound()).toEqual(SOUND);
      await page.getByRole('option', { name: all }).click();
      await page.waitForURL(/\/restaurants$/);
    },
  );

  test('a new place is set up step by step, with one primary button at a time; the first sale ticks the last step live (N24, L229)', async () => {
    const [, , id] = ids;
    const window = await look({ width: 390, language: 'en-US' }, person, `/r/${id}/setup`);
    const { page } = window;
    const primary = page.locator('main .button-primary');
    await primary.getByText('Enter the store code').click();
    expect(await primary.count()).toBe(1);
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/steps.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await page.getByLabel('Store code in the POS').fill('1001');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await primary.getByText('Enter the credentials').click();
    await page.getByLabel('Partner id').fill('partner');
    await page.getByLabel('Secret').fill('secret-of-this-place');
    await page.getByRole('button', { name: 'Save the credentials' }).click();
    await primary.getByText('Go to the test sale').waitFor();
    expect(await primary.count()).toBe(1);
    await page.getByText('Waiting for the first sale').waitFor();
    expect(await page.locator('.setup-done').count()).toBe(3);
    await sellNew();
    await page.getByText('The first sale is here.').waitFor();
    expect(await page.locator('.setup-done').count()).toBe(4);
    await primary.getByText('Go to Tonight').waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/steps-done.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await page.goto(`${scenario.relay.url}/console/r/${ids[0]}/setup`);
    await page.getByText('Enter the credentials').waitFor();
  });
});
