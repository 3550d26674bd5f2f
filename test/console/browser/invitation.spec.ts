import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { builtConsole, describeInBrowser, type Look, NEEDS_BROWSER, openBrowser, Window } from './browser.js';

const ENGLISH: Look = { width: 1440, language: 'en-US' };
const PHONE: Look = { width: 320, language: 'pt-BR', colorScheme: 'dark' };

describeInBrowser(`invitations and acceptance, in a browser${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;
  let browser: Browser;
  const windows: Window[] = [];

  beforeAll(async () => {
    scenario = await Scenario.open({}, { consoleFolder: builtConsole() });
    browser = await openBrowser();
  });
  afterEach(async () => {
    const wrong: string[] = [];
    for (const window of windows.splice(0)) {
      wrong.push(...window.wrong().filter((complaint) => !/\b4\d\d \(/.test(complaint)));
      await window.close();
    }
    expect(wrong).toEqual([]);
  });
  afterAll(async () => {
    await browser?.close();
    await scenario?.close();
  });

  async function open(path: string, who?: Caller, look = ENGLISH): Promise<Page> {
    const window = await Window.open(browser, scenario.relay.url, look);
    windows.push(window);
    if (who) await window.enter(who);
    await window.goTo(path);
    return window.page;
  }

  async function looksRight(): Promise<void> {
    const window = windows.at(-1) as Window;
    expect(await window.barriers()).toEqual([]);
    expect(await window.overflow()).toBe(0);
  }

  /** @returns the path of the link, with its token */
  async function invited(restaurantId: string, by: Caller, email: string, role = 'EMPLOYEE'): Promise<string> {
    const path = `/restaurants/${restaurantId}/invitations`;
    const { body } = await scenario.api.post(path, by.token, { email, role }).expect(201);
    return String(body.data.link).replace('/console', '');
  }

  const roleIn = async (restaurantId: string, email: string, by: Caller) =>
    (await scenario.api.get(`/restaurants/${restaurantId}/users`, by.token).expect(200)).body.users.find(
      (user: { email: string | null }) => user.email === email,
    );

  test('an owner invites by email: the link is shown once, whoever is invited stands in the list, and can be revoked', async () => {
    const { id, owner } = await scenario.restaurant();
    const email = `${randomUUID()}@example.com`;
    const page = await open(`/r/${id}/setup`, owner);
    await page.getByText('Add somebody').click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText(`Send this link to ${email}.`).waitFor();
    const link = String(await page.locator('code', { hasText: '/console/invitation#' }).textContent());
    expect(link.startsWith(`${scenario.relay.url}/console/invitation#inv_`)).toBe(true);
    await page.getByRole('heading', { name: 'Invited', exact: true }).waitFor();
    await looksRight();
    await page.getByRole('button', { name: `Revoke: ${email}` }).click();
    await page.getByRole('heading', { name: 'Invited', exact: true }).waitFor({ state: 'detached' });
    const theirs = await open(link.slice(`${scenario.relay.url}/console`.length));
    await theirs.getByText('This invitation is not valid or has expired.').waitFor();
    await looksRight();
  });

  test('a newcomer chooses a password, and is in the restaurant; the token is gone from the address', async () => {
    const { id, owner } = await scenario.restaurant();
    const email = `${randomUUID()}@example.com`;
    const page = await open(await invited(id, owner, email), undefined, PHONE);
    await page.getByText(`Para ${email}.`).waitFor();
    await looksRight();
    await page.getByLabel('Escolha uma senha').fill('short');
    await page.getByRole('button', { name: 'Criar a conta e aceitar' }).click();
    await page.getByRole('alert').getByText('De 8 caracteres a 72 bytes.').waitFor();
    await page.getByLabel('Escolha uma senha').fill(marked('chosen by a newcomer'));
    await page.getByRole('button', { name: 'Criar a conta e aceitar' }).click();
    await page.waitForURL(`**/r/${id}/tonight`);
    expect(await roleIn(id, email, owner)).toMatchObject({ role: 'EMPLOYEE', accepted: true });
  });

  test('who has an account signs in with it; who is signed in accepts; who is somebody else is told so', async () => {
    const [one, two] = [await scenario.restaurant(), await scenario.restaurant()];
    const person = await scenario.person();
    const page = await open(await invited(one.id, one.owner, person.email, 'MANAGER'));
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in and accept' }).click();
    await page.waitForURL(`**/r/${one.id}/tonight`);
    expect(await roleIn(one.id, person.email, one.owner)).toMatchObject({ role: 'MANAGER', accepted: true });

    const link = await invited(two.id, two.owner, person.email);
    const others = await open(link, one.owner);
    await others.getByText(`you are signed in as ${one.owner.email}`).waitFor();
    await looksRight();
    const signedIn = await open(link, person as Caller);
    await signedIn.getByRole('button', { name: 'Accept', exact: true }).click();
    await signedIn.waitForURL(`**/r/${two.id}/tonight`);
    expect(await roleIn(two.id, person.email, two.owner)).toMatchObject({ role: 'EMPLOYEE', accepted: true });
  });

  test.each([ENGLISH, PHONE])(
    'A26: Tonight asks who was added by others, until they accept: $language',
    async (look) => {
      const { id } = await scenario.restaurant();
      const person = await scenario.staff(id, 'VIEWER');
      const page = await open(`/r/${id}/tonight`, person, look);
      const yes = page.getByRole('button', { name: look === ENGLISH ? 'Yes, accept' : 'Sim, aceitar' });
      await yes.waitFor();
      await looksRight();
      await yes.click();
      await yes.waitFor({ state: 'detached' });
      const { body } = await scenario.api.get('/users/me/restaurants', person.token).expect(200);
      expect(body.restaurants).toMatchObject([{ id, accepted: true }]);
    },
  );
});
