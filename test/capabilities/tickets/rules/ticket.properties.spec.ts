import fc from 'fast-check';
import {
  columnsOf,
  MAX_TICKET_LINES,
  readTicket,
  TICKET_WIDTHS,
  ticketText,
} from '../../../../src/capabilities/tickets/rules/ticket.js';
import { RUNS } from '../../../domain/arbitraries.js';

/** Any text; often with what commands a printer, reorders a line, or takes two columns. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc
    .array(
      fc.constantFrom(
        '\u001b',
        '\u001d',
        '\u0000',
        '\n',
        '\r',
        '\u009b',
        '\u202e',
        '\ud800',
        '寿',
        '🍕',
        'e\u0301',
        'word',
        ' ',
      ),
      { maxLength: 200 },
    )
    .map((parts) => parts.join('')),
);
const anything = fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.anything() });
const item = fc.oneof(
  fc.record(
    { itemCode: anything, itemName: anything, quantity: fc.oneof(fc.double(), anything), note: anything },
    { requiredKeys: [] },
  ),
  fc.anything(),
);
const payload = fc.record(
  {
    transactionKey: text,
    transactionNumber: anything,
    transactionDate: anything,
    totalAmount: anything,
    items: fc.oneof(fc.array(item, { maxLength: 80 }), fc.anything()),
    payments: fc.oneof(fc.array(fc.record({ amount: anything })), fc.anything()),
    notes: anything,
  },
  { requiredKeys: ['transactionKey'] },
);
const form = fc.record({
  width: fc.constantFrom(...TICKET_WIDTHS),
  timezone: fc.constantFrom('UTC', 'America/Sao_Paulo', 'Asia/Kathmandu'),
  isRepeat: fc.boolean(),
});

const RECEIVED = new Date('2026-11-20T23:14:00Z');

test('no ticket has a control character, a line that is too wide, or more than 100 lines (K6)', () => {
  fc.assert(
    fc.property(payload, form, (sale, how) => {
      const printed = ticketText(readTicket(sale as Record<string, unknown>, RECEIVED), how);
      const lines = printed.split('\n');
      // beside the line feed: no control, no format character, no half of a character
      expect(lines.filter((line) => /[\p{C}\u2028\u2029]/u.test(line))).toEqual([]);
      expect(lines.filter((line) => columnsOf(line) > how.width)).toEqual([]);
      expect(lines.length).toBeLessThanOrEqual(MAX_TICKET_LINES);
      expect(printed).toContain('NOT IN THE POS');
      expect(printed.includes('** POSSIBLE REPEAT **')).toBe(how.isRepeat);
    }),
    { numRuns: RUNS / 10 },
  );
});
