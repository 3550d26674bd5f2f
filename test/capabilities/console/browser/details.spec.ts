import type { Page } from 'playwright-core';
import { orderPlace } from '../../../../console/src/api/order-place.js';
import { currentDay } from '../../../../console/src/pages/takings/days.js';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening, PARKED } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const DESK: Look = { width: 1440, language: 'en-US' };
const DELIVERED = 'SALE-1001';
/** As staff on a phone type a table; it begins with a digit, and goes on from right to left. */
const ARABIC = { transactionKey: 'AR-7', transactionNumber: '7 طاولة' };

/** Amounts that stand on more than one line, whatever element they are in. */
const BROKEN_AMOUNTS = `(() => {
  const walker = document.createTreeWalker(document.querySelector('#root'), NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const found of node.data.matchAll(/\\d[\\d.,]*[.,]\\d\\d\\b/g)) {
      const range = document.createRange();
      range.setStart(node, found.index);
      range.setEnd(node, found.index + found[0].length);
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(found[0]);
    }
  return broken;
})()`;
/** Points of the window, and whether what lies on top of each is the dialog. */
const UNCOVERED = `[...Array(400).keys()]
  .map((n) => [((n % 20) + 0.5) * innerWidth / 20, (Math.floor(n / 20) + 0.5) * innerHeight / 20])
  .filter(([x, y]) => !document.elementFromPoint(x, y)?.closest('dialog'))`;

