import { RESTAURANT } from '../../../../tools/demo/evening.js';
import { sale } from '../../../support/client.js';
import { addPrinter, type Printing, round } from '../../tickets/printing.js';
import { browserOf, describeInBrowser, type Look, NEEDS_BROWSER, SOUND } from './browser.js';
import { type Evening, openEvening, PARKED, WAITING } from './evening.js';

const PHONE: Look = { width: 390, height: 844, language: 'en-US' };
const DESK: Look = { width: 1440, language: 'pt-BR', colorScheme: 'dark' };
const LOOKS = { phone: PHONE, wide: DESK } as const;
const MM = 96 / 25.4;
/** What a terminal may send as the name of a dish. */
const HTML = '<img src=x onerror=alert(1)><b>Bife</b>';
/** A key that no path can hold. */
const HOSTILE = 'TABLE 4/../<7>';

describeInBrowser(`tickets for the kitchen, in a browser (K10)${NEEDS_BROWSER}`, () => {
  let evening: Evening;
  let kitchen: Printing;

  beforeAll(async () => {
    evening = await openEvening();
    const { scenario, restaurantId, owner } = evening;
    const items = [
      { itemCode: 'X-1', itemName: HTML, quantity: 2, price: 39.9, note: '<i>sem cebola</i>' },
      { itemCode: 'X-2', itemName: 'Suco de laranja', quantity: 1, price: 7.77 },
    ];
    const job = await scenario.relay.accept(
      sale({
        ...{ transactionKey: HOSTILE, transactionNumber: '77', storeCode: RESTAURANT.codeStoreTerminal },
        ...{ items, payments: [], notes: 'Mesa 4', totalAmount: 87.57 },
      }),
    );
    await scenario.settle(job, 'DLQ', 'the product X-1 is unknown');
    kitchen = await addPrinter(scenario, { id: restaurantId, token: owner.token }, { name: 'Fogão' });
  });
  const look = browserOf(() => evening.scenario.relay.url);
  afterAll(() => evening?.scenario.close());

  const page = (rest: string) => `/r/${evening.restaurantId}${rest}`;
  const hostile = (part: string) => page(`/orders/key${part}?key=${encodeURIComponent(HOSTILE)}`);
  const shoot = (window: { page: { screenshot(options: object): Promise<unknown> } }, name: string) =>
    process.env.SHOT && window.page.screenshot({ path: `${process.env.SHOT}/${name}.png`, fullPage: true });

  test('a parked order has a link to its ticket: number, dishes and notes as text, what is not in the POS, no prices (K6, K10)', async () => {
    const window = await look(PHONE, evening.viewer, hostile(''));
    await shoot(window, 'order');
    await window.page.getByRole('link', { name: 'Ticket for the kitchen' }).click();
    const slip = window.page.locator('.slip');
    await slip.getByRole('heading', { name: '77' }).waitFor();
    const text = await slip.textContent();
    for (const said of [RESTAURANT.name, HTML, '<i>sem cebola</i>', 'Suco de laranja', 'Mesa 4', '2 ×'])
      expect(text).toContain(said);
    for (const said of ['NOT IN THE POS', 'PAYMENT NOT REPORTED']) expect(text).toContain(said);
    expect(text).not.toMatch(/39.9|7.77|87.57|REPEAT/);
    expect(await slip.locator('img, b, i').count()).toBe(0);
    expect(await window.page.getByRole('button', { name: 'Print' }).count()).toBe(1);
    expect(await window.sound()).toEqual(SOUND);
    await shoot(window, 'ticket-phone');
  });

  test('beside the paper of what waits stands that it is still sent: entered by hand it would be there twice (R67)', async () => {
    const window = await look(PHONE, evening.viewer, page('/tickets'));
    await window.page.locator('.slip').first().waitFor();
    await window.page.getByText('Orders that wait are still sent to the POS: do not enter them in the till').waitFor();
    await shoot(window, 'tickets-waiting');
    expect(await window.sound()).toEqual(SOUND);
  });

  test('printed, it is the paper alone, 80 mm wide, of one page; the button opens the dialog (K10)', async () => {
    const window = await look(PHONE, evening.viewer, hostile('/ticket'));
    await window.page.locator('.slip').waitFor();
    await window.page.evaluate('window.print = () => { document.body.dataset.printed = "yes"; }');
    await window.page.getByRole('button', { name: 'Print' }).click();
    expect(await window.page.evaluate('document.body.dataset.printed')).toBe('yes');
    await window.page.emulateMedia({ media: 'print' });
    for (const hidden of ['.header', '.nav', 'h1', '.ticket-actions', '.ticket-back'])
      expect(await window.page.locator(hidden).first().isVisible()).toBe(false);
    const box = await window.page.locator('.slip').boundingBox();
    expect(box).toMatchObject({ x: 0, y: 0 });
    expect(box?.width).toBeLessThanOrEqual(80 * MM + 0.5);
    expect(sheetsOf(await window.page.pdf({ preferCSSPageSize: true }))).toEqual(['80 x 150']);
  });

  test.each([
    ['phone', 'Print all that wait', '3 orders of this business day are not in the POS.', 'NOT IN THE POS'],
    ['wide', 'Imprimir os que aguardam', '3 pedidos deste dia não estão no PDV.', 'NÃO ESTÁ NO PDV'],
  ] as const)(
    'all that wait, from Tonight: a page of paper for each order; %s (K10)',
    async (name, link, count, state) => {
      const window = await look(LOOKS[name], evening.viewer, page('/tonight'));
      await shoot(window, `tonight-${name}`);
      await window.page.getByRole('link', { name: link }).click();
      await window.page.getByText(count).waitFor();
      expect(await window.page.locator('.slip-state').allTextContents()).toEqual([state, state, state]);
      // the oldest first
      expect(await window.page.locator('.slip h2').allTextContents()).toEqual(['1003', '1012', '77']);
      expect(await window.sound()).toEqual(SOUND);
      await shoot(window, `tickets-${name}`);
      const sheets = sheetsOf(await window.page.pdf({ preferCSSPageSize: true }));
      expect(sheets).toEqual(['80 x 150', '80 x 150', '80 x 150']);
    },
  );

  test('the takings are printed on the usual paper after a ticket was shown', async () => {
    const window = await look(PHONE, evening.viewer, page('/tickets'));
    await window.page.locator('.slip').first().waitFor();
    await window.page.evaluate(
      `history.pushState(null, '', '/console${page('/takings')}'); dispatchEvent(new Event('popstate'))`,
    );
    await window.page.locator('.takings').first().waitFor();
    expect(new Set(sheetsOf(await window.page.pdf({ preferCSSPageSize: true })))).not.toContain('80 x 150');
  });

  test('an order that the POS has says so in place of the words; so do a cancelled one, and one of another day (K10)', async () => {
    const { scenario, restaurantId, owner, viewer } = evening;
    const window = await look(PHONE, viewer, page('/orders/SALE-1001/ticket'));
    await window.page.getByText('The POS has this order: its kitchen gets it from there.').waitFor();
    expect(await window.page.locator('.slip-state').textContent()).toBe('IN THE POS');
    const stored = async (transactionKey: string) =>
      scenario.relay.accept(sale({ transactionKey, storeCode: RESTAURANT.codeStoreTerminal }));
    await scenario.settle(await stored('CANCELLED'), 'DLQ');
    await scenario.cancel(restaurantId, 'CANCELLED', owner.token).expect(202);
    await window.goTo(page('/orders/CANCELLED/ticket'));
    await window.page.getByText('This order is cancelled.').waitFor();
    expect(await window.page.locator('.slip-state').textContent()).toBe('CANCELLED');
    const old = await scenario.settle(await stored('OLD'), 'DLQ');
    await scenario.jobs.receivedAt(old, new Date(Date.now() - 3 * 86_400_000).toISOString());
    await window.goTo(page('/orders/OLD/ticket'));
    await window.page.getByText('The business day of this order is over.').waitFor();
    expect(await window.page.locator('.slip-state').textContent()).toBe('OF AN EARLIER BUSINESS DAY');
    await window.goTo(page('/orders/UNKNOWN/ticket'));
    await window.page.getByText('Order not found').waitFor();
    expect(await window.sound(404)).toEqual(SOUND);
  });

  test('the order says what became of its ticket; what was printed may be a repeat (K8)', async () => {
    const { scenario, viewer } = evening;
    await round(scenario.relay);
    const window = await look(PHONE, viewer, page(`/orders/${PARKED}`));
    await window.page.getByText('A ticket waits for a printer.').waitFor();
    kitchen.printer.fail('paper');
    for (let left = true; left; ) left = await kitchen.printer.poll();
    await window.goTo(page(`/orders/${WAITING}`));
    await window.page.getByText('The ticket was not printed on \u2068Fogão\u2069: out of paper.').waitFor();
    await window.goTo(page(`/orders/${PARKED}`));
    await window.page.getByText(/Printed \d\d:\d\d on \u2068Fogão\u2069\.$/).waitFor();
    await shoot(window, 'order-printed');
    expect(await window.sound()).toEqual(SOUND);
    await window.page.getByRole('link', { name: 'Ticket for the kitchen' }).click();
    await window.page.getByText('A printer in the kitchen has had this ticket already').waitFor();
    expect(await window.page.locator('.slip-repeat').allTextContents()).toEqual(['POSSIBLE REPEAT', 'POSSIBLE REPEAT']);
    expect(await window.sound()).toEqual(SOUND);
    await shoot(window, 'ticket-repeat');
  });

  test.each([
    [
      'phone',
      {
        title: 'Kitchen printers',
        name: 'Name of the printer',
        width: 'Width of the paper',
        add: 'Add printer',
        once: /It is shown this once/,
        remove: 'Remove',
        yes: 'is removed',
      },
    ],
    [
      'wide',
      {
        title: 'Impressoras da cozinha',
        name: 'Nome da impressora',
        width: 'Largura do papel',
        add: 'Adicionar impressora',
        once: /É mostrado só agora/,
        remove: 'Remover',
        yes: 'foi removida',
      },
    ],
  ] as const)('OWNER and ADMIN add a printer, see its address once, and remove it; %s (K10)', async (name, words) => {
    const { scenario, owner, viewer } = evening;
    const window = await look(LOOKS[name], owner, page('/setup/printers'));
    const panel = window.page.locator('.panel', { has: window.page.getByRole('heading', { name: words.title }) });
    await panel.getByText('Fogão', { exact: true }).waitFor();
    await panel.getByLabel(words.name).fill(' Bar ');
    await panel.getByLabel(words.width).selectOption('32');
    await panel.getByRole('button', { name: words.add }).click();
    await panel.getByText(words.once).waitFor();
    const address = (await panel.locator('.copyable code').textContent()) ?? '';
    expect(address.startsWith(`${scenario.relay.url}/print/prn_`)).toBe(true);
    expect(
      (await fetch(address, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })).status,
    ).toBe(200);
    await panel.getByText('58 mm').first().waitFor();
    await shoot(window, `printers-${name}`);
    expect(await window.sound()).toEqual(SOUND);
    await window.goTo(page('/setup/printers'));
    await panel.getByText('Bar', { exact: true }).waitFor();
    expect(await panel.locator('.copyable').count()).toBe(0);
    await panel.getByRole('button', { name: new RegExp(`^${words.remove}: .*Bar`) }).click();
    await window.page.getByRole('alertdialog').getByRole('button', { name: words.remove }).click();
    await panel.getByText(words.yes).waitFor();
    expect(await panel.getByText('Bar', { exact: true }).count()).toBe(0);
    expect((await fetch(address, { method: 'POST' })).status).toBe(404);
    const other = await look(LOOKS[name], viewer, page('/setup/printers'));
    expect(await other.page.getByRole('heading', { name: words.title }).count()).toBe(0);
  });

  test('of more than 50 orders the latest 50 have a ticket, and the page says that more wait (K10)', async () => {
    const { scenario, viewer } = evening;
    for (let at = 1; at <= 52; at++) {
      const changes = { transactionKey: `MANY-${at}`, transactionNumber: `M${at}` };
      const job = await scenario.relay.accept(sale({ ...changes, storeCode: RESTAURANT.codeStoreTerminal }));
      await scenario.settle(job, 'DLQ');
    }
    const window = await look(PHONE, viewer, page('/tickets'));
    await window.page.getByText('More orders wait. These are the latest 50').waitFor();
    const numbers = await window.page.locator('.slip h2').allTextContents();
    expect([numbers.length, numbers[0], numbers.at(-1)]).toEqual([50, 'M3', 'M52']);
    expect(await window.sound()).toEqual(SOUND);
  });
});

/** The sheets of a PDF, width and height in mm. */
function sheetsOf(pdf: Buffer): string[] {
  const boxes = [...pdf.toString('latin1').matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)];
  return boxes.map((box) => [box[1], box[2]].map((points) => Math.round((Number(points) / 72) * 25.4)).join(' x '));
}
