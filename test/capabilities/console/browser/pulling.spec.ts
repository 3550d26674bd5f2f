import { pullingEn } from '../../../../console/src/pages/setup/pulling.en.js';
import { pullingPtBR } from '../../../../console/src/pages/setup/pulling.pt-BR.js';
import { sale } from '../../../support/client.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const LOOKS: readonly [string, Look, typeof pullingEn][] = [
  ['phone', { width: 390, height: 844, language: 'en-US' }, pullingEn],
  ['wide', { width: 1280, language: 'pt-BR', colorScheme: 'dark' }, pullingPtBR],
];

describeInBrowser(`a POS that fetches its orders, in a browser (N41)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening();
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
      expect(await panel.getByText(words.none).count()).toBe(1);
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
});
