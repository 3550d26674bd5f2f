import { pullingEn } from '../../../../console/src/pages/setup/pulling.en.js';
import { pullingPtBR } from '../../../../console/src/pages/setup/pulling.pt-BR.js';
import { sale } from '../../../support/client.js';
import { until } from '../../../support/until.js';
import { PullingPos } from '../../open-delivery/pulling.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const LOOKS: readonly [string, Look, typeof pullingEn][] = [
  ['phone', { width: 390, height: 844, language: 'en-US' }, pullingEn],
  ['wide', { width: 1280, language: 'pt-BR', colorScheme: 'dark' }, pullingPtBR],
];

describeInBrowser(`a POS that fetches its orders, in a browser (N41)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening({ RESEND: 'restaurants' });
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  test.each(LOOKS)(
    'is set up in Set-up: the way, the currency, its credentials; it fetches an order, and is revoked; %s',
    async (name, size, words) => {
      const { scenario } = evening;
      const code = `PULLS-${name}`;
      const { id, owner } = await scenario.restaurant(code);
      const window = await look(size, owner, `/r/${id}/setup/pos`);
      const { page } = window;
      const panel = page.locator('.panel', { has: page.getByRole('heading', { name: words.title }) });
      const shoot = (step: string) =>
        process.env.SHOT && panel.screenshot({ path: `${process.env.SHOT}/pulling-${step}-${name}.png` });
      await panel.getByLabel(words.vendors.fetches).click();
      await panel.getByText(words.saved).waitFor();
      await panel.getByText(words.currency).waitFor();
      await panel.getByText(words.none).waitFor();
      await shoot('begun');
      await scenario.api.patch(`/restaurants/${id}`, owner.token, { currency: 'BRL' }).expect(200);

      await panel.getByText(words.add, { exact: true }).click();
      await panel.getByLabel(words.name).fill('Till');
      await panel.getByRole('button', { name: words.button }).click();
      const made = panel.locator('.new-key');
      await made.waitFor();
      const [clientId, clientSecret] = (await made.locator('.copyable code').allTextContents()) as [string, string];
      await shoot('made');
      expect(await window.sound()).toEqual(SOUND);

      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const signIn = () => scenario.relay.http.post('/oauth/token').type('form').send(form);
      const { access_token: token } = (await signIn().expect(200)).body;
      const jobId = await scenario.relay.accept(sale({ storeCode: code }));
      const { body } = await scenario.api.get('/v1/events:polling?eventType=CREATED', token).expect(200);
      expect(body).toMatchObject([{ eventId: jobId }]);
      await window.goTo(`/r/${id}/setup/pos`);
      await panel.getByText(words.leftOut('CANCELLED')).waitFor();
      expect(await panel.getByText(clientSecret).count()).toBe(0);
      await shoot('asked');

      // the POS may have the order
      await panel.getByLabel(words.vendors.sends).click();
      await panel.getByText(words.hasOrders).waitFor();
      await shoot('refused');
      const acknowledged = [{ id: jobId, orderId: jobId, eventType: 'CREATED' }];
      await scenario.api.post('/v1/events/acknowledgment', token, acknowledged).expect(202);
      await panel.getByRole('button', { name: new RegExp(`^${words.revoke}: .*Till`) }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: words.revoke }).click();
      await panel.getByText(words.none).waitFor();
      await signIn().expect(401);
      await panel.getByLabel(words.vendors.sends).click();
      await panel.getByText(words.help.sends).waitFor();
      await shoot('sends');
      // the browser notes the refusal
      expect(await window.sound()).toEqual({ ...SOUND, wrong: [expect.stringContaining('409 (Conflict)')] });
    },
  );

  const STEPS = [
    ['phone', { width: 360, height: 740, language: 'pt-BR', colorScheme: 'dark' }, pullingPtBR, 'Salvar'],
    ['desk', { width: 1280, language: 'en-US' }, pullingEn, 'Save'],
  ] as const;
  test.each(STEPS)(
    'the way is chosen, then four steps: the currency, the credentials, the first poll, the first sale; each ticks itself; %s (R45, N24, Q13)',
    async (name, size, words, save) => {
      const { scenario } = evening;
      const { id, owner, ...one } = await scenario.restaurant(`STEPS-${name}`);
      await scenario.api.patch(`/restaurants/${id}`, one.token, { currency: null, codeStorePos: null }).expect(200);
      const window = await look(size, owner, `/r/${id}/setup`);
      const { page } = window;
      const panel = page.locator('.setup-steps');
      const primary = page.locator('main .button-primary');
      const done = (count: number) =>
        until(async () => (await panel.locator('ol > li > span > .icon').count()) === count);
      /** The index stands beside the topics on a desk. */
      const flagged = async (...states: string[]) => {
        const there = page.locator('.setup-index .setup-missing');
        const said = async () => (await there.allTextContents()).map((text) => text.trim());
        if (name === 'desk') await until(async () => `${await said()}` === `${states}`);
      };
      const shoot = (step: string) =>
        process.env.SHOT && page.screenshot({ path: `${process.env.SHOT}/steps-${step}-${name}.png`, fullPage: true });
      await panel.getByRole('link', { name: words.steps.toVendor }).click();
      await shoot('vendor');
      await page.getByLabel(words.vendors.fetches).click();
      await panel.getByText(words.steps.vendor).waitFor();
      await done(0);
      await shoot('currency');
      await flagged('the currency is missing', 'credentials are missing', 'no sale yet');
      await primary.getByText(words.steps.buttons.currency).click();
      await until(async () => (await page.evaluate('document.activeElement.tagName')) === 'SELECT');
      await page.locator('.setup-topic-restaurant select').first().selectOption('BRL');
      await page.locator('.setup-topic-restaurant').getByRole('button', { name: save, exact: true }).first().click();
      await done(1);
      await flagged('credentials are missing', 'no sale yet');
      await shoot('credentials');
      await primary.getByText(words.steps.buttons.credentials).click();
      await page.getByLabel(words.name).fill('Till');
      await page.getByRole('button', { name: words.button }).click();
      await page.locator('.new-key').waitFor();
      const [clientId, clientSecret] = await page.locator('.new-key .copyable code').allTextContents();
      await done(2);
      await flagged('it has not asked for orders yet', 'no sale yet');
      await primary.getByText(words.steps.buttons.firstPoll).click();
      expect(await window.sound()).toEqual(SOUND);
      const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
      const { body } = await scenario.relay.http.post('/oauth/token').type('form').send(form).expect(200);
      await scenario.api.get('/v1/events:polling', body.access_token).expect(204);
      await done(3);
      await flagged('no sale yet');
      expect(await primary.allTextContents()).toEqual([words.steps.buttons.firstSale]);
      // the secret is shown until the page is left
      expect(await page.getByText(clientSecret as string).count()).toBe(1);
      await shoot('polled');
      await scenario.relay.accept(sale({ storeCode: `STEPS-${name}` }));
      // no step is left
      await done(4);
      await panel.locator('a.button-primary').waitFor();
      await shoot('done');
      expect(await window.sound()).toEqual(SOUND);
    },
  );

  const WORDS = [
    [
      'phone',
      LOOKS[0]?.[1],
      {
        says: 'The POS accepted it as',
        send: 'Keep and send again',
        entered: 'Entered by hand',
        late: 'The POS fetched it, and did not acknowledge it in time',
      },
    ],
    [
      'wide',
      LOOKS[1]?.[1],
      {
        says: 'O PDV aceitou como',
        send: 'Guardar e enviar de novo',
        entered: 'Lançado à mão',
        late: 'O PDV buscou o pedido e não confirmou o recebimento a tempo',
      },
    ],
  ] as const;
  test.each(WORDS)(
    'does not acknowledge an order in time, which may be entered by hand while the next poll holds it, then refuses it for a product that it does not know: a card on Tonight; mapped, the order is offered again, and shows its number at the POS; %s (R65, Q15, Q16, N40)',
    async (name, size, words) => {
      const { scenario } = evening;
      const { restaurant, pos } = await PullingPos.ofRestaurant(() => scenario);
      const items = [{ itemCode: 'NEW', itemName: 'Açaí', price: 19, quantity: 1 }];
      const jobId = await restaurant.sell({ items, payments: [{ tenderType: 1, amount: 19 }], totalAmount: 19 });
      await pos.poll();
      await scenario.database.query(
        `UPDATE outbox_jobs SET processing_at = processing_at - interval '1 hour' WHERE id = $1::uuid`,
        [jobId],
      );
      await scenario.relay.reap();
      const held = await pos.poll();
      const window = await look(
        size as Look,
        restaurant.owner,
        `/r/${restaurant.id}/orders/${await scenario.keyOf(jobId)}`,
      );
      const { page } = window;
      await page.getByRole('button', { name: words.entered }).waitFor();
      await pos.acknowledge(...held);
      const { body: order } = await pos.read(jobId).expect(200);
      await pos.refuse(jobId, { invalidItems: [order.items[0].id] }).expect(202);
      await pos.acknowledge(...(await pos.poll()));

      await window.goTo(`/r/${restaurant.id}/tonight`);
      const shoot = (step: string) =>
        process.env.SHOT &&
        page.screenshot({ path: `${process.env.SHOT}/accepted-${step}-${name}.png`, fullPage: true });
      await page.getByText('Açaí').first().waitFor();
      await shoot('tonight');
      await window.goTo(`/r/${restaurant.id}/orders/${await scenario.keyOf(jobId)}`);
      await page.getByText('OUTDATED_MENU').first().waitFor();
      await page.getByText(words.late).waitFor();
      await shoot('refused');
      expect(await window.sound()).toEqual(SOUND);
      await page.getByLabel('Açaí').first().fill('AC-1');
      await page.getByRole('button', { name: words.send }).click();
      await page.locator('.map-sent').getByText(/\S/).first().waitFor();

      const [again] = await pos.poll();
      expect((await pos.read(jobId).expect(200)).body.items).toMatchObject([{ externalCode: 'AC-1' }]);
      await pos.acknowledge(again as never);
      await pos.accept(jobId, '4711').expect(202);
      await page
        .getByText(new RegExp(`${words.says} .*4711`))
        .first()
        .waitFor();
      await shoot('accepted');
      expect(await window.sound()).toEqual(SOUND);
    },
  );
});
