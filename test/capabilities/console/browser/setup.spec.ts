import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { SETUP_TOPICS } from '../../../../console/src/api/setup-place.js';
import { POS_PRODUCTS } from '../../../../tools/demo/evening.js';
import { OWN } from '../../../support/environment.js';
import { type Caller, Scenario } from '../../../support/scenario.js';
import { marked } from '../../../support/secrets.js';
import { until } from '../../../support/until.js';
import { browserOf, builtConsole, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';

const ENGLISH: Look = { width: 1440, language: 'en-US' };
const PHONE: Look = { width: 320, language: 'pt-BR', colorScheme: 'dark' };

const shoot = (page: Page, name: string) =>
  process.env.SHOT && page.screenshot({ path: `${process.env.SHOT}/${name}.png`, fullPage: true });

describeInBrowser(`set-up, people and invitations, in a browser${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;
  let stores = 0;

  beforeAll(async () => {
    scenario = await Scenario.open({}, { consoleFolder: builtConsole(), pos: { products: [...POS_PRODUCTS] } });
  });
  const look = browserOf(() => scenario.relay.url);
  afterAll(() => scenario?.close());

  /** A restaurant that lacks nothing but a sale. */
  async function complete() {
    const one = await scenario.restaurant(`SETUP-${++stores}`);
    const fields = { codeStorePos: `P-${stores}`, ...OWN, timezone: 'America/Sao_Paulo' };
    await scenario.api.patch(`/restaurants/${one.id}`, one.token, fields).expect(200);
    return one;
  }
  const open = async (id: string, who: Caller, how = ENGLISH, topic = '') =>
    (await look(how, who, `/r/${id}/setup${topic}`)).page;
  const stored = async ({ id, token }: { id: string; token: string }) =>
    (await scenario.api.get(`/restaurants/${id}`, token).expect(200)).body;
  const linked = async ({ id, token }: { id: string; token: string }, { email }: { email: string }) =>
    (await scenario.api.get(`/restaurants/${id}/users`, token).expect(200)).body.users.find(
      (user: { email: string | null }) => user.email === email,
    );

  test('a VIEWER and an EMPLOYEE read, a MANAGER sees the people as well, and may pause: else without a button or field', async () => {
    const { id, owner } = await complete();
    for (const role of ['VIEWER', 'EMPLOYEE', 'MANAGER'] as const) {
      const maySee = role === 'MANAGER' ? 4 : 0;
      const page = await open(id, await scenario.staff(id, role));
      await page.getByText(role === 'MANAGER' ? owner.email : `SETUP-${stores}`).waitFor();
      // the form of the pause: a reason, a time and a button
      expect(await page.locator('main').locator('button, input, select, summary, form').count()).toBe(maySee);
    }
  });

  test('a MANAGER pauses the orders; Tonight says so and why, and resumes them (O49, O50)', async () => {
    const one = await complete();
    const manager = await scenario.staff(one.id, 'MANAGER');
    const page = await open(one.id, manager);
    await page.getByLabel('Reason, for colleagues').fill('The kitchen is full');
    await page.getByLabel('It ends by itself after').selectOption('2');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText(/^Paused until .*: no order is sent$/).waitFor();
    await shoot(page, 'pause-setup');
    await one.sell();
    const window = await look(PHONE, manager, `/r/${one.id}/tonight`);
    const need = window.page.locator('.need', { hasText: 'Pausado até' });
    await need.getByText('1 pedido aguarda').waitFor();
    await need.getByText('Motivo: ').waitFor();
    await shoot(window.page, 'pause-tonight');
    expect(await window.sound()).toEqual(SOUND);
    const looker = await look(ENGLISH, await scenario.staff(one.id, 'VIEWER'), `/r/${one.id}/tonight`);
    await looker.page.locator('.need', { hasText: 'Paused until' }).waitFor();
    expect(await looker.page.getByRole('button', { name: 'Resume now' }).count()).toBe(0);
    await need.getByRole('button', { name: 'Retomar agora' }).click();
    await need.waitFor({ state: 'detached' });
    expect(await scenario.database.query('SELECT paused_until FROM restaurants WHERE id = $1', [one.id])).toEqual([
      { paused_until: null },
    ]);
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

  test.each([
    [320, 'pt-BR'],
    [390, 'en-US'],
    [768, 'pt-BR'],
    [1024, 'pt-BR'],
    [1440, 'en-US'],
  ] as const)(
    '%s px: each topic has an address, and no barrier; an index says how each stands (N34)',
    async (width, language) => {
      const { id, owner, ...one } = await complete();
      await scenario.api.patch(`/restaurants/${id}`, one.token, { codeStorePos: null }).expect(200);
      const window = await look({ width, language }, owner, `/r/${id}/setup`);
      const { page } = window;
      const index = page.locator('.setup-index');
      await index.getByText(language === 'en-US' ? 'the store code in the POS is missing' : 'falta o código').waitFor();
      await index.getByText(language === 'en-US' ? '1 person' : '1 pessoa').waitFor();
      await shoot(page, `setup-${width}`);
      expect(await window.sound()).toEqual(SOUND);
      const isWide = width >= 1024;
      for (const topic of SETUP_TOPICS) {
        await window.goTo(`/r/${id}/setup/${topic}`);
        await page.locator(`.setup-topic-${topic} .panel`).first().waitFor();
        expect(await page.locator('.setup-topic').count()).toBe(isWide ? SETUP_TOPICS.length : 1);
        if (isWide) expect(await page.evaluate('document.activeElement.id')).toBe(`setup-${topic}`);
        else {
          await shoot(page, `setup-${topic}-${width}`);
          expect([topic, await window.sound()]).toEqual([topic, SOUND]);
        }
      }
    },
  );

  test('from topic to topic what was shown once stays on a desk; on a phone a link leads back to the index (N34)', async () => {
    const { id, owner } = await complete();
    const { page } = await look(ENGLISH, owner, `/r/${id}/setup/terminals`);
    const keys = page.locator('.sender-keys');
    await keys.getByText('Make a key', { exact: true }).first().click();
    await keys.getByLabel('Name of the key').fill('Bar');
    await keys.getByRole('button', { name: 'Make the key', exact: true }).click();
    await keys.locator('.new-key').waitFor();
    await page.getByRole('link', { name: /^People and roles/ }).click();
    await page.waitForURL('**/setup/people');
    expect(await keys.locator('.new-key').count()).toBe(1);
    const phone = (await look(PHONE, owner, `/r/${id}/setup/people`)).page;
    await phone.locator('.setup-back').getByRole('link').click();
    await phone.getByRole('link', { name: /^Impressoras/ }).click();
    await phone.getByRole('heading', { level: 1, name: 'Impressoras' }).waitFor();
    expect(await phone.evaluate('document.activeElement.tagName')).toBe('H1');
  });

  test('the turn of a screen keeps what is shown once, what is half typed, and the focus, in every topic (N34)', async () => {
    const one = await complete();
    await scenario.api.patch(`/restaurants/${one.id}`, one.token, { posVendor: 'open-delivery' }).expect(200);
    const window = await look({ ...ENGLISH, width: 768, height: 1024 }, one.owner, `/r/${one.id}/setup/pos`);
    const { page } = window;
    const upright = () => page.setViewportSize({ width: 768, height: 1024 });
    const lying = () => page.setViewportSize({ width: 1024, height: 768 });
    const credentials = page.locator('.setup-topic-pos .new-key');
    await page.getByText('Make credentials', { exact: true }).click();
    await page.getByLabel('Name of the POS').fill('Till');
    await page.getByRole('button', { name: 'Make the credentials' }).click();
    await credentials.waitFor();
    const secret = await credentials.locator('.copyable code').last().textContent();
    const address = page.getByLabel('Address of the POS');
    await address.pressSequentially('https://half');
    await lying();
    await page.getByRole('heading', { name: 'Keys of the terminals' }).waitFor();
    expect(await credentials.locator('.copyable code').last().textContent()).toBe(secret);
    await page.keyboard.type('-typed');
    expect(await address.inputValue()).toBe('https://half-typed');
    const keys = page.locator('.sender-keys');
    await keys.getByText('Make a key', { exact: true }).first().click();
    await keys.getByLabel('Name of the key').fill('Bar');
    await keys.getByRole('button', { name: 'Make the key', exact: true }).click();
    const token = await keys.locator('.new-key > .copyable code').first().textContent();
    await upright();
    await keys.waitFor({ state: 'hidden' });
    await credentials.waitFor();
    await shoot(page, 'turned-pos');
    await page.locator('.setup-back').getByRole('link').click();
    await credentials.waitFor({ state: 'hidden' });
    await shoot(page, 'turned-index');
    expect(await window.sound()).toEqual(SOUND);
    await page.getByRole('link', { name: /^Terminals/ }).click();
    await keys.locator('.new-key').waitFor();
    expect(await keys.locator('.new-key > .copyable code').first().textContent()).toBe(token);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await lying();
    await credentials.waitFor();
    await shoot(page, 'turned-desk');
    expect(await window.sound()).toEqual(SOUND);
  });

  test("what the relay refuses is said at its field, in the page's language, and the focus goes there", async () => {
    const [one, other] = [await complete(), await complete()];
    const page = await open(one.id, one.owner, PHONE, '/restaurant');
    const save = page.getByRole('button', { name: 'Salvar', exact: true });
    const focused = () => page.locator(':focus').getAttribute('name');
    await page.getByLabel('Endereço (opcional)', { exact: true }).fill('Via Appia 2');
    await page.getByLabel('Fuso horário').fill('Mars/Olympus');
    await save.click();
    await page.getByText('Este fuso horário não existe.').waitFor();
    expect(await focused()).toBe('timezone');
    await page.getByLabel('Fuso horário').fill('America/Manaus');
    await save.click();
    await page.getByText('Salvo.').waitFor();
    expect(await stored(one)).toMatchObject({ address: 'Via Appia 2', timezone: 'America/Manaus' });
    await page.getByLabel('Código da loja nos terminais').fill((await stored(other)).codeStoreTerminal);
    await save.click();
    await page.getByText('Outro restaurante já usa isto.').waitFor();
    expect(await focused()).toBe('codeStoreTerminal');
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

  test('the check signs in at the POS, and shows each problem with its remedy', async () => {
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
      'Not workingStore code in the POSThe store code in the POS (codeStorePos) is not set: orders wait until it is.' +
        'Set it to the code of this store in the POS; ask the operator of the POS for it.',
    );
    expect(found[4]).toContain('The POS has just accepted the credentials.');
    // on a slow machine the pause may be over: then another check is made
    await page.getByRole('button', { name: 'Check again' }).waitFor();
    await until(async () => {
      const answer = page.waitForResponse(/\/check$/);
      await page.getByRole('button', { name: /^Check/ }).click();
      return (await answer).status() === 429;
    });
    await page.getByText('A check has just been made.').waitFor();
  });

  test('a test sale is sent and watched until it is in the POS, or why not is said', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    await page.getByLabel('Product code').fill('NOBODY-KNOWS');
    await page.getByRole('button', { name: 'Send the test sale' }).click();
    await page.getByText('Waiting for the POS').waitFor();
    await scenario.relay.tick();
    await page.getByText('The POS did not accept it.').waitFor();
    await page.getByText('NOBODY-KNOWS').last().waitFor();
    await page.getByLabel('Product code').fill(POS_PRODUCTS[0] as string);
    await page.getByLabel('Price').fill('0');
    await page.getByRole('button', { name: 'Send another one' }).click();
    expect(await page.locator(':focus').getAttribute('name')).toBe('price');
    await page.getByLabel('Price').fill('1,50');
    await page.getByRole('button', { name: 'Send another one' }).click();
    await page.getByText('The relay has it. Waiting for the POS').waitFor();
    await scenario.relay.tick();
    await page.getByText('It is in the POS.').waitFor();
    const [order] = (await scenario.api.get(`/restaurants/${one.id}/orders`, one.token).expect(200)).body.data;
    expect(order).toMatchObject({ test: true, status: 'SENT', paidCents: 150 });
    const link = await page.getByRole('link', { name: 'See its journey' }).getAttribute('href');
    expect(link).toBe(`/console/r/${one.id}/orders/${encodeURIComponent(order.transactionKey)}`);
  });

  test('people: added with an account or by their id, given another role, removed; the last owner stays', async () => {
    const one = await complete();
    const known = await scenario.person();
    const page = await open(one.id, one.owner);
    await page.getByLabel(`Role of ${one.owner.email}`).selectOption('VIEWER');
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.getByText('A restaurant keeps its last owner.').waitFor();
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
    // a person added by id is known by it alone until they accept
    await page.getByText(`${known.id} is added.`).waitFor();
    await page.getByLabel(`Role of ${known.id}`).selectOption('MANAGER');
    await page.getByRole('button', { name: 'Save role' }).click();
    await page.getByText(`The role of ${known.id} is changed.`).waitFor();
    const roleOf = (who: Caller | typeof known) =>
      scenario.api.get(`/restaurants/${one.id}/my-role`, who.token).then(({ body }) => body.role);
    expect(await roleOf(known)).toBe('MANAGER');
    await page.getByRole('button', { name: `Remove: ${known.id}` }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: `Remove: ${known.id}` })
      .click();
    await page.getByText(`${known.id} is removed.`).waitFor();
    expect(await roleOf(known)).toBeUndefined();
  });

  test('the ownership is handed over after a question that names both', async () => {
    const one = await complete();
    const heir = await scenario.staff(one.id, 'MANAGER');
    const page = await open(one.id, one.owner);
    await page.getByLabel('New owner').selectOption(heir.id);
    await page.getByRole('button', { name: 'Hand over' }).click();
    await page.getByRole('alertdialog', { name: heir.email }).getByRole('button', { name: /^Make/ }).click();
    // a modal dialog hides the page behind it, also from this test
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Hand over the ownership' }).waitFor({ state: 'detached' });
    expect((await scenario.api.get(`/restaurants/${one.id}/my-role`, heir.token).expect(200)).body.role).toBe('OWNER');
  });

  test('a new restaurant opens its set-up; errors of a field are shown at the field, others at the form (N11)', async () => {
    const one = await complete();
    const page = await open(one.id, one.owner);
    await page.getByRole('link', { name: 'Create another restaurant' }).click();
    const create = page.getByRole('button', { name: 'Create the restaurant' });
    await create.click();
    await page.getByText('Between 1 and 200 characters.').waitFor();
    expect(await page.locator(':focus').getAttribute('name')).toBe('name');
    const message = 'slug is required: the name has no letters for one';
    const refusal = { statusCode: 400, error: 'Bad Request', code: 'VALIDATION_FAILED', message: [message] };
    await page.route('**/console/api/restaurants', (route) => route.fulfill({ status: 400, json: refusal }));
    await create.click();
    await page.getByRole('status').getByText(message).waitFor();
    await page.unroute('**/console/api/restaurants');
    const name = `Osteria ${randomUUID()}`;
    await page.getByLabel('Name').fill(name);
    await create.click();
    await page.waitForURL('**/setup');
    expect(await page.getByLabel('Name', { exact: true }).first().inputValue()).toBe(name);
    // the zone of the device
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
  });

  /** @returns the path of the link, with its token */
  async function invited({ id, token }: { id: string; token: string }, email: string, role = 'EMPLOYEE') {
    const { body } = await scenario.api.post(`/restaurants/${id}/invitations`, token, { email, role }).expect(201);
    return String(body.data.link).replace('/console', '');
  }

  test('an owner invites by email: the link is shown once, the invitation is listed, and can be revoked', async () => {
    const { id, owner } = await complete();
    const email = `${randomUUID()}@example.com`;
    const window = await look(ENGLISH, owner, `/r/${id}/setup`);
    const { page } = window;
    await page.getByText('Add somebody').click();
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByText(`Send this link to ${email}.`).waitFor();
    const link = String(await page.locator('code', { hasText: '/console/invitation#' }).textContent());
    expect(link.startsWith(`${scenario.relay.url}/console/invitation#inv_`)).toBe(true);
    await page.getByRole('heading', { name: 'Invited', exact: true }).waitFor();
    expect(await window.sound()).toEqual(SOUND);
    await page.getByRole('button', { name: `Revoke: ${email}` }).click();
    await page.getByRole('heading', { name: 'Invited', exact: true }).waitFor({ state: 'detached' });
    const theirs = await look(ENGLISH, undefined, link.slice(`${scenario.relay.url}/console`.length));
    await theirs.page.getByText('This invitation is not valid or has expired.').waitFor();
    expect(await theirs.sound(404)).toEqual(SOUND);
  });

  test('a newcomer chooses a password, and is in the restaurant; the token is gone from the address', async () => {
    const one = await complete();
    const email = `${randomUUID()}@example.com`;
    const window = await look(PHONE, undefined, await invited(one, email));
    const { page } = window;
    await page.getByText(`Para ${email}.`).waitFor();
    expect(await window.sound()).toEqual(SOUND);
    await page.getByLabel('Escolha uma senha').fill('short');
    await page.getByRole('button', { name: 'Criar a conta e aceitar' }).click();
    await page.getByRole('alert').getByText('De 8 a 72 caracteres; um acento conta como dois.').waitFor();
    await page.getByLabel('Escolha uma senha').fill(marked('chosen by a newcomer'));
    await page.getByRole('button', { name: 'Criar a conta e aceitar' }).click();
    await page.waitForURL(`**/r/${one.id}/tonight`);
    expect(await linked(one, { email })).toMatchObject({ role: 'EMPLOYEE', accepted: true });
  });

  test('an owner makes a link to a new password, which signs its person in; the sign-in says what to do without mail (A43 to A45)', async () => {
    const { id, owner } = await complete();
    const person = await scenario.person();
    await scenario.people.link(person.id, id, 'MANAGER', 'ACCOUNT');
    const window = await look(PHONE, owner, `/r/${id}/setup/people`);
    await window.page.getByRole('button', { name: `Nova senha: ${person.email}` }).click();
    const link = String(await window.page.locator('code', { hasText: '/console/password#' }).textContent());
    expect(await window.sound()).toEqual(SOUND);
    const theirs = await look(PHONE, undefined, link.slice(`${scenario.relay.url}/console`.length));
    await theirs.page.getByLabel('Escolha uma nova senha').fill(marked('set by a link'));
    expect(await theirs.sound()).toEqual(SOUND);
    await theirs.page.getByRole('button', { name: 'Definir a senha' }).click();
    await theirs.page.waitForURL(`**/r/${id}/tonight`);
    const used = await look(ENGLISH, undefined, link.slice(`${scenario.relay.url}/console`.length));
    await used.page.getByLabel('Choose a new password').fill(marked('set once more'));
    await used.page.getByRole('button', { name: 'Set the password' }).click();
    await used.page.getByText('This link was used, or has expired.').waitFor();
    expect(await used.sound(404)).toEqual(SOUND);
    const forgetful = await look(ENGLISH, undefined, '/');
    await forgetful.page.getByRole('link', { name: 'Forgot your password?' }).click();
    await forgetful.page.getByLabel('Email').fill(person.email);
    await forgetful.page.getByRole('button', { name: 'Send the link' }).click();
    await forgetful.page.getByText('This relay sends no mail.').waitFor();
    expect(await forgetful.sound(409)).toEqual(SOUND);
  });

  test('an invited user with an account signs in with it, or accepts when signed in; another user cannot accept it', async () => {
    const [one, two] = [await complete(), await complete()];
    const person = await scenario.person();
    const { page } = await look(ENGLISH, undefined, await invited(one, person.email, 'MANAGER'));
    await page.getByRole('radio', { name: 'I have an account' }).check();
    await page.getByLabel('Password').fill(person.password);
    await page.getByRole('button', { name: 'Sign in and accept' }).click();
    await page.waitForURL(`**/r/${one.id}/tonight`);
    expect(await linked(one, person)).toMatchObject({ role: 'MANAGER', accepted: true });
    const link = await invited(two, person.email);
    const others = await look(ENGLISH, one.owner, link);
    await others.page.getByText(`you are signed in as ${one.owner.email}`).waitFor();
    expect(await others.sound()).toEqual(SOUND);
    const signedIn = (await look(ENGLISH, person, link)).page;
    await signedIn.getByRole('button', { name: 'Accept', exact: true }).click();
    await signedIn.waitForURL(`**/r/${two.id}/tonight`);
    expect(await linked(two, person)).toMatchObject({ role: 'EMPLOYEE', accepted: true });
  });

  test('Tonight asks users who were added by others, until they accept (A26)', async () => {
    const { id } = await complete();
    const person = await scenario.staff(id, 'VIEWER');
    const window = await look(PHONE, person, `/r/${id}/tonight`);
    const yes = window.page.getByRole('button', { name: 'Sim, aceitar' });
    await yes.waitFor();
    expect(await window.sound()).toEqual(SOUND);
    await yes.click();
    await yes.waitFor({ state: 'detached' });
    const { body } = await scenario.api.get('/users/me/restaurants', person.token).expect(200);
    expect(body.restaurants).toMatchObject([{ id, accepted: true }]);
  });
});
