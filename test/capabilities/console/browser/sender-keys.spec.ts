import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Reconciler } from '../../../../src/capabilities/alerts/reconciler.js';
import { nowSeconds, signatureOf } from '../../../auth/sender-keys/keys.js';
import { sale } from '../../../support/client.js';
import { until } from '../../../support/until.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const DESK: Look = { width: 1280, language: 'pt-BR', colorScheme: 'dark' };
const LOOKS = { phone: PHONE, wide: DESK } as const;
const DAY = 86_400_000;

const ENGLISH = {
  ...{ title: 'Keys of the terminals', add: 'Make a key', name: 'Name of the key', button: 'Make the key' },
  ...{ kind: 'How the terminal proves who it is', lifetime: 'How long it works', once: /It is shown this once/ },
  ...{ example: 'Send a test sale with curl', rotate: 'Replace', until: /The old key works until/ },
  ...{ overlap: 'How long the old key still works', now: 'The old key does not work any more.' },
  ...{ revoke: 'Revoke', revoked: 'is revoked', ended: /Ended keys/, used: /last used/, soon: 'expires soon' },
  paste: 'paste the secret here',
};
const PORTUGUESE: typeof ENGLISH = {
  ...{ title: 'Chaves dos terminais', add: 'Criar uma chave', name: 'Nome da chave', button: 'Criar a chave' },
  ...{ kind: 'Como o terminal prova quem é', lifetime: 'Por quanto tempo funciona', once: /É mostrado só agora/ },
  ...{ example: 'Enviar uma venda de teste com curl', rotate: 'Trocar', until: /A chave antiga funciona até/ },
  ...{ overlap: 'Por quanto tempo a chave antiga ainda funciona', now: 'A chave antiga não funciona mais.' },
  ...{ revoke: 'Revogar', revoked: 'foi revogada', ended: /Chaves encerradas/, used: /usada por último/ },
  ...{ soon: 'expira em breve', paste: 'cole o segredo aqui' },
};
const EACH = [
  ['phone', ENGLISH],
  ['wide', PORTUGUESE],
] as const;

