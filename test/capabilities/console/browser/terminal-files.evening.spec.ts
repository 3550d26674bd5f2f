import { Reconciler } from '../../../../src/capabilities/alerts/reconciler.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import {
  DIFFERENT,
  fileOf,
  MISSING,
  openTerminalEvening,
  type TerminalEvening,
  TWICE,
  transactionOf,
} from './terminal-evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const DESK: Look = { width: 1280, language: 'en-US' };
const NARROW: Look = { width: 320, language: 'pt-BR', colorScheme: 'dark' };

const ENGLISH = {
  ...{ takings: 'takings', link: "The terminal's file", confirm: 'Yes, compare it with our sales', many: '501' },
  ...{ needs: '6 things to look at', same: '495 payments with the same amount', todo: /enter it there by hand/ },
  ...{ missing: '3 sales were paid at the terminal, but never reached us' },
  ...{ differs: '2 sales have another amount at the terminal', twice: '1 payment is in the file twice' },
  ...{ more: '0.01 more at the terminal', less: '0.01 less at the terminal' },
};
const PORTUGUESE: typeof ENGLISH = {
  ...{ takings: 'days', link: 'Arquivo do terminal', confirm: 'Sim, comparar com nossas vendas', many: '501' },
  ...{ needs: '6 coisas a verificar', same: '495 pagamentos com o mesmo valor', todo: /lance cada uma no PDV/ },
  ...{ missing: '3 vendas foram pagas no terminal, mas nunca chegaram aqui' },
  ...{ differs: '2 vendas têm outro valor no terminal', twice: '1 pagamento está duas vezes no arquivo' },
  ...{ more: '0,01 a mais no terminal', less: '0,01 a menos no terminal' },
};

