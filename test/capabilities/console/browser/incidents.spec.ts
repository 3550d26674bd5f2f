import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const DESK: Look = { width: 1280, language: 'pt-BR', colorScheme: 'dark' };
const SCREENS = 3;

describeInBrowser(`incidents on the operators' page, in a browser (R60)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  beforeAll(async () => {
    evening = await openEvening({ RESEND: 'operators' });
    await evening.scenario.database.query(
      `WITH place AS (
         INSERT INTO restaurants (id, name, slug) SELECT gen_random_uuid(), 'Cantina ' || n, 'cantina-' || n FROM generate_series(1, 200) n RETURNING id),
       event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'down', 'down', false, id, '{}' FROM place RETURNING transaction_key, restaurant_id),
       outage AS (INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT id, now() - interval '9 minutes', now() FROM place)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, cause, last_error, next_run_at, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'FAILED', 1, 'failing', 'HTTP 503: maintenance', now() + interval '1 hour',
              now() - interval '8 minutes' FROM event`,
    );
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  test('while no instance delivers, that comes first: the POSs are not the cause (R60)', async () => {
    await evening.scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, worker_enabled, pace) VALUES ('desk:1', '1', 'desk', false, 'eager')`,
    );
    const { page } = await look(PHONE, evening.administrator, '/operators');
    const [first] = await page.locator('.incident h3').allTextContents();
    expect(first).toBe('The relay sends nothing: no process that delivers is alive');
    await evening.scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, worker_enabled, pace) VALUES ('a:1', '1', 'a', true, 'eager')`,
    );
    await page.reload();
    await page.getByRole('heading', { name: /^The POS fails/ }).waitFor();
    expect(await page.getByText('The relay sends nothing').count()).toBe(0);
  });

  test('200 restaurants with one answer are one folded card, with the way to each; try now makes the oldest orders due', async () => {
    const window = await look(PHONE, evening.administrator, '/operators');
    const { page } = window;
    await page.getByRole('heading', { name: 'The POS fails: 200 restaurants, 200 orders waiting' }).waitFor();
    const card = page.locator('.incident', { hasText: 'HTTP 503: maintenance' });
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(SCREENS * 844);
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/incidents.png`, fullPage: true });
    await card.getByText('200 restaurants', { exact: true }).click();
    expect(await card.locator('details a').count()).toBe(20);
    await card.getByText('and 180 more').waitFor();
    expect(await window.sound()).toEqual(SOUND);
    await card.getByRole('button', { name: 'Try one order of each now' }).click();
    await card.getByText('The oldest orders of 20 restaurants are due now.').waitFor();
    const [due] = await evening.scenario.database.query(
      `SELECT count(*)::int AS jobs FROM outbox_jobs WHERE event_key = 'down' AND next_run_at <= now()`,
    );
    expect(due).toEqual({ jobs: 20 });
  });

  test('one restaurant is named without a tap; the state counts as the incidents do (R60)', async () => {
    await evening.scenario.database.query(
      `WITH place AS (INSERT INTO restaurants (id, name, slug) VALUES (gen_random_uuid(), 'Forno Novo', 'forno-novo') RETURNING id),
       event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'sign-in', 'sign-in', false, id, '{}' FROM place RETURNING transaction_key, restaurant_id),
       outage AS (INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT id, now() - interval '9 minutes', now() FROM place)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, cause, last_error, next_run_at, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'FAILED', 1, 'sign_in', 'POS sign-in failed: HTTP 401', now() + interval '1 hour',
              now() - interval '8 minutes' FROM event`,
    );
    const window = await look(PHONE, evening.administrator, '/operators');
    const { page } = window;
    const card = page.locator('.incident', { hasText: 'Sign-in refused: 1 restaurant' });
    await card.getByRole('link', { name: 'Forno Novo' }).waitFor();
    const title = await page.getByRole('heading', { name: /^The POS fails: / }).textContent();
    const [failing] = /\d+ restaurants/.exec(title ?? '') ?? [];
    const counted = `The POS of ${failing} fails. The POS refuses the sign-in of 1 restaurant.`;
    await page.locator('.now-said', { hasText: counted }).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/incident-named.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
  });

  test('sales of many restaurants that cannot be mapped need the operator: a fault of a sender is mended there, not typed in (R22, N20)', async () => {
    const { database } = evening.scenario;
    const window = await look(PHONE, evening.administrator, '/operators');
    const { page } = window;
    const card = page.locator('.incident', { hasText: 'cannot be mapped' });
    expect(await card.count()).toBe(0);
    await database.query(
      `WITH event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT 'bad' || n, 'bad' || n, false, id, '{}' FROM restaurants, generate_series(1, 2) n WHERE slug LIKE 'cantina-1_'
         RETURNING transaction_key, restaurant_id)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, cause, last_error, next_run_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'DLQ', 1, 'unmappable', 'cannot be mapped: items: must have an item', now() FROM event`,
    );
    await window.goTo('/operators');
    await card.getByRole('heading', { name: /: 20 orders of 10 restaurants/ }).waitFor();
    await card.getByText(/one fault of a sender\. Have it mended at the terminal platform first\./).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/common-cause.png`, fullPage: true });
    expect(await window.sound()).toEqual(SOUND);
  });

  test('in Portuguese, on a wide screen', async () => {
    const window = await look(DESK, evening.administrator, '/operators');
    await window.page.getByRole('heading', { name: /^O PDV falha: \d+ restaurantes/ }).waitFor();
    expect(await window.sound()).toEqual(SOUND);
  });
});
