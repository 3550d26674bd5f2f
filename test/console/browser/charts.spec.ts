import type { Page } from 'playwright-core';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { type Evening, openEvening } from './evening.js';

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
    // half of the sales, a week earlier, and an hour that this evening has not reached
    for (const [name, earlier, every] of [
      ['A', '7 days', 2],
      ['B', '6 days 22 hours', 5],
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

  async function open(how: Look, page: 'tonight' | 'takings'): Promise<Window> {
    const window = await look(how);
    await window.page.addInitScript(WRITTEN);
    await window.enter(evening.viewer);
    await window.goTo(`/r/${evening.restaurantId}/${page}`);
    await window.page.locator('.readable-chart canvas').waitFor();
    await window.page.waitForLoadState('networkidle');
    const shot = process.env.SHOT;
    const name = `${page}-${how.width}-${how.language}`;
    if (shot) await window.page.screenshot({ path: `${shot}/${name}.png`, fullPage: true });
    return window;
  }

  /** What is written beyond the edge of its canvas, and labels of an axis that stand in each other's place. */
  async function clashes(page: Page): Promise<string[]> {
    const written = (await page.evaluate(
      `[...document.querySelectorAll('canvas')].flatMap((canvas) => canvas.written ?? [])`,
    )) as Written[];
    expect(written.length).toBeGreaterThan(5);
    const clipped = written.filter(({ left, right, room }) => left < 0 || right > room).map(({ text }) => text);
    const inOrder = written.toSorted((a, b) => a.y - b.y || a.left - b.left);
    const over = inOrder
      .filter(({ y, right }, index) => inOrder[index + 1]?.y === y && right > (inOrder[index + 1]?.left ?? 0))
      .map(({ text }) => `${text} over the next`);
    return [...clipped, ...over];
  }

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
});
