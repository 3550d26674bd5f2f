import type { Page } from 'playwright-core';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import type { Caller } from '../../../support/scenario.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening, PARKED, WAITING } from './evening.js';
import { addHistory } from './history.js';

/** The orders that the database has besides those of the evening. */
const HISTORY = Number(process.env.HISTORY_ORDERS ?? 5_000);

const USUAL: readonly Look[] = [
  { width: 320, language: 'pt-BR' },
  { width: 1440, language: 'en-US' },
];
/** .ci/run walks through the others too. */
const LOOKS: readonly Look[] = process.env.BROWSER_LOOKS
  ? [
      ...USUAL,
      { width: 320, language: 'en-US', colorScheme: 'dark' },
      { width: 1440, language: 'pt-BR', colorScheme: 'dark' },
    ]
  : USUAL;

const WORDS = {
  'en-US': {
    locale: 'en-GB',
    find: 'Find an order: number, amount, item, table',
    inThePos: 'In the POS',
    hasIt: (time: string) => `The POS has this order since ${time}`,
    takings: 'Takings',
    open: (amount: string) => `${amount} is not in the POS yet.`,
    seeParked: 'See what is parked',
    parked: '1 order is not in the POS: the POS does not know a product',
    remedy: 'If the POS has no such product, make the product there, with the code that the terminal sends.',
    operators: 'Operators',
    count: '1 order of 1 restaurant',
  },
  'pt-BR': {
    locale: 'pt-BR',
    find: 'Buscar um pedido: número, valor, item, mesa',
    inThePos: 'No PDV',
    hasIt: (time: string) => `O PDV tem este pedido desde ${time}`,
    takings: 'Vendas',
    open: (amount: string) => `${amount} ainda não está no PDV.`,
    seeParked: 'Ver os parados',
    parked: '1 pedido não está no PDV: o PDV não conhece um produto',
    remedy: 'Se o PDV não tem o produto, cadastre o produto lá, com o código que o terminal envia.',
    operators: 'Operação',
    count: '1 pedido de 1 restaurante',
  },
} as const;

