import { until } from '../../../support/until.js';
import { Evening as Alerts } from '../../alerts/evening.js';
import { browserOf, describeInBrowser, holdBack, type Look, NEEDS_BROWSER, refused, SOUND } from './browser.js';
import { type Evening, openEvening } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const NARROW: Look = { width: 320, language: 'pt-BR', colorScheme: 'dark' };

describeInBrowser(`alerts, in a browser (G9, G11, N19)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let alerts: Alerts;
  const look = browserOf(() => evening.scenario.relay.url);

  beforeAll(async () => {
    evening = await openEvening();
    alerts = Alerts.on(evening.scenario);
    alerts.reach(evening.owner.id, { channels: ['push', 'mail'] });
    await evening.scenario.database.query(`UPDATE users SET name = 'Rosa Prado' WHERE id = $1`, [evening.owner.id]);
    await alerts.begin();
    await alerts.after(5.1);
  });
  afterAll(() => evening?.scenario.close());

  test('who was told and what became of it; the title and the navigation count what needs somebody', async () => {
    const window = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/alerts`);
    const { page } = window;
    await page.getByRole('heading', { name: '1 order is paid, but not in the POS' }).waitFor();
    const shot = process.env.SHOT;
    if (shot) await page.screenshot({ path: `${shot}/alerts.png`, fullPage: true });
    expect(await page.locator('.alert-told').first().textContent()).toMatch(/Mail Rosa Prado: sent/);
    await page
      .getByText(/More people are notified at/)
      .first()
      .waitFor();
    expect(await page.title()).toMatch(/^\(\d\) Alerts/);
    expect(await page.locator('.nav-needs').textContent()).toMatch(/^\d$/);
    expect(await window.sound()).toEqual(SOUND);
    await page
      .getByRole('link', { name: /Newest order/ })
      .last()
      .click();
    await window.settled();
    expect(page.url()).toContain('/orders/');
  });

  test('a VIEWER reads them and has no button; at 320 px, dark, in Portuguese', async () => {
    const window = await look(NARROW, evening.viewer, `/r/${evening.restaurantId}/alerts`);
    await window.page.getByText('Seu papel não permite assumir').first().waitFor();
    expect(await window.page.getByRole('button', { name: 'Eu cuido disso' }).count()).toBe(0);
    expect(await window.sound()).toEqual(SOUND);
  });

  test('the page of a mail acknowledges by its button, without a sign-in, once', async () => {
    const path = alerts.sent.find(
      ({ recipient, message }) => recipient.channel === 'mail' && message.path.includes('#'),
    )?.message.path as string;
    const window = await look(PHONE);
    const { page } = window;
    await window.goTo(path.replace('/console', ''));
    // what it is about
    await page.getByRole('link', { name: 'Open the page' }).waitFor();
    const isOpen = async () => (await alerts.alerts()).every(({ acknowledged_at }) => acknowledged_at === null);
    expect(await isOpen()).toBe(true);
    expect(await window.sound()).toEqual(SOUND);
    await page.getByRole('button', { name: 'I take care of it' }).click();
    await page.getByText('Thank you. Nobody else is notified.').waitFor();
    expect(await isOpen()).toBe(false);
    expect(await page.getByRole('link', { name: 'Open the page' }).getAttribute('href')).toContain('/console/r/');
    await page.reload();
    await page.getByRole('button', { name: 'I take care of it' }).click();
    await page.getByText('This link was used').waitFor();
  });

  test('the press is shown as done before the relay has answered; refused, the button is back with the reason (N46)', async () => {
    const { page } = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/alerts`);
    const refuse = await holdBack(page, '**/acknowledge', refused(404, 'NOT_FOUND'));
    const buttons = page.getByRole('button', { name: 'I take care of it' });
    await buttons.first().waitFor();
    const taken = page.getByText(/Rosa Prado takes care of it/);
    const before = { buttons: await buttons.count(), taken: await taken.count() };
    await buttons.first().click();
    await until(async () => (await taken.count()) === before.taken + 1);
    expect(await buttons.count()).toBe(before.buttons - 1);
    refuse();
    await page.getByText('refused', { exact: true }).waitFor();
    expect({ buttons: await buttons.count(), taken: await taken.count() }).toEqual(before);
  });

  test('the button takes care of it, and says who does', async () => {
    const { page } = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/alerts`);
    for (const button of await page.getByRole('button', { name: 'I take care of it' }).all()) await button.click();
    await page
      .getByText(/Rosa Prado takes care of it/)
      .first()
      .waitFor();
    await page.locator('.nav-needs').waitFor({ state: 'detached' });
  });

  test('it can be installed: manifest, icons and worker are served below /console/', async () => {
    const { page } = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/alerts`);
    const manifest = (await page.evaluate(
      `fetch(document.querySelector('link[rel=manifest]').href).then((answer) => answer.json())`,
    )) as { icons: { src: string }[]; start_url: string };
    expect(manifest.start_url).toBe('/console/');
    for (const { src } of manifest.icons)
      expect(await page.evaluate(`fetch('${src}').then(({ status }) => status)`)).toBe(200);
    expect(await page.evaluate(`navigator.serviceWorker.ready.then(({ scope }) => new URL(scope).pathname)`)).toBe(
      '/console/',
    );
  });

  test('the platform has a page of its own', async () => {
    const { scenario, administrator } = evening;
    await scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, last_seen_at, worker_enabled, pace)
       VALUES ('bar:1', '1', 'bar', now() - interval '2 minutes', true, 'eager')`,
    );
    await alerts.round();
    const window = await look(PHONE, administrator, '/operators/alerts');
    await window.page.getByText('bar:1').waitFor();
    expect(await window.sound()).toEqual(SOUND);
  });
});
