import { sale } from '../../../support/client.js';
import { TERMINAL_TOKEN } from '../../../support/environment.js';
import { type Caller, Scenario } from '../../../support/scenario.js';
import { browserOf, builtConsole, describeInBrowser, NEEDS_BROWSER, SOUND } from './browser.js';

const WORDS = {
  'en-US': {
    button: 'Erase the content',
    action: /^Erase order/,
    erased: /Its content was erased on .* by .*@/,
    hidden: /Only owners see these fields: .*customer\.name/,
    found: 'Older than 30 days, and parked or cancelled: 1 order.',
    old: 'Erase their content',
    oldAction: 'Erase the content of 1 order',
    done: 'The content of 1 order is erased.',
  },
  'pt-BR': {
    button: 'Apagar o conteúdo',
    action: /^Apagar o pedido/,
    erased: /O conteúdo foi apagado em .* por .*@/,
    hidden: /Só proprietários veem estes campos: .*customer\.name/,
    found: 'Há 1 pedido com mais de 30 dias',
    old: 'Apagar o conteúdo deles',
    oldAction: 'Apagar o conteúdo de 1 pedido',
    done: 'O conteúdo de 1 pedido foi apagado.',
  },
} as const;

describeInBrowser(`Personal data in the console${NEEDS_BROWSER}`, () => {
  let scenario: Scenario;
  let id: string;
  let code: string;
  let owner: Caller;
  let stores = 0;

  beforeAll(async () => {
    const environment = { PAYLOAD_HIDE: 'customer.name', OUTBOX_RETENTION_DAYS: '30' };
    scenario = await Scenario.open(environment, { consoleFolder: builtConsole() });
  });
  beforeEach(async () => {
    code = `PERSONAL-${++stores}`;
    ({ id, owner } = await scenario.restaurant(code));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });
  const look = browserOf(() => scenario.relay.url);
  afterAll(() => scenario?.close());

  async function sell(): Promise<string> {
    const transaction = sale({ storeCode: code, customer: { name: 'Maria' } });
    return (await scenario.api.post('/webhooks/terminal', TERMINAL_TOKEN, transaction).expect(200)).body.jobId;
  }

  describe.each(['en-US', 'pt-BR'] as const)('%s', (language) => {
    const words = WORDS[language];
    const size = { width: 1280, height: 1000, language };
    const shoot = async (page: { screenshot(options: object): Promise<unknown> }, name: string) => {
      const shot = process.env.SHOT;
      if (shot) await page.screenshot({ path: `${shot}/${name}-${language}.png`, fullPage: true });
    };

    test('an OWNER erases a sale after a question, and reads when and by whom; others read what is hidden (W40, S23)', async () => {
      const job = await sell();
      await scenario.relay.tick();
      const path = `/r/${id}/orders/${encodeURIComponent(await scenario.keyOf(job))}`;
      const viewer = await look(size, await scenario.staff(id, 'VIEWER'), path);
      await viewer.page.getByText(words.hidden).waitFor();
      expect(await viewer.page.getByRole('button', { name: words.button }).count()).toBe(0);
      await shoot(viewer.page, 'hidden');
      expect(await viewer.sound()).toEqual(SOUND);
      const window = await look(size, owner, path);
      const { page } = window;
      await page.getByRole('button', { name: words.button }).click();
      const dialog = page.getByRole('alertdialog');
      expect(await window.sound()).toEqual(SOUND);
      await shoot(page, 'erase');
      await dialog.getByRole('button', { name: words.action }).click();
      await page.getByText(words.erased).waitFor();
      expect(await page.getByRole('button', { name: words.button }).count()).toBe(0);
      await shoot(page, 'erased');
      expect(await window.sound()).toEqual(SOUND);
    });

    test('the set-up page asks about old parked orders, and only while there are some (W41)', async () => {
      const job = await scenario.settle(await sell(), 'DLQ', 'no');
      await scenario.jobs.receivedAt(job, new Date(Date.now() - 40 * 86_400_000).toISOString());
      await scenario.database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '40 days' WHERE id = $1`, [
        job,
      ]);
      const window = await look(size, owner, `/r/${id}/setup`);
      const { page } = window;
      await page.getByText(words.found).waitFor();
      await shoot(page, 'old');
      await page.getByRole('button', { name: words.old }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: words.oldAction }).click();
      await page.getByText(words.done).waitFor();
      expect(await page.getByText(words.found).count()).toBe(0);
      expect(await window.sound()).toEqual(SOUND);
    });
  });
});
