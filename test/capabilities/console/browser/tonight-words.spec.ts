import { type Caller, Scenario } from '../../../support/scenario.js';
import { browserOf, builtConsole, describeInBrowser, NEEDS_BROWSER, SOUND } from './browser.js';

const HEIGHT_PX = 844;
/** A cause of the POS that is as long as `lastError` may be. */
const LONG = `unknown product ${'Água com gás 500 ml (caixa com doze garrafas) '.repeat(25)}`;
const DAY_MS = 86_400_000;

const WORDS = {
  'en-US': {
    headline: '2 orders are not in the POS, for 2 reasons',
    earlier: '3 orders of earlier days are parked',
    chip: '2 + 3 earlier',
    settle: 'Settle…',
    reason: 'What was done about them',
    action: 'Settle 3',
  },
  'pt-BR': {
    headline: '2 pedidos não estão no PDV, por 2 motivos',
    earlier: '3 pedidos de outros dias estão parados',
    chip: '2 + 3 antes',
    settle: 'Resolver…',
    reason: 'O que foi feito',
    action: 'Resolver 3',
  },
} as const;

describeInBrowser(`Tonight in people's words, in a browser${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;
  let id: string;
  let owner: Caller;
  let sell: () => Promise<string>;
  let stores = 0;

  beforeAll(async () => {
    scenario = await Scenario.open({ RESEND: 'restaurants' }, { consoleFolder: builtConsole() });
  });
  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`WORDS-${++stores}`));
    await scenario.settle(await sell(), 'DLQ', LONG);
    const unmappable = await scenario.settle(await sell(), 'DLQ', 'items');
    await scenario.database.query(`UPDATE outbox_jobs SET cause = 'unmappable' WHERE id = $1`, [unmappable]);
    for (const days of [1, 2, 30]) {
      const job = await scenario.settle(await sell(), 'DLQ', LONG);
      await scenario.jobs.receivedAt(job, new Date(Date.now() - days * DAY_MS).toISOString());
    }
  });
  const look = browserOf(() => scenario.relay.url);
  afterAll(() => scenario?.close());

  describe.each(['en-US', 'pt-BR'] as const)('%s', (language) => {
    const words = WORDS[language];
    const open = (who = owner) => look({ width: 390, height: HEIGHT_PX, language }, who, `/r/${id}/tonight`);

    test('the headline has at most 40 % of the height of a phone; what the POS says, however long, has two lines in its card (N20)', async () => {
      for (const who of [owner, await scenario.staff(id, 'VIEWER')]) {
        const window = await open(who);
        const { page } = window;
        expect(await page.getByTestId('verdict').textContent()).toBe(words.headline);
        const light = page.locator('.light');
        const shot = process.env.SHOT;
        if (shot) await page.screenshot({ path: `${shot}/tonight-${language}-${who === owner}.png`, fullPage: true });
        expect((await light.boundingBox())?.height).toBeLessThanOrEqual(0.4 * HEIGHT_PX);
        const said = page.locator('.need-said', { hasText: 'Água com gás' });
        const { height: saidPx } = (await said.boundingBox()) ?? { height: 0 };
        expect(saidPx).toBeGreaterThan(28);
        expect(saidPx).toBeLessThanOrEqual(48);
        expect(await window.sound()).toEqual(SOUND);
      }
    });

    test('today and earlier stand apart; the earlier ones are settled with a reason, and are gone (N21, R42)', async () => {
      const window = await open();
      const { page } = window;
      const earlier = page.locator('.need', { hasText: words.earlier });
      await earlier.waitFor();
      await page.locator('.choice-count', { hasText: words.chip }).waitFor();
      await page.getByRole('button', { name: words.settle }).click();
      const dialog = page.getByRole('alertdialog');
      const button = dialog.getByRole('button', { name: words.action });
      expect(await button.getAttribute('aria-disabled')).toBe('true');
      await dialog.getByLabel(words.reason).fill('entered in the till');
      expect(await window.sound()).toEqual(SOUND);
      await button.click();
      await earlier.waitFor({ state: 'detached' });
      expect(await page.locator('.order-row').count()).toBe(2);
      await page.goto(`${scenario.relay.url}/console/r/${id}/audit?action=orders.resolved`);
      await page
        .locator('tbody')
        .getByText(/entered in the till/)
        .waitFor();
    });
  });

  test('a slash leads to the search; what it finds is seen on a phone, and the numbers of the day stay (N22)', async () => {
    const window = await look({ width: 390, height: HEIGHT_PX, language: 'en-US' }, owner, `/r/${id}/tonight`);
    const { page } = window;
    const box = page.getByRole('searchbox');
    await page.locator('.order-row').nth(1).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('79.8/');
    expect(await box.inputValue()).toBe('79.8/');
    await box.fill('79.80');
    await page.locator('.order-row').nth(3).waitFor();
    const counts = await page.locator('.choice').allTextContents();
    expect(counts.slice(0, 3)).toEqual(['All2', 'Waiting0', 'Parked2 + 3 earlier']);
    const top = async () => (await page.locator('.order-row').first().boundingBox())?.y ?? HEIGHT_PX;
    expect(await top()).toBeLessThan(0.8 * HEIGHT_PX);
    await page.locator('.choice', { hasText: 'In the POS' }).click();
    await page.getByText('No order found for').waitFor();
    expect(await window.sound()).toEqual(SOUND);
  });
});
