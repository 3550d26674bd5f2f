/** How the terminal authenticates; `signed`: by the restaurant's key. */
export type Method = 'signed' | 'token' | 'basic' | 'jwt' | 'body';

/** A failure of the POS during one sale. */
export type Trouble = 'answers-503' | 'switched-off' | 'loses-its-answer';

interface Amounts {
  readonly total: number;
  readonly discount: number;
  readonly increase: number;
}

/** The expected end of a sale. */
export type Expected =
  | ({ readonly state: 'SENT' } & Amounts)
  | { readonly state: 'DLQ'; readonly total: number; readonly error: RegExp }
  | { readonly state: 'REFUSED'; readonly status: number; readonly code: string };

export interface Item {
  readonly itemCode: string;
  readonly itemName: string;
  readonly quantity: number;
  readonly price: number;
}

export interface Payment {
  readonly tenderType: number;
  readonly amount: number;
}

/** One sale of the evening, and its expected end. */
export interface Sale {
  readonly transactionKey: string;
  readonly what: string;
  readonly by: Method;
  readonly trouble?: Trouble;
  readonly isTest: boolean;
  readonly items: readonly Item[];
  readonly payments: readonly Payment[];
  readonly expected: Expected;
}

export const RESTAURANT = {
  name: 'Pizzeria Roma',
  slug: 'pizzeria-roma',
  address: 'Via Appia 1',
  codeStoreTerminal: 'ROMA-01',
  codeStorePos: '7001',
  timezone: 'Europe/Rome',
  dayClosesAt: '04:00',
} as const;

/** The restaurant that the visitor sets up: the POS knows its store. */
export const NEW_RESTAURANT = { name: 'Osteria Nuova', codeStorePos: '7002', timezone: RESTAURANT.timezone } as const;

const [CASH, INSTANT, CARD_A, CARD_B] = [1, 50, 16, 28];

const MENU = {
  'PZ-01': ['Pizza Margherita', 42],
  'PZ-02': ['Pizza Diavola', 48.5],
  'PA-01': ['Lasagne', 39.9],
  'SA-01': ['Caesar salad', 27.3],
  'DR-01': ['Sparkling water', 6.5],
  'DR-02': ['House wine, glass', 19.9],
  'CF-01': ['Espresso', 7],
  'KG-01': ['Parma ham, by weight', 129.9],
  'KG-02': ['Pecorino, by weight', 98.7],
  'TS-01': ['Tiramisu, new today', 24],
} as const;

/** A product that is new on the terminal: the POS has another code for it. */
export const NEW_PRODUCT = { terminalCode: 'TS-01', posCode: 'DES-07' } as const;

/** The codes of the products that the POS knows. */
export const POS_PRODUCTS: readonly string[] = Object.keys(MENU).map((code) =>
  code === NEW_PRODUCT.terminalCode ? NEW_PRODUCT.posCode : code,
);

/** What the POS knows, as its program exports it: code, name and price. */
export const POS_CATALOGUE = [
  'code;name;price',
  ...Object.values(MENU).map(([name, price], i) => `${POS_PRODUCTS[i]};${name.replace(', new today', '')};${price}`),
].join('\n');

function items(...lines: [code: keyof typeof MENU, quantity: number][]): Item[] {
  return lines.map(([itemCode, quantity]) => {
    const [itemName, price] = MENU[itemCode];
    return { itemCode, itemName, quantity, price };
  });
}

function paid(...parts: [tenderType: number | undefined, amount: number][]): Payment[] {
  return parts.map(([tenderType = 0, amount]) => ({ tenderType, amount }));
}

function sent(total: number, { discount = 0, increase = 0 } = {}): Expected {
  return { state: 'SENT', total, discount, increase };
}

function sale(
  number: number,
  what: string,
  by: Method,
  rest: Partial<Sale> & Pick<Sale, 'items' | 'payments' | 'expected'>,
): Sale {
  return { transactionKey: `SALE-${number}`, what, by, isTest: false, ...rest };
}

