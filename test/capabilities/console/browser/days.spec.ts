import { DayCloser } from '../../../../src/capabilities/days/day-closer.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const DESK: Look = { width: 1280, language: 'pt-BR', colorScheme: 'dark' };

describeInBrowser(`closed days, in a browser (B11)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening();
    await evening.scenario.database.query(
      `UPDATE restaurants SET days_since = now() - interval '2 days' WHERE id = $1`,
      [evening.restaurantId],
    );
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  /** Three hundred sales of a day, by six tenders; some are parked, some refunded, and some are late from the day before. */
  const realisticDay = (day: string) =>
    evening.scenario.database.query(
      `WITH sale AS MATERIALIZED (
         SELECT 'z-' || n AS key, n, (($2::date + day_closes_at::time) AT TIME ZONE timezone) + n * interval '2 minutes' AS at,
           (ARRAY['1', '16', '28', '50', '77', '78'])[1 + n % 6] AS tender, CASE WHEN n % 100 = 9 THEN NULL ELSE 1000 + n END AS cents
         FROM restaurants, generate_series(1, 300) n WHERE id = $1
       ), event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, transaction_date, paid_cents, paid_by_tender,
           amount_mismatch_cents, payload, received_at)
         SELECT key, key, false, $1, CASE WHEN n % 40 = 2 THEN at - interval '1 day' ELSE at END, coalesce(cents, 0),
           CASE WHEN cents IS NULL THEN '{}' ELSE jsonb_build_object(tender, cents) END, CASE WHEN cents IS NULL THEN -500 END, '{}', at FROM sale)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
       SELECT gen_random_uuid(), key, $1, (CASE WHEN n % 50 = 7 OR cents IS NULL THEN 'DLQ' ELSE 'SENT' END)::job_status, NULL, at, at FROM sale`,
      [evening.restaurantId, day],
    );

  const days = () => `/r/${evening.restaurantId}/days`;
  const shoot = async (page: { screenshot(options: object): Promise<unknown> }, name: string) => {
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/${name}.png`, fullPage: true });
  };

  test('the open day is closed by a button, then it is in the list; the check says that nothing was changed (B11)', async () => {
    const window = await look(PHONE, evening.owner, days());
    const { page } = window;
    await page.getByRole('button', { name: /^Close / }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Close / })
      .click();
    await page.getByRole('heading', { name: 'The last closing' }).waitFor();
    await page.getByRole('button', { name: 'Check all days' }).click();
    await page.getByText('1 closed day was checked: nothing was changed.').waitFor();
    await page.getByLabel('Day that you noted').fill('2020-01-01');
    await page.getByLabel('Its seal, 64 digits').fill('0'.repeat(64));
    await page.getByRole('button', { name: 'Check all days' }).click();
    await page.getByText('It is not the closing that you noted.').waitFor();
    await shoot(page, 'days-phone');
    expect(await window.sound()).toEqual(SOUND);
  });

  test('the code on the paper leads to the page of the day, which compares the seal of the paper with its own (B11)', async () => {
    const { scenario, restaurantId, owner } = evening;
    const { body } = await scenario.api.get(`/restaurants/${restaurantId}/days`, owner.token).expect(200);
    const [{ day, hash }] = body.data;
    for (const [seal, text] of [
      [hash, 'The seal of the paper is that of this day.'],
      [hash.replace(/^./, hash[0] === '0' ? '1' : '0'), /The seal of the paper is not that of this day/],
    ]) {
      const window = await look(PHONE, owner, `${days()}/${day}?seal=${seal}`);
      await window.page.getByText(text).waitFor();
      await window.page.getByRole('img', { name: 'Code that leads to this page with the seal' }).waitFor();
      expect(await window.sound()).toEqual(SOUND);
    }
  });

  test('the end of the day is printed on one page, in both languages (B11)', async () => {
    const [row] = await evening.scenario.database.query<{ day: string }>(
      `SELECT to_char(coalesce((SELECT max(day) + 1 FROM business_days WHERE restaurant_id = id),
         business_day(days_since, timezone, day_closes_at)), 'YYYY-MM-DD') AS day FROM restaurants WHERE id = $1`,
      [evening.restaurantId],
    );
    const day = (row as { day: string }).day;
    await realisticDay(day);
    await evening.scenario.relay.get(DayCloser).closeByItself(evening.restaurantId, day);
    for (const [language, title, itself] of [
      ['en-US', 'End of day', /Closed by itself/],
      ['pt-BR', 'Fechamento do dia', /Fechado automaticamente/],
    ] as const) {
      const window = await look({ ...DESK, language }, evening.owner, `${days()}/${day}`);
      const { page } = window;
      await page.getByRole('heading', { name: title }).waitFor();
      await page.getByText(itself).waitFor();
      // parked orders, late sales, tenders
      expect(await page.getByRole('table').count()).toBe(3);
      await shoot(page, `day-${language}`);
      // as wide as A4 between its margins
      await page.setViewportSize({ width: 718, height: 1_047 });
      await page.emulateMedia({ media: 'print', colorScheme: 'light' });
      await shoot(page, `day-${language}-print`);
      // tables in print, not cards
      expect(
        await page.evaluate(
          `[...new Set([...document.querySelectorAll('.day-report td')].map((cell) => getComputedStyle(cell).display))]`,
        ),
      ).toEqual(['table-cell']);
      const margin = '10mm';
      const pdf = await page.pdf({
        format: 'A4',
        margin: { top: margin, right: margin, bottom: margin, left: margin },
      });
      expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    }
  });
});
