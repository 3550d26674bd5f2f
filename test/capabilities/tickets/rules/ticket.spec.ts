import { readTicket, type TicketForm, ticketText } from '../../../../src/capabilities/tickets/rules/ticket.js';
import { sale } from '../../../support/client.js';

const RECEIVED = new Date('2026-11-20T23:14:00Z');
const FORM: TicketForm = { width: 32, timezone: 'America/Sao_Paulo', isRepeat: false };
const print = (changes: Record<string, unknown>, form: Partial<TicketForm> = {}) =>
  ticketText(readTicket(sale(changes), RECEIVED), { ...FORM, ...form });

describe('the text of a ticket (K6)', () => {
  test('number, time by the clock of the restaurant, PAID, NOT IN THE POS, items and notes; no prices', () => {
    const items = [
      { itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9, note: 'sem cebola' },
      { itemCode: 'X-7', quantity: 0.25, price: 80 },
    ];
    expect(print({ transactionNumber: '1042', items, notes: 'Mesa 4', transactionDate: '2026-11-20T23:14:00Z' })).toBe(
      [
        '================================',
        '           # 1 0 4 2',
        '================================',
        '2026-11-20 20:14',
        'PAID',
        'NOT IN THE POS',
        '--------------------------------',
        '2 x Pizza Margherita',
        '  > sem cebola',
        '0.25 x X-7',
        '> Mesa 4',
        '================================',
      ].join('\n'),
    );
  });

  test('options stand under their dish, with their number where it is not 1 (M17, K6)', () => {
    const options = [{ itemName: 'Bacon', quantity: 2, price: 1.5 }, { itemCode: 'NO-ONION', price: 0 }, 'text'];
    const printed = print({ items: [{ itemName: 'Burger', quantity: 2, price: 10, options, notes: 'well done' }] });
    expect(printed).toContain(['2 x Burger', '  + 2 x Bacon', '  + NO-ONION', '  > well done'].join('\n'));
  });

  test('a possible repeat says so at both ends', () => {
    const lines = print({}, { isRepeat: true }).split('\n');
    expect([lines.at(0)?.trim(), lines.at(-1)?.trim()]).toEqual(['** POSSIBLE REPEAT **', '** POSSIBLE REPEAT **']);
  });

  test('without a number the key, without a date the receipt; a long text is folded between words', () => {
    const printed = print({
      transactionKey: 'K-'.repeat(40),
      transactionNumber: undefined,
      transactionDate: 'yesterday',
      items: [{ itemName: 'Hamburguer artesanal com queijo e bacon duplo', quantity: 1, price: 1 }],
    });
    expect(printed).toContain('2026-11-20 20:14');
    expect(printed).toContain('1 x Hamburguer artesanal com\n    queijo e bacon duplo');
    expect(printed.replaceAll(/\s/g, '')).toContain(`#${'K-'.repeat(40)}`);
  });

  test.each([
    ['a free order', { totalAmount: 0, payments: [] }, 'PAID'],
    ['no payment', { payments: [] }, 'PAYMENT NOT REPORTED'],
    ['a payment of zero', { payments: [{ tenderType: 1, amount: 0 }] }, 'PAYMENT NOT REPORTED'],
  ])('%s: %j is %s', (_, changes, words) => {
    expect(print(changes).split('\n')[4]).toBe(words);
  });

  test.each([32, 48] as const)(
    'of 100 lines at most, and of %d characters in a line, all of which it uses (K6, L31)',
    (width) => {
      const long = { itemName: 'x'.repeat(200), quantity: 1, price: 1 };
      const lines = print({ items: Array.from({ length: 100 }, () => long) }, { width }).split('\n');
      expect(lines).toHaveLength(100);
      expect(Math.max(...lines.map(({ length }) => length))).toBe(width);
      expect(lines[8]).toBe('    '.padEnd(width, 'x'));
    },
  );

  test('what does not fit is cut at the end, and the ticket says so', () => {
    const items = Array.from({ length: 300 }, (_, at) => ({ itemName: `Dish ${at}`, quantity: 1, price: 1 }));
    const lines = print({ items }).split('\n');
    expect(lines).toHaveLength(100);
    expect(lines.at(-2)).toBe('... the rest is in the console');
    expect(lines[5]).toBe('NOT IN THE POS');
  });

  test('of long texts the beginning is read, whatever else the sale has (L31)', () => {
    const marks = `a${'\u0300\u0316'.repeat(100_000)}`;
    const items = [
      { itemName: marks, quantity: 1, price: 1 },
      { itemName: 'a '.repeat(225_000), quantity: 1, price: 1, notes: 'x'.repeat(400_000) },
      { itemName: 'Pizza', quantity: 2, price: 1 },
    ];
    const { items: read } = readTicket({ items, payments: [] }, new Date());
    expect(read.map(({ name }) => name.length <= 2_000)).toEqual([true, true, true]);
    expect(read[2]).toEqual({ quantity: '2', name: 'Pizza', options: [], notes: [] });
    const long = Array.from({ length: 1_500 }, () => ({ itemName: 'x'.repeat(100), quantity: 1, price: 1 }));
    const all = readTicket({ items: long, payments: [] }, new Date()).items;
    expect([all.length, all.map(({ name }) => name).join('').length <= 65_536 + 1_000]).toEqual([1_000, true]);
  });

  test('commands of a printer are removed', () => {
    const printed = print({ items: [{ itemName: 'A\u001b@\u001dV\u0000B\u0007', quantity: 1, price: 1 }] });
    expect(printed).toContain('1 x A @ V?B');
  });
});
