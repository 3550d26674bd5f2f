import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND, type Window } from './browser.js';
import { csv, lineOf, openTerminalEvening, type TerminalEvening } from './terminal-evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const NARROW: Look = { width: 320, language: 'pt-BR', colorScheme: 'dark' };
const DESK: Look = { width: 1280, language: 'en-US' };

const ENGLISH = {
  ...{ amount: 'Amount', fine: 'Everything agrees', change: 'Something is wrong? Change it here' },
  ...{ confirm: 'Yes, compare it with our sales', reference: 'Reference (number of the sale)' },
  kind: 'What the row is',
};
const PORTUGUESE: typeof ENGLISH = {
  ...{ amount: 'Valor', fine: 'Tudo confere', change: 'Algo está errado? Mude aqui' },
  ...{ confirm: 'Sim, comparar com nossas vendas', reference: 'Referência (número da venda)' },
  kind: 'O que a linha é',
};

describeInBrowser(`how the terminal's file is read, and what is suggested (N29, N30)${NEEDS_BROWSER}`, () => {
  let evening: TerminalEvening;
  beforeAll(async () => {
    evening = await openTerminalEvening(30);
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const files = () => `/r/${evening.restaurantId}/terminal-files`;
  const shoot = async ({ page }: Window, name: string) => {
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}/${name}.png`, fullPage: true });
  };
  const upload = async (window: Window, name: string, buffer: Buffer) => {
    await window.goTo(files());
    await window.page.locator('input[type="file"]').setInputFiles({ name, mimeType: 'text/csv', buffer });
  };
  const sums = (window: Window) => window.page.locator('.file-sum').textContent();

  /** Net amounts stand before gross ones: the guess may take either. */
  const withFees = (name: string) => {
    const lines = evening.sales.slice(0, 10).map((sold) => {
      const [date, time, reference, , terminal, gross] = lineOf(sold, evening.zone).split(';');
      return `"${date}";"${time}";"${name}";"${reference}";"${terminal}";"1,00";"${gross}"`;
    });
    return Buffer.from(`Day;Hour;Shop;Number;Device;First;Second\n${lines.join('\n')}\n`);
  };

  test.each([
    ['phone', PHONE, ENGLISH],
    ['narrow', NARROW, PORTUGUESE],
  ] as const)(
    'another column changes the preview; the next file with these columns begins with what was confirmed; %s (J5, N29)',
    async (name, how, words) => {
      const window = await look(how, evening.owner);
      const { page } = window;
      await upload(window, `first-${name}.csv`, withFees(`first ${name}`));
      await page.getByRole('button', { name: words.confirm }).or(page.locator('.file-doubt')).first().waitFor();
      if ((await page.locator('.file-mapping[open]').count()) === 0) await page.getByText(words.change).click();
      await page.getByLabel(words.amount, { exact: true }).selectOption({ label: 'Second' });
      await page.getByLabel(words.reference).selectOption({ label: 'Number' });
      const cents = evening.sales.slice(0, 10).reduce((sum, sold) => sum + sold.cents, 0);
      const whole = String(Math.floor(cents / 100) % 1_000);
      await page.locator('.file-sum', { hasText: whole }).waitFor();
      await page.getByLabel(words.amount, { exact: true }).selectOption({ label: 'First' });
      await page.locator('.file-sum', { hasText: /10[.,]00/ }).waitFor();
      await page.getByLabel(words.amount, { exact: true }).selectOption({ label: 'Second' });
      await page.locator('.file-sum', { hasText: whole }).waitFor();
      // the shop is no kind of row, but its value can be said to mean one
      await page.getByLabel(words.kind).selectOption({ label: 'Shop' });
      const meaning = page.getByLabel(new RegExp(`first ${name}`));
      await meaning.selectOption('REFUND');
      await page.locator('.file-sum', { hasText: /\D0[.,]00/ }).waitFor();
      await page.getByLabel(words.kind).selectOption('');
      await page.locator('.file-sum', { hasText: whole }).waitFor();
      await shoot(window, `mapping-${name}`);
      expect(await window.sound()).toEqual(SOUND);
      await page.getByRole('button', { name: words.confirm }).click();
      await page.locator('.file-verdict').waitFor();

      await upload(window, `second-${name}.csv`, withFees(`second ${name}`));
      await page.locator('.file-sum', { hasText: whole }).waitFor();
      expect(await sums(window)).toContain(whole);
    },
  );

  test('a suggested sale is accepted or refused, each by its button; a refused one is among those that never arrived (J13, N30)', async () => {
    const window = await look(PHONE, evening.owner);
    const { page } = window;
    // the provider has references of its own, and no authorisation that a sale carries
    const lines = evening.sales
      .slice(20, 22)
      .map((sold) => lineOf({ ...sold, reference: `X${sold.number}` }, evening.zone));
    await upload(window, 'own-references.csv', csv(lines));
    await page.getByRole('button', { name: ENGLISH.confirm }).click();
    const suggested = page.locator('#SUGGESTED');
    await suggested.getByRole('heading', { name: '2 payments may be among our sales' }).waitFor();
    await shoot(window, 'suggested-phone');
    expect(await window.sound()).toEqual(SOUND);
    await suggested.getByRole('button', { name: 'Yes, the same' }).first().click();
    await page.getByText('Noted: it is the same sale.').waitFor();
    await suggested.getByRole('heading', { name: '1 payment may be one of our sales' }).waitFor();
    await suggested.getByRole('button', { name: 'No, another one' }).click();
    await page.getByText('Noted: it is another sale.').waitFor();
    await page.locator('#MISSING_HERE', { hasText: 'X22' }).waitFor();
    expect(await suggested.count()).toBe(0);
    expect(await window.sound()).toEqual(SOUND);
  });

  test('a file that is none, is empty or too large says so; one that is not confirmed can be removed (N29)', async () => {
    const window = await look(DESK, evening.owner);
    const { page } = window;
    await upload(window, 'report.pdf.csv', Buffer.from('%PDF-1.7\0\0\n'));
    await page.getByText('The file cannot be read.').waitFor();
    expect(await window.sound(422)).toEqual(SOUND);
    await upload(window, 'empty.csv', Buffer.from(''));
    await page.getByText('The file is empty.').waitFor();
    await upload(window, 'large.csv', Buffer.alloc(5 * 1_024 * 1_024 + 1, 'a;b\n'));
    await page.getByText('The file is larger than 5 MB').waitFor();

    const lines = evening.sales.slice(0, 3).map((sold) => lineOf(sold, evening.zone));
    await upload(window, 'wrong-one.csv', csv(lines));
    await page.getByRole('button', { name: 'Remove the file' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove the file' }).click();
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.getByText('wrong-one.csv').waitFor({ state: 'detached' });
  });

  test('a file of which few payments are found is asked about before it is compared (J21)', async () => {
    const window = await look(DESK, evening.owner);
    const { page } = window;
    const lines = evening.sales
      .slice(24, 27)
      .map((sold, i) =>
        lineOf(i === 0 ? sold : { ...sold, reference: `X${sold.number}`, cents: 99_000 + i }, evening.zone),
      );
    await upload(window, 'few.csv', csv(lines));
    await page.getByRole('button', { name: ENGLISH.confirm }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('2 of 3 payments').waitFor();
    await shoot(window, 'claim-desk');
    expect(await window.sound()).toEqual(SOUND);
    await dialog.getByRole('button', { name: 'No' }).click();
    expect(await page.locator('.file-verdict').count()).toBe(0);
    await page.getByRole('button', { name: ENGLISH.confirm }).click();
    await dialog.getByRole('button', { name: 'Yes, they never reached us' }).click();
    await page.getByText('2 sales were paid at the terminal, but never reached us').first().waitFor();
    expect(await window.sound()).toEqual(SOUND);
  });

  test('a VIEWER finds no way to the files, and may upload none (N29)', async () => {
    const window = await look(PHONE, evening.viewer, `/r/${evening.restaurantId}/takings`);
    await window.page.locator('.day-sum').waitFor();
    expect(await window.page.getByRole('link', { name: "The terminal's file" }).count()).toBe(0);
    await window.goTo(files());
    await window.page.getByText('Your role may not do this').waitFor();
    expect(await window.page.locator('input[type="file"]').count()).toBe(0);
    expect(await window.sound(403)).toEqual(SOUND);
  });
});

describeInBrowser(`a terminal's file that agrees (N30)${NEEDS_BROWSER}`, () => {
  let evening: TerminalEvening;
  beforeAll(async () => {
    evening = await openTerminalEvening(5);
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  test('says so, and asks nothing (N30)', async () => {
    const window = await look(PHONE, evening.owner, `/r/${evening.restaurantId}/terminal-files`);
    const { page } = window;
    const buffer = csv(evening.sales.map((sold) => lineOf(sold, evening.zone)));
    await page.locator('input[type="file"]').setInputFiles({ name: 'right.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: ENGLISH.confirm }).click();
    await page.getByText(ENGLISH.fine).waitFor();
    await page.getByText('5 payments with the same amount').waitFor();
    expect(await page.locator('.file-part').count()).toBe(0);
    expect(await window.sound()).toEqual(SOUND);
  });
});
