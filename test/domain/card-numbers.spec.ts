import fc from 'fast-check';
import { maskCards, withoutCardNumbers } from '../../src/domain/card-numbers.js';
import { maskedWarnings, removedWarnings } from '../../src/domain/warnings.js';
import { errorLine } from '../../src/platform/redaction/error-line.js';

const VISA = '4111111111111111';
const MASKED = '411111******1111';

/** What is stored of a field. */
function stored(value: unknown, name = 'note'): unknown {
  return withoutCardNumbers({ [name]: value }).payload[name];
}

/** The same digits with a check digit that makes Luhn pass. */
function withLuhn(digits: string): string {
  const last = [...'0123456789'].find((digit) => passesLuhn(digits + digit));
  return digits + last;
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

describe('card numbers in a payload (W38, W39)', () => {
  test.each([
    ['Visa', '4111111111111111', '411111******1111'],
    ['Visa of 13 digits', '4222222222222', '422222***2222'],
    ['Visa of 19 digits', withLuhn('411111111111111111'), '411111*********'],
    ['Mastercard', '5555555555554444', '555555******4444'],
    ['Mastercard of the 2 series', '2223003122003222', '222300******3222'],
    ['American Express', '378282246310005', '378282*****0005'],
    ['Diners Club', '30569309025904', '305693****5904'],
    ['Diners Club, 36', '36227206271667', '362272****1667'],
    ['JCB', '3530111333300000', '353011******0000'],
    ['Discover', '6011111111111117', '601111******1117'],
    ['UnionPay', '6200000000000005', '620000******0005'],
    ['Elo', '6362970000457013', '636297******7013'],
    ['Hipercard', '6062826786276634', '606282******6634'],
    ['Maestro', '6759649826438453', '675964******8453'],
    ['Mir', '2200000000000004', '220000******0004'],
  ])('%s: the first six and the last four digits stay', (_, number, masked) => {
    expect(stored(number)).toMatch(masked);
    expect(stored(number)).toHaveLength(number.length);
    expect(String(stored(number)).slice(6, -4)).toMatch(/^\*+$/);
  });

  test.each([
    ['blanks', 'card 4111 1111 1111 1111, thanks', `card ${MASKED}, thanks`],
    ['hyphens', '4111-1111-1111-1111', MASKED],
    ['wide separators', '4111 - 1111 - 1111 - 1111', MASKED],
    ['no-break spaces', '4111\u00a01111\u00a01111\u00a01111', MASKED],
    ['the expiry after it', '4111 1111 1111 1111 12/27 123', `${MASKED} 12/27 123`],
    ['the year after it', '4111 1111 1111 1111 2027', `${MASKED} 2027`],
    ['a quantity before it', '2 4111111111111111', `2 ${MASKED}`],
    ['American Express', '3782 822463 10005', '378282*****0005'],
    ['Diners Club', '3056 930902 5904', '305693****5904'],
    ['two numbers', '4111 1111 1111 1111 5555 5555 5555 4444', `${MASKED} 555555******4444`],
    ['the second track (W48)', ';4111111111111111=27121011000?', `;${MASKED}=***?`],
    ['the first track (W48)', '%B4111111111111111^DOE/JANE^27121011000123?', `%B${MASKED}^DOE/JANE^***?`],
    ['a telephone before it', '+5511987654321\n4111111111111111', `+5511987654321\n${MASKED}`],
    [
      'many amounts after it',
      `4111 1111 1111 1111\n${'10,50 20,00\n'.repeat(9)}`,
      `${MASKED}\n${'10,50 20,00\n'.repeat(9)}`,
    ],
    ['the first track, without the rest', '%B4111111111111111^DOE/JANE^', `%B${MASKED}^DOE/JANE^`],
    ['colons', '4111:1111:1111:1111', MASKED],
    ['bars', '4111|1111|1111|1111', MASKED],
    ['JSON in a text', '{"number":"4111111111111111"}', `{"number":"${MASKED}"}`],
  ])('as people and machines write them: %s', (_, text, masked) => {
    expect(stored(text)).toBe(masked);
  });

  test('a number below zero', () => {
    expect(stored(-Number(VISA))).toBe(MASKED);
    expect(stored(-1763928000005)).toBe(-1763928000005);
  });

  test('every number in a long row of digits and signs, at any place (W39)', () => {
    const numbers = fc.constantFrom('4111111111111111', '378282246310005', '5555555555554444');
    const noise = fc.string({ unit: fc.constantFrom('1', '1.1', '-', ' 1', ',1/'), maxLength: 30 });
    fc.assert(
      fc.property(fc.array(fc.tuple(noise, numbers), { minLength: 1, maxLength: 30 }), (parts) => {
        const text = parts.map(([before, number]) => `${before}"${number}"`).join('');
        const masked = String(stored(text));
        for (const [, number] of parts) expect(masked).not.toContain(number);
        expect(masked.replaceAll(/"\d{6}\*+\d{4}"/g, '')).toBe(text.replaceAll(/"\d{15,16}"/g, ''));
      }),
    );
  });

  test('at any depth, in texts and numbers, and in the names of fields', () => {
    const payload = {
      customer: { cards: [{ number: Number(VISA) }, [VISA]] },
      payments: [{ tenderType: 'credit', amount: 10, receipt: `paid by ${VISA}` }],
      [`x${VISA}`]: 1,
    };
    const masked = withoutCardNumbers(payload);
    expect(masked.payload).toEqual({
      customer: { cards: [{ number: MASKED }, [MASKED]] },
      payments: [{ tenderType: 'credit', amount: 10, receipt: `paid by ${MASKED}` }],
      [`x${MASKED}`]: 1,
    });
    const fields = ['customer.cards[0].number', 'customer.cards[1][0]', 'payments[0].receipt', `x${MASKED}`];
    expect(masked.fields).toEqual(fields);
    expect(JSON.stringify(maskedWarnings(masked.fields))).not.toContain(VISA);
    expect(maskedWarnings(masked.fields)[0]).toEqual({
      kind: 'masked_card',
      text: 'customer.cards[0].number: looked like a card number; its first six and last four digits are stored',
    });
  });

  test.each([
    ['the check digit is wrong', '4111111111111112'],
    ['no issuer has this prefix', '1234567812345670'],
    ['Mastercard has 16 digits', withLuhn('55555555555555555')],
    ['12 digits', withLuhn('41111111111')],
    ['20 digits', withLuhn('4111111111111111111')],
    ['the 44 digits of an invoice key', `${VISA}${VISA}411111111111`],
    ['an invoice key in groups', Array(11).fill('4111').join(' ')],
    ['the line of a bank slip', '34191 79001 01043 510047 91020 150008 4 12345678901234 0'],
    ['a time in ms', '1763928000005'],
    ['a mobile telephone of Brazil', '5511987654321'],
    ['a telephone', '+4915112345674'],
    ['a barcode (EAN) that passes Luhn', '4006381333931'],
    ['a CNPJ that passes Luhn', '36000000000147'],
    ['a time', '2026-11-20T20:14:00.000Z'],
    ['a UUID', '41111111-1111-4111-8111-111111111111'],
    ['digits in the middle of a word', `ab${VISA}ff`],
    ['prices', '41,11 11,11 11,11 11,11'],
    ['dates', '41.11.11 11:11 11.11.11 11:11'],
    ['a decimal', '411111.1111111111111'],
    ['groups that nobody writes', '411 111 111 111 111 1'],
    ['the line of a bank slip with dots', '41111.11111 11111.111111 11111.111111 4 12345678901234'],
  ])('left alone: %s', (_, text) => {
    expect(stored(text)).toBe(text);
  });

  test.each([
    ...[
      'orderId',
      'externalKey',
      'authorization_code',
      'codigo',
      'EAN',
      'barcodes',
      'phone',
      'telefone',
      'nsu',
      'CNPJ',
    ],
    ...['código', 'invoiceNumber', 'timestamp'],
  ])('a field whose name says that it has another number is left alone: %s', (name) => {
    expect(stored(VISA, name)).toBe(VISA);
    expect(stored([Number(VISA)], name)).toEqual([Number(VISA)]);
  });

  test.each([
    ...['4111.1111.1111.1111', '4111/1111/1111/1111', '4111,1111,1111,1111', '4111_1111_1111_1111'],
    ...['4111\t1111\t1111\t1111', '4111\n1111\r\n1111\n1111', '4111\u20091111\u20091111\u20091111'],
    ...['4111    1111    1111    1111', '4111&nbsp;1111&nbsp;1111&nbsp;1111', '4111%201111%201111%201111'],
    ...['4111\u200b1111\u200b1111\u200b1111', '4111\u30001111\u30001111\u30001111', '4111 1111\n1111 1111'],
    ...['４１１１１１１１１１１１１１１１', '٤١١١ ١١١١ ١١١١ ١١١١', '۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱'],
    ...['41 11 11 11 11 11 11 11', '41111 11111 11111 1', '+4111111111111111', 'x4111111111111111'],
  ])('whatever stands between its digits: %j (W39)', (text) => {
    expect(stored(`paid by ${text}.`)).toBe(
      `paid by ${text.startsWith('+') ? '+' : ''}${text.startsWith('x') ? 'x' : ''}${MASKED}.`,
    );
  });

  test.each([
    ...['+4111111111111111', 'X4111111111111111Y', '411-111-111-111-111-1', '4,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1'],
    ...[`9999 4111111111111111 ${'0'.repeat(40)}`, `123454111111111111111${'7'.repeat(30)}`, '4'.repeat(100_000)],
  ])('a field that says card has no exceptions: %s (W39)', (text) => {
    for (const name of ['cartao', 'pan', 'cardNumber', 'card', 'tarjeta']) {
      expect(stored(text, name)).not.toContain('4111111111111111');
      expect(stored(text, name)).toMatch(/\*{6}/);
      expect(withoutCardNumbers({ [name]: { number: text } }).payload).not.toEqual({ [name]: { number: text } });
    }
  });

  test('in a field that says card a number with a fraction, and one below zero (W39)', () => {
    expect(stored(4111111111111111.5, 'card')).toBe(MASKED);
    expect(stored(-4111111111111111, 'card')).toBe(MASKED);
    expect(stored(4111111111111111.5)).toBe(4111111111111111.5);
  });

  test.each([
    ...[
      'cvv',
      'CVC',
      'cvv2',
      'cardCvv',
      'cvn',
      'securityCode',
      'card_security_code',
      'codigoDeSegurança',
      'track2',
      'trackData',
    ],
    ...['pinBlock', 'cardPin', 'cardExpiry', 'expiry', 'expiryMonth', 'card_expiration_date', 'validadeCartao'],
  ])('%s is never kept (W48)', (name) => {
    for (const value of ['12/27', 123, { value: '123' }]) {
      const { payload, removed } = withoutCardNumbers({ payments: [{ amount: 1, [name]: value }] });
      expect(payload).toEqual({ payments: [{ amount: 1, [name]: '***' }] });
      expect(removedWarnings(removed)).toEqual([
        {
          kind: 'masked_card',
          text: `payments[0].${name}: a security code, PIN, track or expiry of a card is never stored; do not send it`,
        },
      ]);
    }
  });

  test('what only sounds like it is kept, and so is an empty one (W48)', () => {
    const payload = {
      ...{ cvv: '', track2: null, cvvPresent: true, cvvResult: 'M', pin: '4711', pinCode: '560001', tracking: 'BR123' },
      ...{ validade: '2026-12-31', expiration: 3600, expires: 'never', spinach: 1, exportNumber: '1' },
      items: [{ itemName: 'Milk', expiry: '2026-12-31', price: 1 }],
    };
    expect(withoutCardNumbers(payload).payload).toBe(payload);
    const card = { card: { pin: '4711', expiration: '12/27', brand: 'x' } };
    expect(withoutCardNumbers(card).payload).toEqual({ card: { pin: '***', expiration: '***', brand: 'x' } });
  });

  test.each(['cardNumber', 'card_id', 'PAN', 'numeroCartao', 'cartão', 'card-key'])(
    'a field whose name says card: %s',
    (name) => {
      expect(stored(VISA, name)).toBe(MASKED);
      expect(stored(withLuhn('400638133393'), name)).toContain('***');
      expect(stored('41 11 11 11 11 11 11 11', name)).toBe(MASKED);
      // beyond 2^53: the digits that are left would be stored
      expect(stored(Number('4111111111111111110'), name)).toMatch(/^411111\*{9}\d{4}$/);
    },
  );

  test('what identifies the sale, its restaurant and its products is never changed, nor an amount', () => {
    const payload = {
      ...{
        transactionKey: VISA,
        transactionNumber: VISA,
        storeCode: VISA,
        restaurantId: VISA,
        transactionDate: 4.1e15,
      },
      items: [{ itemCode: VISA, quantity: Number(VISA), price: Number(VISA) }],
      payments: [{ amount: Number(VISA) }],
      totalAmount: Number(VISA),
    };
    expect(withoutCardNumbers(payload).payload).toBe(payload);
  });

  test('a payload without card numbers is the same object', () => {
    const payload = { transactionKey: 'k', items: [{ itemName: 'Coffee', price: 1 }], at: 1_763_928_000_000 };
    expect(withoutCardNumbers(payload)).toEqual({ payload, fields: [], removed: [], lost: [] });
    expect(withoutCardNumbers(payload).payload).toBe(payload);
  });

  test('whatever surrounds it, the digits between the sixth and the last four are not stored', () => {
    const words = fc.string({ unit: fc.constantFrom(...'ab ,.:;()"\n') });
    const number = fc
      .string({ unit: fc.constantFrom(...'0123456789'), minLength: 11, maxLength: 11 })
      .map((middle) => withLuhn(`4012${middle}`));
    fc.assert(
      fc.property(words, number, words, (before, digits, after) => {
        expect(maskCards(`${before} ${digits} ${after}`)).not.toContain(digits);
        const [text] = [`${before} ${digits.replaceAll(/(\d{4})(?=\d)/g, '$1 ')} ${after}`];
        expect(maskCards(text)).toContain(`${digits.slice(0, 6)}******${digits.slice(-4)}`);
      }),
    );
  });

  test('the time is linear: long texts of digits and blanks', () => {
    for (const part of ['4111 ', '4', '4   ', '411111111111 x', '4-'])
      expect(maskCards(part.repeat(1_000_000 / part.length))).toBeDefined();
  });

  test('a long name is read once, however many values or objects are under it', () => {
    const normalize = jest.spyOn(String.prototype, 'normalize');
    const name = 'n'.repeat(500_000);
    const numbers = { [name]: Array.from({ length: 30_000 }, () => Number(VISA)) };
    const objects = { card: { [name]: Array.from({ length: 20_000 }, () => ({ number: VISA, a: 1 })) } };
    for (const payload of [numbers, objects]) {
      normalize.mockClear();
      const { payload: masked, fields } = withoutCardNumbers(payload);
      expect(JSON.stringify(masked)).not.toContain(VISA);
      expect(fields[0]?.length).toBeLessThan(200);
      expect(normalize.mock.contexts.filter((text) => String(text).length >= name.length).length).toBeLessThan(5);
    }
  });

  test('no text is made of the place of each value: a place may be as long as its names', () => {
    let deep: unknown = Array.from({ length: 20_000 }, (_, i) => i);
    for (let level = 0; level < 28; level++) deep = { ['n'.repeat(100)]: deep };
    const has = jest.spyOn(Set.prototype, 'has');
    const { removed } = withoutCardNumbers({ deep, cvv: '123' });
    expect(removed).toEqual(['cvv']);
    expect(has.mock.calls.filter(([text]) => String(text).length > 200)).toEqual([]);
    has.mockRestore();
  });

  test.each([
    ['a name that looks like a place', { 'payments[].amount': Number(VISA) }],
    ['an empty name', { '': { totalAmount: Number(VISA) } }],
  ])('%s is no place: its number is masked', (_, payload) => {
    expect(JSON.stringify(withoutCardNumbers(payload).payload)).not.toContain(VISA);
  });

  test('neither is it in an error of a POS, and thus in lastError and alerts', () => {
    expect(errorLine(`HTTP 422: the card ${VISA} was refused`)).toBe(`HTTP 422: the card ${MASKED} was refused`);
  });
});

test('a name with a quarter of a million marks on a letter is read like any other (W48)', () => {
  const name = `cvv${'\u0300\u0316'.repeat(125_000)}`;
  const { payload, removed } = withoutCardNumbers({ [name]: '123', items: [] });
  // the name itself would be too long to print
  expect([removed.length, Object.values(payload)]).toEqual([1, ['***', []]]);
});
