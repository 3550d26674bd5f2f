import { checksEn } from '../../../../console/src/pages/setup/checks.en.js';
import { checksPtBR } from '../../../../console/src/pages/setup/checks.pt-BR.js';
import { pullingEn } from '../../../../console/src/pages/setup/pulling.en.js';
import { pullingPtBR } from '../../../../console/src/pages/setup/pulling.pt-BR.js';
import { Receiver } from '../../channels/receiver.js';
import { checksMayBegin } from '../../doctor/checks-may-begin.js';
import { PullingPos } from '../../open-delivery/pulling.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PATH = '/till/v1/newEvent';
const LOOKS = [
  [
    'phone',
    { width: 390, height: 844, language: 'pt-BR', colorScheme: 'dark' },
    { ...pullingPtBR, checks: checksPtBR, check: 'Verificar', noPoll: 'ainda não perguntou pelos pedidos' },
  ],
  [
    'desk',
    { width: 1280, language: 'en-US' },
    { ...pullingEn, checks: checksEn, check: 'Check', noPoll: 'it has not asked for orders yet' },
  ],
] as const satisfies readonly (readonly [string, Look, object])[];

describeInBrowser(`a POS that gets events, in a browser (N42)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let address: string;
  const receiver = new Receiver();
  beforeAll(async () => {
    address = `${await receiver.listen()}/till`;
    evening = await openEvening({ OUTBOUND_ALLOW: '127.0.0.1' });
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(async () => {
    await evening?.scenario.close();
    await receiver.close();
  });

  test.each(LOOKS)(
    'has its address entered in Set-up: what the relay says of it stands at the field; its orders go there; it is taken away; %s',
    async (name, size, words) => {
      const { scenario } = evening;
      const { restaurant } = await PullingPos.ofRestaurant(() => scenario);
      const { id, owner } = restaurant;
      const window = await look(size, owner, `/r/${id}/setup/pos`);
      const { page } = window;
      const panel = page.locator('.panel', { has: page.getByRole('heading', { name: words.title }) });
      const shoot = (step: string) =>
        process.env.SHOT && page.screenshot({ path: `${process.env.SHOT}/push-${step}-${name}.png`, fullPage: true });
      const field = panel.getByLabel(words.push.label);
      const save = async (typed: string) => {
        await field.fill(typed);
        await panel.getByRole('button', { name: words.push.save }).click();
      };
      await panel.getByText(words.neverPolled).waitFor();
      await save('https://10.0.0.1/till');
      await panel.getByText(words.push.refused).waitFor();
      await panel.getByText('the address does not lead to the public internet').waitFor();
      expect(await page.locator(':focus').getAttribute('name')).toBe('posBaseUrl');
      await shoot('refused');
      await save(` ${address}/ `);
      await panel.getByText(words.push.sent).waitFor();
      await panel.getByText(words.push.help).waitFor();
      expect(await field.inputValue()).toBe(address);
      // it need not ask
      expect(await panel.getByText(words.neverPolled).count()).toBe(0);
      checksMayBegin(scenario.relay);
      await page.getByRole('button', { name: new RegExp(`^${words.check}`) }).click();
      await page.getByText(words.checks.found.EVENTS_SIGNED({ address })).waitFor();
      await shoot('sent');
      // the browser notes the refusal
      expect(await window.sound()).toEqual({ ...SOUND, wrong: [expect.stringContaining('400 (Bad Request)')] });

      receiver.answers.set(PATH, { status: 503 });
      const jobId = await restaurant.sell();
      await scenario.relay.tick();
      expect(receiver.received.at(-1)).toMatchObject({ path: PATH });
      await save('');
      await panel.getByText(words.push.hasOrders).waitFor();
      await shoot('has-orders');
      receiver.answers.set(PATH, { status: 204 });
      await scenario.jobs.makeDue(jobId);
      await scenario.relay.tick();
      await save('');
      await panel.getByText(words.push.polls).waitFor();
      await panel.getByText(words.help.fetches).waitFor();
      await window.goTo(`/r/${id}/setup`);
      await page.locator('.setup-index').getByText(words.noPoll).waitFor();
      await scenario.api.patch(`/restaurants/${id}`, restaurant.token, { posBaseUrl: address }).expect(200);
      await window.goTo(`/r/${id}/setup`);
      await page.locator('.setup-index').getByText(words.push.state).waitFor();
      await shoot('index');
    },
  );

  test('its set-up has no step of a first poll (N42, R45)', async () => {
    const { scenario } = evening;
    const { restaurant } = await PullingPos.ofRestaurant(() => scenario, { posBaseUrl: address });
    const { page } = await look(LOOKS[1][1], restaurant.owner, `/r/${restaurant.id}/setup`);
    await page.locator('.setup-steps').getByText(pullingEn.steps.names.firstSale).waitFor();
    expect(await page.locator('.setup-steps ol > li').count()).toBe(4);
    expect(await page.getByText(pullingEn.steps.names.firstPoll).count()).toBe(0);
  });
});
