import type { Locator, Page } from 'playwright-core';
import { orderPlace } from '../../../../console/src/api/order-place.js';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { TERMINAL_TOKEN } from '../../../support/environment.js';
import type { TestRelay } from '../../../support/relay.js';
import { until } from '../../../support/until.js';
import { pagesOfCapabilities } from '../pages-of-capabilities.js';
import { browserOf, builtConsole, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening, PARKED } from './evening.js';

const DESKTOP: Look = { width: 1440, language: 'en-US' };
const PHONE: Look = { width: 390, height: 844, language: 'en-US' };

/** What a page has of a capability. */
type Part = readonly [capability: string, name: string, at: (page: Page) => Locator];
const heading = (capability: string, name: string): Part => [
  capability,
  name,
  (page) => page.getByRole('heading', { name, exact: true }),
];
const link = (capability: string, name: string): Part => [
  capability,
  name,
  (page) => page.getByRole('link', { name, exact: true }),
];
const button = (capability: string, name: string): Part => [
  capability,
  name,
  (page) => page.getByRole('button', { name, exact: true }),
];

type Who = 'owner' | 'administrator';

/** The pages that every console has, with what they have of each capability. */
const PAGES: readonly (readonly [Who, path: (id: string) => string, title: string, parts: readonly Part[]])[] = [
  [
    'owner',
    (id) => `/r/${id}/tonight`,
    'Tonight',
    [link('alerts', 'Alerts'), link('tickets', 'Print all that wait'), button('resend', 'Settle…')],
  ],
  [
    'owner',
    (id) => orderPlace(id, PARKED),
    '1012',
    [
      link('tickets', 'Ticket for the kitchen'),
      button('resend', 'Send again'),
      heading('personal-data', 'Erase what the sale contains'),
    ],
  ],
  [
    'owner',
    (id) => `/r/${id}/takings`,
    'Takings',
    [link('days', 'Closed days'), link('terminal-files', "The terminal's file")],
  ],
  [
    'owner',
    (id) => `/r/${id}/setup`,
    'Set-up',
    [
      heading('doctor', 'Is everything ready?'),
      link('codes', 'Products and codes'),
      heading('channels', 'Webhook for alerts'),
      heading('tickets', 'Kitchen printers'),
      heading('personal-data', 'Old orders'),
    ],
  ],
  [
    'owner',
    (id) => `/r/${id}/audit`,
    'Who did what',
    [
      ['tickets', 'the filter of an action', (page) => page.locator('option[value="printer.added"]')],
      ['alerts', 'the filter of an action', (page) => page.locator('option[value="alert.acknowledged"]')],
    ],
  ],
  [
    'owner',
    () => '/account',
    'Account',
    [
      heading('channels', 'When an order needs somebody'),
      ['days', 'mails of closings', (page) => page.getByLabel('As owner, a mail with each closed day and its seal')],
    ],
  ],
  ['owner', () => '/new', 'Create a restaurant', []],
  [
    'administrator',
    () => '/operators',
    'Operators',
    [['alerts', 'alerts of the platform', (page) => page.locator('.nav a[href$="/operators/alerts"]')]],
  ],
  ['administrator', () => '/operators/audit', 'Who did what, everywhere', []],
  ['administrator', () => '/account', 'Account', [heading('channels', 'When an order needs somebody')]],
];

/** The pages of capabilities; what they show does not matter. */
const OF_CAPABILITIES = pagesOfCapabilities().map(({ capability, pattern }) => ({
  capability,
  path: (id: string) =>
    pattern
      .replace(':restaurantId', id)
      .replace(':key', PARKED)
      .replaceAll(/:\w+/g, '00000000-0000-4000-8000-000000000000'),
}));