describeInBrowser(`keys of the terminals, in a browser (N28)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const setup = () => `/r/${evening.restaurantId}/setup/terminals`;
  const panelOf = ({ page }: Window, { title }: typeof ENGLISH) =>
    page.locator('.panel', { has: page.getByRole('heading', { name: title }) });
  const shoot = (window: Window, name: string, words = ENGLISH) =>
    process.env.SHOT && panelOf(window, words).screenshot({ path: `${process.env.SHOT}/${name}.png` });
  /** Makes a key by the form. @returns what is shown once */
  const make = async (window: Window, words: typeof ENGLISH, name: string, kind: 'TOKEN' | 'SIGNING') => {
    const panel = panelOf(window, words);
    await panel.getByText(words.add, { exact: true }).click();
    await panel.getByLabel(words.name).fill(` ${name} `);
    await panel.getByLabel(words.kind).selectOption(kind);
    await shoot(window, `keys-form-${window.page.viewportSize()?.width}`, words);
    await panel.getByRole('button', { name: words.button }).click();
    await panel.getByText(words.once).waitFor();
    return (await panel.locator('.new-key > .copyable code').allTextContents()) as [string, string];
  };
  const send = async (url: string, headers: Record<string, string>, transactionKey: string) => {
    const body = JSON.stringify(sale({ transactionKey, storeCode: undefined }));
    const now = nowSeconds();
    const { secret, ...rest } = headers;
    const signed: Record<string, string> = secret
      ? {
          ...{ 'webhook-id': transactionKey, 'webhook-timestamp': String(now) },
          'webhook-signature': signatureOf(secret, transactionKey, now, body),
        }
      : {};
    const all = { 'Content-Type': 'application/json', ...rest, ...signed };
    return (await fetch(url, { method: 'POST', headers: all, body })).status;
  };

  test.each(EACH)(
    'a key that signs is made, shown once with an example, used, replaced and revoked; %s (N28)',
    async (name, words) => {
      const window = await look(LOOKS[name], evening.owner, setup());
      const panel = panelOf(window, words);
      const [secret, url] = await make(window, words, `Bar ${name}`, 'SIGNING');
      expect(secret).toMatch(/^whsec_/);
      expect(url.startsWith(`${evening.scenario.relay.url}/webhooks/terminal/`)).toBe(true);
      expect(await window.page.evaluate('document.activeElement.className')).toContain('new-key');
      await panel.getByText(words.example).click();
      const examples = panel.locator('.key-examples .copyable code');
      await examples.first().waitFor();
      expect(await examples.count()).toBe(2);
      for (const example of await examples.allTextContents()) {
        expect(example).toContain(evening.scenario.relay.url);
        expect(example).toContain(`KEY_ID=${url.slice(-8)}`);
        expect(example).not.toContain(secret);
      }
      // as somebody pastes it into a shell; the one with Node, which is there
      const pasted = ((await examples.last().textContent()) ?? '').replace(words.paste, secret);
      expect((await promisify(execFile)('sh', ['-c', pasted])).stdout).toContain('stored: {"success":true');
      await shoot(window, `keys-example-${name}`, words);
      expect(await window.sound()).toEqual(SOUND);
      expect(await send(url, { secret }, `KEY-1-${name}`)).toBe(200);

      await window.goTo(setup());
      await panel
        .locator('.keys li', { hasText: `Bar ${name}` })
        .getByText(words.used)
        .waitFor();
      expect(await panel.locator('.copyable').count()).toBe(0);
      await panel.getByRole('button', { name: new RegExp(`^${words.rotate}: .*Bar ${name}`) }).click();
      const dialog = window.page.getByRole('alertdialog');
      await dialog.getByText(words.until).waitFor();
      await shoot(window, `keys-rotate-${name}`, words);
      expect(await window.sound()).toEqual(SOUND);
      await dialog.getByRole('button', { name: words.rotate }).click();
      await panel.locator('.new-key').getByText(words.until).waitFor();
      const [next, nextUrl] = (await panel.locator('.new-key > .copyable code').allTextContents()) as [string, string];
      expect(await send(url, { secret }, `KEY-2-${name}`)).toBe(200);
      expect(await send(nextUrl, { secret: next }, `KEY-3-${name}`)).toBe(200);
      await shoot(window, `keys-rotated-${name}`, words);

      for (let left = 2; left > 0; left--) {
        await panel
          .getByRole('button', { name: new RegExp(`^${words.revoke}: .*Bar ${name}`) })
          .first()
          .click();
        await dialog.getByRole('button', { name: words.revoke }).click();
        await dialog.waitFor({ state: 'detached' });
        await panel.locator('.field-good', { hasText: words.revoked }).waitFor();
      }
      await panel.getByText(words.ended).click();
      await shoot(window, `keys-ended-${name}`, words);
      expect(await window.sound()).toEqual(SOUND);
      expect(await send(nextUrl, { secret: next }, `KEY-4-${name}`)).toBe(401);
    },
  );

  test.each(EACH)('a token is replaced at once when the dialog says so; %s (N28)', async (name, words) => {
    const window = await look(LOOKS[name], evening.owner, setup());
    const panel = panelOf(window, words);
    const url = `${evening.scenario.relay.url}/webhooks/terminal`;
    const [token] = await make(window, words, `Terrace ${name}`, 'TOKEN');
    expect(await send(url, { Authorization: `Bearer ${token}` }, `TOKEN-1-${name}`)).toBe(200);
    await panel.getByRole('button', { name: new RegExp(`^${words.rotate}: .*Terrace ${name}`) }).click();
    const dialog = window.page.getByRole('alertdialog');
    await dialog.getByLabel(words.overlap).selectOption('0');
    await dialog.getByRole('button', { name: words.rotate }).click();
    await panel.getByText(words.now).waitFor();
    expect(await send(url, { Authorization: `Bearer ${token}` }, `TOKEN-2-${name}`)).toBe(401);
    expect(await window.sound()).toEqual(SOUND);
  });

  test('the last week of a key is a warning (N28)', async () => {
    const { scenario, restaurantId, owner } = evening;
    const expiresAt = new Date(Date.now() + 3 * DAY).toISOString();
    await scenario.api
      .post(`/restaurants/${restaurantId}/sender-keys`, owner.token, { name: 'Old', kind: 'TOKEN', expiresAt })
      .expect(201);
    const window = await look(PHONE, evening.owner, setup());
    const row = panelOf(window, ENGLISH).locator('li', { hasText: 'Old' });
    await row.getByText(ENGLISH.soon).waitFor();
    expect(await row.textContent()).toContain('expires in 3 days');
  });

  test('an expired key is revoked among the ended ones, and its alert names it with the way there (G30, N28)', async () => {
    const { scenario, restaurantId, owner } = evening;
    const expiresAt = new Date(Date.now() + DAY).toISOString();
    await scenario.api
      .post(`/restaurants/${restaurantId}/sender-keys`, owner.token, { name: 'Gone', kind: 'TOKEN', expiresAt })
      .expect(201);
    await scenario.database.query(
      `UPDATE sender_keys SET expires_at = now() - interval '1 minute', last_used_at = now() - interval '1 hour' WHERE name = 'Gone'`,
    );
    await scenario.relay.get(Reconciler).reconcile();
    const window = await look(PHONE, owner, `/r/${restaurantId}/alerts`);
    const { page } = window;
    const alert = page.locator('.alert-open', { hasText: 'Gone' });
    await alert.getByRole('heading', { name: /^The key Gone .* has expired/ }).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/keys-alert.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
    await alert.getByRole('link', { name: /Make a new key in the set-up/ }).click();
    const panel = panelOf(window, ENGLISH);
    // it is open where an ended key was refused lately
    const revoke = panel.getByRole('button', { name: /^Revoke: .*Gone/ });
    await panel.getByText(ENGLISH.ended).waitFor();
    if (!(await revoke.isVisible())) await panel.getByText(ENGLISH.ended).click();
    await revoke.click();
    await page.getByRole('alertdialog').getByRole('button', { name: ENGLISH.revoke }).click();
    await panel.locator('.field-good', { hasText: ENGLISH.revoked }).waitFor();
    expect(await window.sound()).toEqual(SOUND);
  });

  test.each([
    ['phone', /Sales still come by a token of the sign-in of/],
    ['wide', /Ainda chegam vendas por um token do acesso de/],
  ] as const)('a line says by whose sign-in sales still come; %s (V14, N28)', async (name, line) => {
    const { scenario, restaurantId, owner } = evening;
    const sold = sale({ restaurantId, storeCode: undefined });
    await scenario.api.post('/webhooks/terminal', owner.token, sold).expect(200);
    const times = 'SELECT 1 FROM user_restaurants WHERE restaurant_id = $1 AND token_sale_at IS NOT NULL';
    await until(async () => (await scenario.database.query(times, [restaurantId]))[0]);
    const window = await look(LOOKS[name], owner, setup());
    const note = window.page.getByRole('note').filter({ hasText: line });
    await note.waitFor();
    expect(await note.textContent()).toContain(owner.email);
    await shoot(window, `keys-persons-${name}`, name === 'phone' ? ENGLISH : PORTUGUESE);
    expect(await window.sound()).toEqual(SOUND);
  });

  test('a VIEWER does not see the keys, a platform administrator those of the platform (N28)', async () => {
    const window = await look(PHONE, evening.viewer, setup());
    expect(await window.page.getByRole('heading', { name: ENGLISH.title }).count()).toBe(0);
    const operators = await look(DESK, evening.administrator, '/operators');
    const [token] = await make(operators, PORTUGUESE, 'Terminal platform', 'TOKEN');
    const panel = panelOf(operators, PORTUGUESE);
    await panel.getByText(PORTUGUESE.example).click();
    await panel.getByText('STORE_CODE').waitFor();
    const url = `${evening.scenario.relay.url}/webhooks/terminal`;
    // a key of the platform needs the store of the sale
    expect(await send(url, { Authorization: `Bearer ${token}` }, 'PLATFORM')).toBe(400);
    expect(await operators.sound()).toEqual(SOUND);
    await shoot(operators, 'keys-operators', PORTUGUESE);
  });
});