describeInBrowser(`the three questions, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let window: Window;

  beforeAll(async () => {
    evening = await openEvening();
    const other = await evening.scenario.restaurant('STORE-2');
    await addHistory(evening.scenario.database, HISTORY, evening.restaurantId, other.id);
  }, 600_000);
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  /** Opens the start page of a user; with one restaurant, it is Tonight. */
  async function enter(who: Caller, how: Look): Promise<Page> {
    window = await look(how, who, '/');
    return window.page;
  }
  const expectSound = async () => expect(await window.sound()).toEqual(SOUND);
  const read = async (path: string, { token } = evening.viewer) =>
    (await evening.scenario.api.get(`/restaurants/${evening.restaurantId}${path}`, token).expect(200)).body;

  describe.each(LOOKS)('$width px, $language', (how) => {
    const words = WORDS[how.language];
    const amount = (cents: number) =>
      (cents / 100).toLocaleString(words.locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 });

    test('did order 1006 arrive? Found by its number, with the moment on the clock of the restaurant', async () => {
      const page = await enter(evening.viewer, how);
      await page.getByTestId('verdict').getByText(words.parked).waitFor();
      await expectSound();
      await page.getByLabel(words.find).fill('1006');
      const found = page.locator('.order-row', { hasText: 'SALE-1006' });
      await page.locator('.order-row', { hasText: WAITING }).waitFor({ state: 'detached' });
      expect(await page.locator('.order-row').count()).toBe(1);
      expect(await found.textContent()).toContain(words.inThePos);
      await found.click();
      const { jobs } = await read('/orders/SALE-1006');
      const { timezone } = await read('');
      const clock = new Intl.DateTimeFormat(words.locale, {
        ...{ weekday: 'short', day: 'numeric', month: 'short' },
        ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
        timeZone: timezone,
      });
      await page.getByText(words.hasIt(clock.format(new Date(jobs[0].updatedAt)))).waitFor();
      await window.settled();
      await expectSound();
    });

    test('what did we take tonight, and is all of it in the till? The sum, what is missing, and whose it is', async () => {
      const page = await enter(evening.owner, how);
      await page.getByRole('link', { name: words.takings, exact: true }).click();
      const { today } = await read('/state');
      const { amounts } = await read(`/statistics?day=${today.day}`);
      await page.locator('.hero').waitFor();
      expect(await page.locator('.hero').textContent()).toBe(amount(amounts.takenCents));
      await page.getByText(words.open(amount(amounts.waitingCents + amounts.parkedCents))).waitFor();
      await window.settled();
      await expectSound();
      await page.getByRole('link', { name: words.seeParked }).click();
      await page.locator('.order-row', { hasText: WAITING }).waitFor({ state: 'detached' });
      await page.locator('.order-row', { hasText: PARKED }).waitFor();
      expect(await page.locator('.order-row').count()).toBe(1);
    });

    test('what is parked, why, and what is to be done? The restaurant reads the remedy', async () => {
      const page = await enter(evening.owner, how);
      await page.getByTestId('verdict').getByText(words.parked).waitFor();
      await page.locator('.need-order', { hasText: '1012' }).click();
      await page.getByText(words.remedy).waitFor();
      await window.settled();
      await expectSound();
    });

    test('what is parked, why, for whom, and what do I type? The operator reads the line', async () => {
      const page = await enter(evening.administrator, how);
      await page.getByRole('link', { name: words.operators, exact: true }).click();
      const cause = page.locator('.cause', { hasText: 'unknown product TS-01' });
      await cause.getByText(words.count).waitFor();
      await cause.getByText(RESTAURANT.name).first().waitFor();
      expect(await cause.locator('.copyable code').first().textContent()).toContain('reset-parked-with-cause.sql');
      const chart = page.locator('.time-chart').first();
      await chart.waitFor({ state: 'attached' });
      // the charts are folded on a phone
      if (!(await chart.isVisible())) await page.locator('details:has(.time-chart) > summary').click();
      await page.locator('.time-chart canvas').first().waitFor();
      await window.settled();
      await expectSound();
    });
  });

  test('by the keyboard alone: signs in, finds an order, goes back before the cancel is asked for, signs out', async () => {
    window = await look({ width: 1440, language: 'en-US' });
    const { page } = window;
    const { keyboard } = page;
    const focus = page.locator(':focus');
    const tabTo = async (selector: string) => {
      for (let n = 0; n < 80; n++) {
        await keyboard.press('Tab');
        if ((await focus.and(page.locator(selector)).count()) > 0) return;
      }
      throw new Error(`80 tabs did not lead to ${selector}`);
    };
    await window.goTo('/');
    await tabTo('input[type="email"]');
    await keyboard.type(evening.owner.email);
    await tabTo('input[type="password"]');
    await keyboard.type(evening.owner.password);
    await keyboard.press('Enter');
    await page.getByTestId('verdict').waitFor();
    await tabTo('input[type="search"]');
    await keyboard.type('1012');
    await page.locator('.order-row', { hasText: WAITING }).waitFor({ state: 'detached' });
    await page.locator('.order-row', { hasText: PARKED }).waitFor();
    await tabTo('.order-row');
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What to do' }).waitFor();
    await tabTo('main .button-danger');
    await keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog', { name: /1012/ });
    await dialog.waitFor();
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    // the focus is where it was
    await page.locator('main .button-danger:focus').waitFor();
    await tabTo('.account-button');
    await keyboard.press('Enter');
    await tabTo('.account-panel button:has-text("Sign out")');
    await keyboard.press('Enter');
    await page.locator('input[type="email"]').waitFor();
    await page.goBack();
    await page.locator('input[type="email"]').waitFor();
    expect(await read(`/orders/${PARKED}`)).toMatchObject({ jobs: [{ action: 'CREATE' }] });
  });
});