describeInBrowser(`the console shows the pages of what is loaded (N33)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  /** whose console the tests look at; all have one database */
  let relay: TestRelay;

  beforeAll(async () => {
    evening = await openEvening({ RESEND: 'restaurants' });
    const { scenario, restaurantId: id, owner } = evening;
    await scenario.api.post(`/restaurants/${id}/printers`, owner.token, { name: 'Kitchen', width: 48 }).expect(201);
    const sale = {
      transactionKey: PARKED,
      transactionNumber: 'REUSED-7',
      storeCode: RESTAURANT.codeStoreTerminal,
      items: [{ itemCode: '1', itemName: 'Another one', quantity: 1, price: 7 }],
      payments: [{ tenderType: 1, amount: 7 }],
    };
    await scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, sale).expect(400);
    // an old order whose content may be erased
    const old = await scenario.settle(
      await scenario.relay.accept({ ...sale, transactionKey: 'OLD-1' }),
      'DLQ',
      'an unknown product',
    );
    await scenario.jobs.receivedAt(old, new Date(Date.now() - 400 * 86_400_000).toISOString());
    await scenario.database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '400 days' WHERE id = $1`, [
      old,
    ]);
  });
  const look = browserOf(() => relay.url);
  afterAll(() => evening?.scenario.close());

  const open = async (capabilities: string) => {
    relay = await evening.scenario.start({ CAPABILITIES: capabilities }, builtConsole());
  };
  /** A window that notes each request for data, and each answer that is an error. */
  const watched = async (who: Who, how = DESKTOP) => {
    const window = await look(how, evening[who]);
    const asked: string[] = [];
    const refused: string[] = [];
    const open = new Set<unknown>();
    window.page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (!pathname.startsWith('/console/api/')) return;
      asked.push(pathname);
      // a stream has no end
      if (!pathname.endsWith('/live')) open.add(request);
    });
    window.page.on('requestfinished', (request) => open.delete(request));
    window.page.on('requestfailed', (request) => open.delete(request));
    window.page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    const goTo = async (path: string) => {
      await window.goTo(path);
      await until(() => open.size === 0);
    };
    return { window, goTo, asked, refused };
  };
  const isThere = (loaded: readonly string[], capability: string) =>
    loaded.includes('all') || loaded.includes(capability);

  describe.each([
    ['all', ['all']],
    ['console', []],
    ['console,alerts', ['alerts', 'channels']],
    ['console,days,tickets,resend', ['channels', 'days', 'tickets', 'resend']],
    ['console,doctor,personal-data,terminal-files', ['doctor', 'personal-data', 'terminal-files']],
  ])('CAPABILITIES=%s', (capabilities, loaded) => {
    beforeAll(() => open(capabilities));
    afterAll(() => relay.close());

    test.each(['owner', 'administrator'] as const)('the pages of the %s have its parts and no other', async (who) => {
      const { window, goTo, asked, refused } = await watched(who);
      const id = evening.restaurantId;
      for (const [, path, title, parts] of PAGES.filter(([of]) => of === who)) {
        await goTo(path(id));
        expect(await window.page.locator('main h1').textContent()).toContain(title);
        for (const [capability, name, at] of parts) {
          const isExpected = isThere(loaded, capability);
          if (isExpected) await at(window.page).first().waitFor({ state: 'attached' });
          expect([path(id), name, (await at(window.page).count()) > 0]).toEqual([path(id), name, isExpected]);
        }
        // barriers once: they take seconds
        if (loaded.length === 0) expect([path(id), await window.sound()]).toEqual([path(id), SOUND]);
        else expect([path(id), window.wrong()]).toEqual([path(id), []]);
      }
      expect(refused).toEqual([]);
      expect(asked.length).toBeGreaterThan(5);
    });

    test('a page of what is not loaded is no page', async () => {
      const { window, goTo, refused } = await watched('owner');
      for (const { capability, path } of OF_CAPABILITIES) {
        if (isThere(loaded, capability)) continue;
        await goTo(path(evening.restaurantId));
        expect([path(''), await window.page.locator('main h1').textContent()]).toEqual([path(''), 'Page not found']);
      }
      expect(refused).toEqual([]);
    });
  });

  describe('what leads elsewhere', () => {
    beforeAll(() => open('console'));
    afterAll(() => relay.close());

    test('no alert lists the refused sales: Tonight leads to a page of them', async () => {
      const { window, refused } = await watched('owner', PHONE);
      await window.goTo(`/r/${evening.restaurantId}/tonight`);
      await window.page.getByRole('link', { name: 'What to do' }).click();
      await window.page.getByText('REUSED-7').waitFor();
      expect(window.page.url()).toMatch(/\/refused-sales$/);
      expect(await window.sound()).toEqual(SOUND);
      expect(refused).toEqual([]);
    });

    test('nobody may send a parked order again: the page says so, as with RESEND=off', async () => {
      const { window } = await watched('owner');
      await window.goTo(orderPlace(evening.restaurantId, PARKED));
      await window.page.getByText('In this relay only the operator sends orders again.').waitFor();
    });

    test('Tonight asks for no stream, and polls', async () => {
      const { window, asked } = await watched('owner');
      await window.goTo(`/r/${evening.restaurantId}/tonight`);
      const ofState = () => asked.filter((path) => path.endsWith('/state')).length;
      await until(() => ofState() >= 3);
      expect(asked.filter((path) => path.endsWith('/live'))).toEqual([]);
    });
  });
});