const FIRST = sale(1001, 'cash', 'signed', {
  items: items(['PZ-01', 1], ['DR-01', 2]),
  payments: paid([CASH, 55]),
  expected: sent(55),
});

/**
 * The sales in order. The failures of the POS come early: their retries are due 30 s later, while the other sales are sent.
 */
export const EVENING: readonly Sale[] = [
  FIRST,
  sale(1002, 'instant payment', 'basic', {
    items: items(['PA-01', 1], ['DR-02', 1]),
    payments: paid([INSTANT, 59.8]),
    expected: sent(59.8),
  }),
  sale(1003, 'card, POS says 503', 'jwt', {
    trouble: 'answers-503',
    items: items(['PZ-02', 2], ['CF-01', 2]),
    payments: paid([CARD_A, 111]),
    expected: sent(111),
  }),
  sale(1004, 'instant, POS is off', 'signed', {
    trouble: 'switched-off',
    items: items(['PZ-01', 1], ['SA-01', 1]),
    payments: paid([INSTANT, 69.3]),
    expected: sent(69.3),
  }),
  sale(1005, 'cash, answer lost', 'body', {
    trouble: 'loses-its-answer',
    items: items(['CF-01', 3]),
    payments: paid([CASH, 21]),
    expected: sent(21),
  }),
  sale(1006, 'two cards', 'token', {
    items: items(['PA-01', 2]),
    payments: paid([CARD_A, 39.9], [CARD_B, 39.9]),
    expected: sent(79.8),
  }),
  sale(1007, 'cash, instant, card', 'basic', {
    items: items(['PZ-01', 2], ['DR-02', 2], ['SA-01', 1]),
    payments: paid([CASH, 50], [INSTANT, 40.4], [CARD_A, 60.7]),
    expected: sent(151.1),
  }),
  sale(1008, 'card, 10% discount', 'jwt', {
    items: items(['PZ-02', 1], ['SA-01', 1]),
    payments: paid([CARD_B, 68.22]),
    expected: sent(68.22, { discount: 7.58 }),
  }),
  sale(1009, 'card, 12% service', 'body', {
    items: items(['PZ-02', 2], ['DR-02', 2], ['DR-01', 2]),
    payments: paid([CARD_A, 167.78]),
    expected: sent(167.78, { increase: 17.98 }),
  }),
  sale(1010, 'weighed ham, cheese', 'signed', {
    items: items(['KG-01', 0.412], ['KG-02', 0.285]),
    payments: paid([INSTANT, 81.65]),
    expected: sent(81.65),
  }),
  sale(1011, 'test transaction', 'token', {
    isTest: true,
    items: items(['CF-01', 1]),
    payments: paid([CASH, 7]),
    expected: sent(7),
  }),
  { ...FIRST, what: '1001 sent once more', expected: { state: 'REFUSED', status: 400, code: 'DUPLICATE_TRANSACTION' } },
  sale(1012, 'unknown to the POS', 'basic', {
    items: items(['PZ-01', 1], ['TS-01', 1]),
    payments: paid([CARD_A, 66]),
    expected: { state: 'DLQ', total: 66, error: /^HTTP 422\b.*unknown product TS-01/ },
  }),
];

/** The sale as the terminal's webhook. */
export function transactionOf(sale: Sale, at: Date): Record<string, unknown> {
  return {
    transactionKey: sale.transactionKey,
    transactionNumber: sale.transactionKey.slice(-4),
    isTestTransaction: sale.isTest,
    storeCode: RESTAURANT.codeStoreTerminal,
    transactionDate: at.toISOString(),
    totalAmount: sale.expected.state === 'REFUSED' ? undefined : sale.expected.total,
    items: sale.items,
    payments: sale.payments,
  };
}

/** `SALE-1011-1768...` -> `1011` */
export function shortId(orderId: string): string {
  return orderId.replace(/^SALE-/, '').replace(/-\d{13}$/, '');
}