describeInBrowser(`the terminal's file of an evening of 500 sales (N29, N30)${NEEDS_BROWSER}`, () => {
  let evening: TerminalEvening;
  beforeAll(async () => {
    evening = await openTerminalEvening();
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const shoot = async ({ page }: Window, name: string) => {
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/${name}.png`, fullPage: true });
  };
  const files = () => `/r/${evening.restaurantId}/terminal-files`;
  const part = ({ page }: Window, title: string | RegExp) =>
    page.locator('.file-part', { has: page.getByRole('heading', { name: title }) });
  /** The references that a part names, by number of the sale. */
  const named = async (window: Window, title: string) =>
    (await part(window, title).locator('tbody tr').allTextContents()).map((row) =>
      Number(/Ref\. 7(\d{4})/.exec(row)?.[1]),
    );
  /** A button that waits until the file is read with the mapping that is shown. */
  const whenRead = ({ page }: Window, name: string) =>
    page.locator('button:not([aria-disabled])').filter({ hasText: name });
  const open = async (window: Window) => {
    await window.goTo(files());
    await window.page.getByRole('link', { name: 'vendas.csv' }).click();
    await window.settled();
  };

  test('from the takings: upload, a preview of 20 rows, a yes, and exactly the six differences, each with what to do (N29, N30)', async () => {
    const window = await look(DESK, evening.owner, `/r/${evening.restaurantId}/takings`);
    const { page } = window;
    await page.getByRole('link', { name: ENGLISH.link }).click();
    await window.settled();
    expect(await window.sound()).toEqual(SOUND);
    const file = { name: 'vendas.csv', mimeType: 'text/csv', buffer: fileOf(evening) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByRole('button', { name: ENGLISH.confirm }).waitFor();
    expect(await page.locator('.file-preview tbody tr').count()).toBe(20);
    expect(await page.locator('.file-sum').textContent()).toContain('501 sales');
    await shoot(window, 'check-desk');
    expect(await window.sound()).toEqual(SOUND);
    await page.getByRole('button', { name: ENGLISH.confirm }).click();
    await page.getByText(ENGLISH.needs).waitFor();
    await page.getByText(ENGLISH.same).waitFor();
    expect(await named(window, ENGLISH.missing)).toEqual(MISSING);
    expect(await named(window, ENGLISH.differs)).toEqual([...DIFFERENT.keys()]);
    expect(await named(window, ENGLISH.twice)).toEqual([TWICE]);
    const lost = MISSING.reduce((sum, number) => sum + (evening.sales[number - 1]?.cents ?? 0), 0);
    const heading = part(window, ENGLISH.missing).getByRole('heading');
    expect(await heading.textContent()).toMatch(new RegExp(`: \\D*${(lost / 100).toFixed(2)}$`));
    await part(window, ENGLISH.missing)
      .getByText('The button only ticks it off here: it sends nothing to the POS.')
      .waitFor();
    expect(await page.locator('.file-part').count()).toBe(3);
    expect(await page.locator('.file-part tbody tr').count()).toBe(6);
    await shoot(window, 'differences-desk');
    expect(await window.sound()).toEqual(SOUND);
    // a page for paper, without a button
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: /Entered by hand/ }).count()).toBe(0);
    await page.getByText('Pizzeria Roma').last().waitFor();
    if (process.env.SHOT) await page.pdf({ format: 'A4', path: `${process.env.SHOT}/differences.pdf` });
  });

  test.each([
    ['phone', PHONE, ENGLISH],
    ['narrow', NARROW, PORTUGUESE],
  ] as const)(
    'the same six on a phone, both amounts of a difference, and a list of files; %s (N30)',
    async (name, how, words) => {
      const window = await look(how, evening.owner, `/r/${evening.restaurantId}/${words.takings}`);
      const { page } = window;
      await page.getByRole('link', { name: words.link }).click();
      await window.settled();
      await page.getByRole('link', { name: 'vendas.csv' }).waitFor();
      await shoot(window, `files-${name}`);
      expect(await window.sound()).toEqual(SOUND);
      await open(window);
      await page.getByText(words.needs).waitFor();
      expect(await named(window, words.missing)).toEqual(MISSING);
      expect(await named(window, words.twice)).toEqual([TWICE]);
      await part(window, words.missing).getByText(words.todo).waitFor();
      const differing = await part(window, words.differs).locator('tbody tr').allTextContents();
      expect(differing[0]).toContain(words.more);
      expect(differing[1]).toContain(words.less);
      const [number, more] = [...DIFFERENT][0] as [number, number];
      const cents = evening.sales[number - 1]?.cents ?? 0;
      for (const amount of [cents, cents + more])
        expect(differing[0]).toContain((amount / 100).toFixed(2).replace('.', words === PORTUGUESE ? ',' : '.'));
      await shoot(window, `differences-${name}`);
      expect(await window.sound()).toEqual(SOUND);
    },
  );

  test('the alert of the sales that never arrived leads to the page (J14, N30)', async () => {
    await evening.scenario.relay.get(Reconciler).reconcile();
    const window = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/alerts`);
    const alert = window.page.locator('.alert-open', { hasText: 'vendas.csv' });
    await alert.getByRole('heading', { name: '3 sales of the file vendas.csv never reached the relay' }).waitFor();
    await shoot(window, 'alert-phone');
    expect(await window.sound()).toEqual(SOUND);
    await alert.getByRole('link', { name: 'Show them, and what to do' }).click();
    await window.page.getByText(ENGLISH.needs).waitFor();
  });

  test('a missing sale is entered by hand, with a note, by the keyboard; the audit has it; its sale that arrives later is a warning (J13, N30)', async () => {
    const window = await look(PHONE, evening.owner);
    const { page } = window;
    await open(window);
    await part(window, ENGLISH.missing).getByRole('button', { name: 'Entered by hand' }).first().focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('alertdialog');
    const yes = dialog.getByRole('button', { name: 'Yes, it is entered' });
    expect(await yes.getAttribute('aria-disabled')).toBe('true');
    await dialog.getByLabel('Note').fill('POS order 4711');
    await shoot(window, 'enter-phone');
    expect(await window.sound()).toEqual(SOUND);
    await yes.focus();
    await page.keyboard.press('Enter');
    await page.getByText('Noted: it was entered by hand.').waitFor();
    await part(window, '2 sales were paid at the terminal, but never reached us').waitFor();
    await part(window, '1 sale was entered by hand').getByText('POS order 4711').waitFor();
    expect(await page.evaluate('document.activeElement.className')).toContain('file-outcome');
    expect(await window.sound()).toEqual(SOUND);
    const { body } = await evening.scenario.api
      .get(`/restaurants/${evening.restaurantId}/audit`, evening.owner.token)
      .expect(200);
    expect(JSON.stringify(body)).toContain('terminal_file.row_entered');
    // nothing was sent to the POS; the terminal sends it at last
    await evening.scenario.relay.accept(transactionOf(evening.sales[MISSING[0] - 1] as never));
    await page.reload();
    const twice = part(window, '1 sale that was entered by hand arrived later: it may be in the POS twice');
    await twice.getByText('POS order 4711').waitFor();
    await page.getByText(ENGLISH.needs).waitFor();
    await shoot(window, 'entered-phone');
    expect(await window.sound()).toEqual(SOUND);
    await twice.getByRole('button', { name: 'Done' }).click();
    await part(window, '1 sale was entered by hand').getByText('POS order 4711').waitFor();
    await page.getByText('5 things to look at').waitFor();
  });

  test('what is done is ticked off and not counted any more, and undone in one press (J13, N30)', async () => {
    const window = await look(PHONE, evening.owner);
    const { page } = window;
    await open(window);
    await page.getByText('5 things to look at').waitFor();
    const twice = part(window, ENGLISH.twice);
    await twice.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Noted: it is done.').waitFor();
    await page.getByText('4 things to look at').waitFor();
    await twice.getByText('All of it is done.').waitFor();
    await shoot(window, 'done-phone');
    expect(await window.sound()).toEqual(SOUND);
    await twice.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone: the row is as it was before.').waitFor();
    await page.getByText('5 things to look at').waitFor();
  });

  test('a misread file is read again, and keeps what was decided; taken back, it is gone and can be uploaded again (J19, J20, N30)', async () => {
    const window = await look(NARROW, evening.owner);
    const { page } = window;
    await open(window);
    await page.getByRole('button', { name: 'Lido errado? Ler de novo' }).click();
    await page.getByText('Até agora ele é lido como 501 vendas').waitFor();
    await page.getByText('Algo está errado? Mude aqui').click();
    await page.getByLabel('Terminal', { exact: true }).selectOption('');
    await shoot(window, 'again-narrow');
    expect(await window.sound()).toEqual(SOUND);
    await whenRead(window, 'Sim, ler este arquivo assim').click();
    await part(window, /^1 venda lançada à mão chegou depois/)
      .getByText('POS order 4711')
      .waitFor();
    expect(page.url()).not.toContain('read=');
    await page.getByRole('button', { name: 'Remover o arquivo' }).click();
    const dialog = page.getByRole('alertdialog');
    await shoot(window, 'back-narrow');
    expect(await window.sound()).toEqual(SOUND);
    await dialog.getByRole('button', { name: 'Remover o arquivo' }).click();
    await page.getByText('Nenhum arquivo ainda').waitFor();
    const file = { name: 'vendas.csv', mimeType: 'text/csv', buffer: fileOf(evening) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await whenRead(window, PORTUGUESE.confirm).click();
    await part(window, /^1 venda lançada à mão chegou depois/)
      .getByText('POS order 4711')
      .waitFor();
  });

  test('the table of the differences is a CSV, with semicolons for a reader of Portuguese (N30)', async () => {
    for (const [how, name, separator] of [
      [DESK, 'Table (CSV)', ','],
      [NARROW, 'Tabela (CSV)', ';'],
    ] as const) {
      const window = await look(how, evening.owner);
      await open(window);
      const [download] = await Promise.all([
        window.page.waitForEvent('download'),
        window.page.getByRole('link', { name }).click(),
      ]);
      const content = await (await import('node:fs/promises')).readFile(await download.path(), 'utf8');
      expect(content.split('\r\n')[0]).toContain(separator);
      expect(content).toContain('MISSING_HERE');
    }
  });
});
