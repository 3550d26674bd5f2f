import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { POS_PRODUCTS } from '../../../tools/demo/evening.js';
import { OWN } from '../../support/environment.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { until } from '../../support/until.js';
import { builtConsole, describeInBrowser, type Look, NEEDS_BROWSER, openBrowser, Window } from './browser.js';

const ENGLISH: Look = { width: 1440, language: 'en-US' };

describeInBrowser(`set-up, in a browser${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;
  let browser: Browser;
  let window: Window | undefined;
  let stores = 0;

  beforeAll(async () => {
    const pos = { products: [...POS_PRODUCTS] };
    scenario = await Scenario.open({}, { consoleFolder: builtConsole(), pos });
    browser = await openBrowser();
  });
  afterEach(async () => {
    const wrong = window?.wrong().filter((complaint) => !/\b4\d\d \(/.test(complaint));
    await window?.close();
    window = undefined;
    expect(wrong).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await scenario?.close();
  });

  /** A restaurant that lacks nothing but a sale. */
  async function complete() {
    const one = await scenario.restaurant(`SETUP-${++stores}`);
    const fields = { codeStorePos: `P-${stores}`, ...OWN, timezone: 'America/Sao_Paulo' };
    await scenario.api.patch(`/restaurants/${one.id}`, one.token, fields).expect(200);
    return one;
  }

  async function open(id: string, who: Caller, look = ENGLISH): Promise<Page> {
    window = await Window.open(browser, scenario.relay.url, look);
    await window.enter(who);
    await window.goTo(`/r/${id}/setup`);
    return window.page;
  }
  const stored = async ({ id, token }: { id: string; token: string }) =>
    (await scenario.api.get(`/restaurants/${id}`, token).expect(200)).body;

  test.each(['VIEWER', 'EMPLOYEE'] as const)('a %s reads, and sees no button or field', async (role) => {
    const { id } = await complete();
    const page = await open(id, await scenario.staff(id, role));
    await page.getByText(`SETUP-${stores}`).waitFor();
    expect(await page.locator('main').locator('button, input, select, summary, form').count()).toBe(0);
  });

  test('a MANAGER sees the people as well, and changes nothing', async () => {
    const { id, owner } = await complete();
    const page = await open(id, await scenario.staff(id, 'MANAGER'));
    await page.getByText(owner.email).waitFor();
    expect(await page.locator('main').locator('button, input, select, summary, form').count()).toBe(0);
  });

  test('an ADMIN changes the restaurant and adds people, and is offered no role above their own, nor the ownership', async () => {
    const { id, owner } = await complete();
    const page = await open(id, await scenario.staff(id, 'ADMIN'));
    await page.getByText(owner.email).waitFor();
    await page.getByText('Add somebody').click();
    expect(await page.getByLabel('Role', { exact: true }).locator('option').allTextContents()).toEqual([
      ...['Administrator', 'Manager', 'Employee', 'Viewer'],
    ]);
    expect(await page.getByRole('heading', { name: 'Hand over the ownership' }).count()).toBe(0);
    expect(await page.getByRole('button', { name: `Remove: ${owner.email}` }).count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Send the test sale' }).count()).toBe(0);
  });

  test("what the relay refuses is said at its field, in the page's language, and the focus goes there", async () => {
    const one = await complete();
    const page = await open(one.id, one.owner, { width: 320, language: 'pt-BR' });
    await page.getByLabel('Endereço', { exact: true }).fill('Via Appia 2');
    await page.getByLabel('Fuso horário').fill('Mars/Olympus');
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await page.getByText('Este fuso horário não existe.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('timezone');
    await page.getByLabel('Fuso horário').fill('America/Manaus');
    await page.getByRole('button', { name: 'Salvar', exact: true }).click();
    await page.getByText('Salvo.').waitFor();
    expect(await stored(one)).toMatchObject({ address: 'Via Appia 2', timezone: 'America/Manaus' });
  });

  test('a store code that another restaurant has is told so at its field', async () => {
    const [one, other] = [await complete(), await complete()];
    const page = await open(one.id, one.owner);
    await page.getByLabel('Store code of the terminals').fill((await stored(other)).codeStoreTerminal);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Another restaurant has this already.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('codeStoreTerminal');
  });

  test('POS credentials are written and never shown', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    const secret = marked('another-secret');
    await page.getByLabel('Secret').fill(secret);
    await page.getByRole('button', { name: 'Save the credentials' }).click();
    await page.getByText('Saved. Now check').waitFor();
    expect(await page.getByLabel('Secret').inputValue()).toBe('');
    expect(await page.content()).not.toContain(secret);
    await page.getByRole('button', { name: 'Remove them' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove them' }).click();
    await page.getByText('None of its own').waitFor();
    expect(await stored(one)).toMatchObject({ posIdPartner: null, hasPosSecret: false });
  });

  test('the check signs in at the POS, and says in words what is wrong and what to do', async () => {
    const one = await complete();
    await scenario.api.patch(`/restaurants/${one.id}`, one.token, { codeStorePos: null }).expect(200);
    const page = await open(one.id, one.owner);
    const calls = scenario.pos.authCalls;
    await page.getByRole('button', { name: 'Check, and sign in at the POS now' }).click();
    await page.getByText('2 points need a look.').waitFor();
    expect(scenario.pos.authCalls).toBe(calls + 1);
    const found = await page.locator('.check').allTextContents();
    expect(found).toHaveLength(11);
    expect(found[1]).toBe(
      'Not workingStore code in the POSNot set: orders wait until it is.Set it. Whoever operates the POS knows it.',
    );
    expect(found[4]).toContain('The POS has just accepted the credentials.');
    // on a slow machine the first is long ago by now, and another one is made
    await page.getByRole('button', { name: 'Check again' }).waitFor();
    await until(async () => {
      const answer = page.waitForResponse(/\/check$/);
      await page.getByRole('button', { name: /^Check/ }).click();
      return (await answer).status() === 429;
    });
    await page.getByText('A check has just been made.').waitFor();
  });

  test('a test sale is sent and watched until it is in the POS', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    await page.getByLabel('Product code').fill(POS_PRODUCTS[0] as string);
    await page.getByLabel('Price').fill('0');
    await page.getByRole('button', { name: 'Send the test sale' }).click();
    expect(await page.locator(':focus').getAttribute('name')).toBe('price');
    await page.getByLabel('Price').fill('1,50');
    await page.getByRole('button', { name: 'Send the test sale' }).click();
    await page.getByText('The relay has it. Waiting for the POS').waitFor();
    await scenario.relay.tick();
    await page.getByText('It is in the POS.').waitFor();
    const [order] = (await scenario.api.get(`/restaurants/${one.id}/orders`, one.token).expect(200)).body.data;
    expect(order).toMatchObject({ test: true, status: 'SENT', paidCents: 150 });
    const link = await page.getByRole('link', { name: 'See its journey' }).getAttribute('href');
    expect(link).toBe(`/console/r/${one.id}/orders/${encodeURIComponent(order.transactionKey)}`);
  });

  test('a product that the POS does not know: why is said', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    await page.getByLabel('Product code').fill('NOBODY-KNOWS');
    await page.getByRole('button', { name: 'Send the test sale' }).click();
    await page.getByText('Waiting for the POS').waitFor();
    await scenario.relay.tick();
    await page.getByText('The POS did not accept it.').waitFor();
    await page.getByText('NOBODY-KNOWS').last().waitFor();
  });

  test('people: added with an account or by their id, given another role, removed', async () => {
    const one = await complete();
    const known = await scenario.person();
    const page = await open(one.id, one.owner);
    await page.getByText('Add somebody').click();
    await page.getByRole('radio', { name: 'New account' }).check();
    await page.getByLabel('Email').fill(known.email);
    await page.getByLabel('First password').fill(marked('a guess'));
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('There is an account with this email already.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('email');
    await page.getByRole('radio', { name: 'Has an account' }).check();
    await page.getByLabel('User id').fill(known.id);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    // who was added by id is known by it alone until they accept
    await page.getByText(`${known.id} is added.`).waitFor();
    await page.getByLabel(`Role of ${known.id}`).selectOption('MANAGER');
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.getByText(`The role of ${known.id} is changed.`).waitFor();
    const role = async () =>
      (await scenario.api.get(`/restaurants/${one.id}/users`, one.token).expect(200)).body.users.find(
        ({ userId }: { userId: string }) => userId === known.id,
      )?.role;
    expect(await role()).toBe('MANAGER');
    await page.getByRole('button', { name: `Remove: ${known.id}` }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: `Remove: ${known.id}` })
      .click();
    await page.getByText(`${known.id} is removed.`).waitFor();
    expect(await role()).toBeUndefined();
  });

  test('the last owner stays one: said in words', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    await page.getByLabel(`Role of ${one.owner.email}`).selectOption('VIEWER');
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.getByText('A restaurant keeps its last owner.').waitFor();
  });

  test('the ownership is handed over after a question that names both', async () => {
    const one = await complete();
    const heir = await scenario.staff(one.id, 'MANAGER');
    const page = await open(one.id, one.owner);
    await page.getByLabel('New owner').selectOption(heir.id);
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.getByRole('alertdialog', { name: heir.email }).getByRole('button', { name: /^Make/ }).click();
    // not before the dialog has gone: what is behind it is hidden from readers, and so from this
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Hand over the ownership' }).waitFor({ state: 'detached' });
    expect((await scenario.api.get(`/restaurants/${one.id}/my-role`, heir.token).expect(200)).body.role).toBe('OWNER');
  });

  test('a new restaurant leads to its set-up; what is missing is said at its field', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    await page.getByRole('link', { name: 'Create another restaurant' }).click();
    await page.getByRole('button', { name: 'Create the restaurant' }).click();
    await page.getByText('Between 1 and 200 characters.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('name');
    const name = `Osteria ${randomUUID()}`;
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create the restaurant' }).click();
    await page.waitForURL('**/setup');
    expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe(name);
    // the zone of the device
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
  });
});
