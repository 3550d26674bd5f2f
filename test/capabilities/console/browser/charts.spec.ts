import type { Page } from 'playwright-core';
import { daysAfter } from '../../../../console/src/pages/takings/days.js';
import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { until } from '../../../support/until.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const WEEK = 7;
const HOUR_MS = 3_600_000;
const PHONE = { width: 390, height: 844 };
const LOOKS: Look[] = [
  { ...PHONE, language: 'en-US' },
  { ...PHONE, language: 'pt-BR' },
  { width: 1440, language: 'en-US' },
  { width: 1440, language: 'pt-BR', colorScheme: 'dark' },
];
/** Keeps what is written on each canvas, with its place in px of the canvas, until the canvas is cleared. */
const WRITTEN = `{
  const drawing = CanvasRenderingContext2D.prototype;
  const { fillText, clearRect } = drawing;
  drawing.clearRect = function (...area) {
    this.canvas.written = [];
    return clearRect.apply(this, area);
  };
  drawing.fillText = function (text, x, y) {
    const { width } = this.measureText(text);
    const { e } = this.getTransform();
    const left = e + x - (this.textAlign === 'center' ? width / 2 : this.textAlign === 'right' ? width : 0);
    if (text) (this.canvas.written ??= []).push({ text, left, right: left + width, y, room: this.canvas.width });
    return fillText.call(this, text, x, y);
  };
}`;

interface Written {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly y: number;
  readonly room: number;
}