describeInBrowser(`details of the pages, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let window: Window;
  let page: Page;

  beforeAll(async () => {
    evening = await openEvening();
    const { scenario } = evening;
    const items = [{ itemCode: 'PZ-01', itemName: 'Pizza', quantity: 3, price: 1_234.5 }];
    const payments = [{ tenderType: 1, amount: 3_703.5 }];
    await scenario.relay.accept({ ...ARABIC, storeCode: RESTAURANT.codeStoreTerminal, items, payments });
    const options = [
      { itemCode: 'BC', itemName: 'Bacon', quantity: 2, price: 1.5 },
      { itemCode: 'NO', itemName: 'No onions' },
    ];
    await scenario.relay.accept({
      ...{ transactionKey: 'WHOLE-1', storeCode: RESTAURANT.codeStoreTerminal, tipAmount: 4, serviceFeeAmount: 2.6 },
      items: [{ itemCode: 'BG', itemName: 'Burger', quantity: 2, price: 10, options, notes: 'no onions, well done' }],
      payments: [
        {
          ...{ tenderType: 16, amount: 32.6, authorizationCode: 'A1B2C3', acquirerDocument: '01425787000104' },
          ...{ brand: 'VISA', installments: 3, terminalId: 'T-7' },
        },
      ],
      notes: 'table by the window',
    });
    await scenario.relay.tick();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const here = () => `/r/${evening.restaurantId}`;
  const order = (key: string) => orderPlace(evening.restaurantId, key);
  async function open(how: Look, path: string, who: 'owner' | 'viewer' | 'administrator' = 'owner'): Promise<void> {
    window = await look(how, evening[who], path);
    page = window.page;
  }

  const shoot = async (name: string) => {
    const folder = process.env.SHOT;
    if (folder) await page.screenshot({ path: `${folder}/${name}-${page.viewportSize()?.width}.png`, fullPage: true });
  };

  test.each([PHONE, DESK])(
    '$width px: a dialog is modal: nothing of the page lies above it or is reached (N11)',
    async (how) => {
      await open(how, order(DELIVERED));
      const button = page.getByRole('button', { name: 'Cancel this order' });
      await button.click();
      const dialog = page.getByRole('alertdialog');
      await dialog.waitFor();
      expect(await page.evaluate(UNCOVERED)).toEqual([]);
      expect(await window.barriers()).toEqual([]);
      for (let n = 0; n < 6; n++) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate(`document.activeElement.matches('body, dialog *')`)).toBe(true);
      }
      const { href } = new URL(page.url());
      await page.mouse.click(how.width / 2, (how.height ?? 900) - 20);
      expect(page.url()).toBe(href);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await button.and(page.locator(':focus')).waitFor();
      expect(await page.evaluate(UNCOVERED)).toHaveLength(400);
    },
  );

  test.each<Look>([PHONE, { width: 320, language: 'pt-BR' }])(
    '$width px, $language: an amount is never broken over two lines (N11)',
    async (how) => {
      window = await look(how, evening.owner);
      page = window.page;
      for (const path of [`${here()}/tonight`, order(ARABIC.transactionKey), order(PARKED), `${here()}/takings`]) {
        await window.goTo(path);
        expect([path, await page.evaluate(BROKEN_AMOUNTS), await window.overflow()]).toEqual([path, [], 0]);
      }
    },
  );

  test('the audit leads to the order; an address and a date stand in one line', async () => {
    const { scenario, restaurantId, owner } = evening;
    await scenario.api.post(`/restaurants/${restaurantId}/orders/${PARKED}/cancel`, owner.token).expect(202);
    await open(DESK, `${here()}/audit`);
    const lines = `[...document.querySelectorAll('time, tbody td:nth-of-type(1) bdi')].map((e) => e.getClientRects().length)`;
    expect(new Set((await page.evaluate(lines)) as number[])).toEqual(new Set([1]));
    await page.getByRole('link', { name: PARKED }).click();
    await page.getByText('It is cancelled. The POS never had it.').waitFor();
    await page.getByText(/requested the cancel/).waitFor();
    expect(await page.locator('.step-title').allTextContents()).toContain(
      `\u2068${owner.email}\u2069 requested the cancel`,
    );
  });

  test('on a phone a platform administrator reaches the audit of all', async () => {
    await open(PHONE, '/operators', 'administrator');
    await page.getByRole('navigation').getByRole('link', { name: 'All audits' }).click();
    await page.getByRole('heading', { name: 'Who did what, everywhere' }).waitFor();
  });

  test.each([PHONE, DESK])(
    '$width px: the journey has the time between two steps, and its evidence behind a press (N45)',
    async (how) => {
      await open(how, order(DELIVERED));
      const steps = page.locator('.step');
      expect(await steps.count()).toBe(2);
      await steps.last().locator('.step-lapse').getByText(/^\+\d/).waitFor();
      const tops = (await page.evaluate(
        `[...document.querySelectorAll('.step-icon')].map((icon) => Math.round(icon.getBoundingClientRect().top))`,
      )) as number[];
      // side by side where there is room
      expect(new Set(tops).size).toBe(how.width === DESK.width ? 1 : 2);
      const evidence = steps.last().locator('.step-evidence p');
      expect(await evidence.isVisible()).toBe(false);
      await steps
        .last()
        .getByText(/Attempt 1/)
        .click();
      await evidence.getByText('HTTP 2').waitFor();
      await shoot('journey');
      expect(await window.sound()).toEqual(SOUND);
    },
  );

  test('the link of an order is copied by a press (N45)', async () => {
    await open(DESK, order(DELIVERED));
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy the link to this order' }).click();
    await page.getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  });

  test('the totals of an order stand below its amounts; a number written from right to left turns nothing (N11)', async () => {
    await open(DESK, order(DELIVERED));
    const edges = `[...document.querySelectorAll('.bodies .panel')].map((panel) => {
      const right = (selector) => {
        const range = document.createRange();
        range.selectNodeContents([...panel.querySelectorAll(selector)].at(-1));
        return Math.round(range.getBoundingClientRect().right * 10) / 10;
      };
      return right('tbody td.end') - right('.sums dd');
    })`;
    expect(await page.evaluate(edges)).toEqual([0, 0]);
    await window.goTo(`${here()}/tonight`);
    const row = page.locator('.order-row', { hasText: ARABIC.transactionKey });
    expect(await row.locator('.order-name bdi').first().textContent()).toBe(
      `No. \u2068${ARABIC.transactionNumber}\u2069`,
    );
  });

  test.each([PHONE, DESK])(
    '$width px: an order shows options and notes of its dishes, tip, service fee, and the evidence of its payment (M17 to M22)',
    async (how) => {
      await open(how, order('WHOLE-1'));
      const sent = page.locator('.bodies .panel').first();
      await sent.getByText('no onions, well done', { exact: true }).waitFor();
      const text = ((await sent.textContent()) ?? '').replaceAll(/\s+/g, ' ');
      expect(text).toContain('+ 2 × Bacon 1.50');
      expect(text).toContain('VISA · authorization A1B2C3 · 3 instalments · terminal T-7 · acquirer 01425787000104');
      for (const sum of ['Tip+ 4.00', 'Service fee+ 2.60']) expect(text).toContain(sum);
      expect(await page.locator('.explained').textContent()).toContain('is tip and service fee');
      expect(await window.sound()).toEqual(SOUND);
      expect(await page.evaluate(BROKEN_AMOUNTS)).toEqual([]);
      if (process.env.SHOT)
        await page.screenshot({ path: `${process.env.SHOT}/whole-${how.width}.png`, fullPage: true });
    },
  );

  test('a sale that was received on another day says so, and counts by its own day where that is chosen (R28, R29)', async () => {
    const { scenario, restaurantId } = evening;
    const DAY_MS = 86_400_000;
    const soldAt = new Date(Date.now() - 3 * DAY_MS).toISOString();
    const sold = { transactionKey: 'LATE-1', transactionDate: soldAt, payments: [{ tenderType: 1, amount: 12.34 }] };
    const items = [{ itemCode: 'PZ-01', itemName: 'Pizza', quantity: 1, price: 12.34 }];
    await scenario.relay.accept({ ...sold, items, storeCode: RESTAURANT.codeStoreTerminal });
    await open(PHONE, `${here()}/tonight`);
    const row = page.locator('.order-row', { hasText: 'LATE-1' });
    await row.getByText(/^Sold \w+ \d+ \w+$/).waitFor();
    await row.click();
    await page.getByText(/Received on another day than it was sold/).waitFor();
    expect(await window.sound()).toEqual(SOUND);
    const { timezone, dayClosesAt } = (await scenario.api.get(`/restaurants/${restaurantId}`, evening.owner.token))
      .body;
    await window.goTo(`${here()}/takings?day=${currentDay(timezone, dayClosesAt, Date.parse(soldAt))}`);
    await page.getByText('No sale on this day').waitFor();
    await page.getByLabel('When it was sold').check();
    await page.locator('.hero', { hasText: /^12\.34$/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('by')).toBe('sale');
    expect(await page.getByRole('link', { name: 'This day as CSV' }).getAttribute('href')).toContain('by=sale');
    expect(await window.sound()).toEqual(SOUND);
  });

  test('printed takings say whose they are, and of when', async () => {
    await open(DESK, `${here()}/takings`);
    const name = page.locator('main').getByText(RESTAURANT.name);
    expect(await name.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    await name.waitFor();
    // the zone of the restaurant, which is another one at another hour of the day: some have a name, and some a short form
    await page.getByText(/^From .* to .*, (.* Time|[A-Z]{3,4})/).waitFor();
    // elements that are not printed take no space
    expect(await page.evaluate(`document.querySelector('h1').getBoundingClientRect().left`)).toBeLessThan(60);
    expect(await page.locator('.header, .nav, .button, .day-picker').filter({ visible: true }).count()).toBe(0);
  });

  test('the set-up has one button that stands out, and offers the zone of the device to a restaurant in UTC', async () => {
    const { scenario, restaurantId } = evening;
    const [row] = await scenario.database.query<{ timezone: string }>(
      `UPDATE restaurants r SET timezone = 'UTC' FROM restaurants old WHERE r.id = $1 AND old.id = r.id RETURNING old.timezone`,
      [restaurantId],
    );
    await open(DESK, `${here()}/setup`);
    expect(await page.locator('main .button-primary').filter({ visible: true }).count()).toBe(1);
    await page.getByRole('button', { name: 'Use the zone of this device, Asia/Tokyo' }).click();
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
    await scenario.database.query('UPDATE restaurants SET timezone = $2 WHERE id = $1', [restaurantId, row?.timezone]);
  });

  test('before the scripts have come, the frame is there; the page is loaded beside the session', async () => {
    window = await look(PHONE, evening.owner);
    page = window.page;
    /** Holds the answers of an address back. @returns what lets them go */
    const hold = async (address: string): Promise<() => void> => {
      let release = () => {};
      const released = new Promise<void>((resolve) => (release = resolve));
      await page.route(address, async (route) => {
        await released;
        await route.continue();
      });
      return release;
    };
    const [scripts, session] = [await hold('**/assets/*.js'), await hold('**/console/session')];
    const ofPage = page.waitForRequest(/assets\/takings-.*\.js$/);
    await page.goto(`${evening.scenario.relay.url}/console${here()}/takings`, { waitUntil: 'commit' });
    await page.locator('.header .brand-mark').waitFor();
    await page.locator('.loading-bar').first().waitFor();
    scripts();
    await ofPage;
    expect(await page.locator('h1').count()).toBe(0);
    session();
    await window.settled();
  });
});