describeInBrowser(`charts and takings, in a browser${NEEDS_BROWSER}`, () => {
  let evening: Evening;

  beforeAll(async () => {
    evening = await openEvening();
    // half of the sales a week earlier, and an hour that this evening has not reached; usual days two and three weeks earlier
    for (const [name, earlier, every] of [
      ['A', '7 days', 2],
      ['B', '6 days 22 hours', 5],
      ['C', '14 days', 1],
      ['D', '21 days', 2],
    ] as const)
      await copies(name, earlier, every);
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  /** Copies every second, or fifth, sale of the evening to an earlier time. */
  async function copies(name: string, earlier: string, every: number): Promise<void> {
    await evening.scenario.database.query(
      `WITH sale AS (
         SELECT *, row_number() OVER (ORDER BY received_at) AS n FROM terminal_events WHERE received_at > now() - interval '1 day'
       ), event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, paid_by_tender, payload, received_at)
         SELECT transaction_key || $1, source_key || $1, test_mode, restaurant_id, paid_cents, paid_by_tender, payload, received_at - $2::interval
         FROM sale WHERE n % $3::int = 0 RETURNING transaction_key, restaurant_id
       )
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', NULL FROM event`,
      [name, earlier, every],
    );
  }

  async function open(how: Look, page: string): Promise<Window> {
    const window = await look(how);
    await window.page.addInitScript(WRITTEN);
    await window.enter(evening.viewer);
    await window.goTo(`/r/${evening.restaurantId}/${page}`);
    await window.page.locator('.readable-chart canvas').last().waitFor();
    await window.page.waitForLoadState('networkidle');
    const shot = process.env.SHOT;
    const name = `${page.replace('?', '-')}-${how.width}-${how.language}`;
    if (shot) await window.page.screenshot({ path: `${shot}/${name}.png`, fullPage: true });
    return window;
  }

  /** What is written beyond the edge of its canvas, and labels of an axis that stand in each other's place. */
  async function clashes(page: Page): Promise<string[]> {
    // the fewest: early in a day, with wide amounts, on a phone; a busy machine draws them after the canvas is there
    const written = await until(async () => {
      const found = (await page.evaluate(
        `[...document.querySelectorAll('canvas')].flatMap((canvas) => canvas.written ?? [])`,
      )) as Written[];
      return found.length > 2 ? found : undefined;
    });
    const clipped = written.filter(({ left, right, room }) => left < 0 || right > room).map(({ text }) => text);
    const inOrder = written.toSorted((a, b) => a.y - b.y || a.left - b.left);
    const over = inOrder
      .filter(({ y, right }, index) => inOrder[index + 1]?.y === y && right > (inOrder[index + 1]?.left ?? 0))
      .map(({ text }) => `${text} over the next`);
    return [...clipped, ...over];
  }

  const statistics = async (query = '') => {
    const path = `/restaurants/${evening.restaurantId}/statistics?${query}`;
    return (await evening.scenario.api.get(path, evening.viewer.token).expect(200)).body;
  };
  const amount = (cents: number) => (cents / 100).toLocaleString('en-GB', { minimumFractionDigits: 2 });
  const sumOf = (hours: readonly { readonly cents: number }[]) => hours.reduce((sum, { cents }) => sum + cents, 0);
  const today = async (): Promise<string> => (await statistics()).amounts.byDay.at(-1).day;

  test.each(LOOKS)(
    '$width px, $language: Tonight and the takings are sound, and no label is clipped (N27)',
    async (how) => {
      for (const place of ['tonight', 'takings'] as const) {
        const window = await open(how, place);
        expect([place, await clashes(window.page)]).toEqual([place, []]);
        expect(await window.sound()).toEqual(SOUND);
      }
    },
  );

  test('Tonight compares the hours that are over with the same weekday, which it reads once; the table has both (N27)', async () => {
    const window = await look(LOOKS[0] as Look);
    const { page } = window;
    const before = daysAfter(await today(), -WEEK);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await window.enter(evening.viewer);
    await window.goTo(`/r/${evening.restaurantId}/tonight`);
    const weekday = new Date(`${before}T12:00Z`).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' });
    await page.locator('.chart-key', { hasText: `last ${weekday}` }).waitFor();
    const [own, other] = [await statistics(`day=${await today()}`), await statistics(`day=${before}`)];
    const { byHour } = own.amounts;
    const isOver = ({ start }: { start: string }) => Date.parse(start) + HOUR_MS <= Date.now();
    const lastOver = ({ start }: { start: string }) => isOver({ start: shifted(start) });
    const shifted = (start: string) => new Date(Date.parse(start) + WEEK * 24 * HOUR_MS).toISOString();
    const [now, then] = [sumOf(byHour.filter(isOver)), sumOf(other.amounts.byHour.filter(lastOver))];
    const whole = Math.round((now / then - 1) * 100);
    await page.getByText(`${Math.abs(whole)}% ${whole > 0 ? 'more' : 'less'} than last ${weekday} until`).waitFor();
    await page.locator('.hours summary').click();
    const rows = await page
      .locator('.hours tbody tr')
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
    expect(rows.map((row) => row[2]).filter((text) => text !== '0.00')).toEqual(
      byHour.map(({ cents }: { cents: number }) => amount(cents)),
    );
    expect(rows.map((row) => row[3]).filter((text) => text !== '0.00')).toEqual(
      other.amounts.byHour.map(({ cents }: { cents: number }) => amount(cents)),
    );
    // neither a sale nor a way back reads the other day again
    const items = [{ itemCode: 'PZ-01', itemName: 'Pizza', quantity: 1, price: 12.34 }];
    const sale = { transactionKey: 'LIVE-1', items, payments: [{ tenderType: 1, amount: 12.34 }] };
    await evening.scenario.relay.accept({ ...sale, storeCode: RESTAURANT.codeStoreTerminal });
    const row = page.locator('.order-row', { hasText: 'LIVE-1' });
    await row.waitFor();
    await page.getByRole('link', { name: 'Takings' }).click();
    await page.locator('.day-sum').waitFor();
    await page.getByRole('link', { name: 'Tonight' }).click();
    await row.waitFor();
    await page.locator('.chart-key', { hasText: weekday }).waitFor();
    const days = asked.flatMap((url) => new URL(url).searchParams.get('day') ?? []);
    expect(days.filter((day) => day === before)).toEqual([before]);
  });

  test('the takings have a curve of the sums so far beside those of a week before, read hour by hour; a past day too (N27)', async () => {
    const day = daysAfter(await today(), -WEEK);
    const { amounts } = await statistics(`day=${day}`);
    const window = await open(LOOKS[0] as Look, `takings?day=${day}`);
    const { page } = window;
    const slider = page.getByRole('slider', { name: 'The day, hour by hour' });
    await slider.focus();
    await page.keyboard.press('End');
    expect(await slider.getAttribute('aria-valuetext')).toContain(amount(amounts.takenCents));
    expect(await slider.getAttribute('aria-valuetext')).toContain('a week before');
  });

  test('a bar is read by pointer, tap and arrow keys; a tap leads nowhere, a date and a click do (N27)', async () => {
    const window = await open(LOOKS[0] as Look, 'takings');
    const { page } = window;
    const slider = page.getByRole('slider', { name: 'Day by day' });
    const readout = page.locator('.readable-chart', { has: slider }).locator('.chart-readout');
    const { byDay } = (await statistics(`from=${daysAfter(await today(), -29)}&to=${await today()}`)).amounts;
    const amountOf = (day: string) => amount(byDay.find((one: { day: string }) => one.day === day)?.cents ?? 0);
    const [last, before] = [await today(), daysAfter(await today(), -WEEK)];
    expect(await readout.textContent()).toContain(amountOf(last));
    await slider.focus();
    for (let n = 0; n < WEEK; n++) await page.keyboard.press('ArrowLeft');
    expect(await readout.textContent()).toContain(amountOf(before));
    expect(await slider.getAttribute('aria-valuetext')).toContain(amountOf(before));
    expect(await slider.getAttribute('aria-valuenow')).toBe('22');
    await page.keyboard.press('End');
    expect(await readout.textContent()).toContain(amountOf(last));
    const plot = await page.locator('.u-over').last().boundingBox();
    const at = { x: (plot?.x ?? 0) + ((22 + 0.6) / 30.2) * (plot?.width ?? 0), y: (plot?.y ?? 0) + 40 };
    await page.mouse.move(at.x, at.y);
    await readout.getByText(amountOf(before)).first().waitFor();
    await page.mouse.move(at.x, 5);
    await readout.getByText(amountOf(last)).first().waitFor();
    const { href } = new URL(page.url());
    await tap(page, { x: at.x - (plot?.x ?? 0), y: at.y - (plot?.y ?? 0) });
    await readout.getByText(amountOf(before)).first().waitFor();
    expect(page.url()).toBe(href);
    expect(await window.sound()).toEqual(SOUND);
    await readout.getByRole('link').click();
    await page.waitForURL(`**day=${before}`);
    await page.getByRole('button', { name: 'Today', exact: true }).click();
    await readout.getByText(amountOf(last)).first().waitFor();
    // the sums above have other heights by now
    await page
      .locator('.u-over')
      .last()
      .click({ position: { x: at.x - (plot?.x ?? 0), y: 40 } });
    await page.waitForURL(`**day=${before}`);
  });

  test.each(['en-US', 'pt-BR'] as const)(
    '%s: on a phone a usual day fits one screen: total, verdict, and a row for each means of payment, its parts behind a tap (N27)',
    async (language) => {
      const { byTender } = (await statistics(`day=${daysAfter(await today(), -14)}`)).amounts;
      expect(byTender).toHaveLength(4);
      const window = await open({ ...PHONE, language }, `takings?day=${daysAfter(await today(), -14)}`);
      const { page } = window;
      const rows = page.locator('.tender-list > li');
      expect(await rows.count()).toBe(5);
      const bottomOf = async (selector: string) => {
        const box = await page.locator(selector).last().boundingBox();
        return (box?.y ?? PHONE.height) + (box?.height ?? 0);
      };
      const navigation = await page.getByRole('navigation').last().boundingBox();
      expect(await bottomOf('.tender-list > li')).toBeLessThanOrEqual(navigation?.y ?? 0);
      await page.locator('.day-compared').waitFor();
      expect(await page.locator('.takings').textContent()).not.toMatch(/\b0[.,]00\b/);
      expect(await rows.first().locator('.badge').isVisible()).toBe(false);
      await rows.first().locator('summary').click();
      expect(await rows.first().locator('.badge').count()).toBe(1);
      expect(await rows.first().locator('.badge').isVisible()).toBe(true);
      expect(await window.sound()).toEqual(SOUND);
    },
  );

  test.each(LOOKS)('$width px, $language: large amounts have room beside their axis (N27)', async (how) => {
    await evening.scenario.database.query('UPDATE terminal_events SET paid_cents = 123456789');
    for (const place of ['tonight', 'takings'] as const) {
      const window = await open(how, place);
      expect([place, await clashes(window.page)]).toEqual([place, []]);
    }
  });
});

/** A finger touches a place and lifts. */
async function tap(page: Page, { x, y }: { x: number; y: number }): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await page.locator('.u-over').last().scrollIntoViewIfNeeded();
  // for fingers the page is laid out with more room
  const plot = await page.locator('.u-over').last().boundingBox();
  const point = { x: (plot?.x ?? 0) + x, y: (plot?.y ?? 0) + y };
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}
