import type { EnvironmentReader } from './environment.js';
import { readPosFields } from './pos-fields.js';

export interface PosConfig {
  /** without a trailing slash */
  readonly baseUrl: string;
  readonly testBaseUrl: string;
  readonly credentials: PosCredentials | undefined;
  readonly testCredentials: PosCredentials | undefined;
  /** deadline of one call, from its first header to its last byte (D4) */
  readonly timeoutMs: number;
  /** what an attempt does with an order that may have arrived (D19): send it again, or look it up first */
  readonly afterUnknown: 'resend' | 'ask';
  /** with `ask`: the least time between the two look-ups whose 404s mean that the order did not arrive (D21); ms */
  readonly lookupSettleMs: number;
  /** lifetime of a token when the POS states no lifetime (T3) */
  readonly tokenTtlMs: number;
  /** whether requests for orders carry `traceparent` (X4) */
  readonly traceparent: boolean;
  /** the POS vendor; see pos/vendors.ts */
  readonly vendor: PosVendorName;
  readonly wire: PosWireSettings;
}

/** The values of POS_VENDOR; pos/vendors.ts maps each to its implementation. */
const POS_VENDORS = ['partner'] as const;
export type PosVendorName = (typeof POS_VENDORS)[number];

/** The operator's settings for the vendor's requests and answers; undefined: the vendor's default. */
export type PosWireSettings = Readonly<Partial<ReturnType<typeof readWire>>>;

/** An entry of POS_TENDER_TYPES: the POS's code for a tender type, and further fields of the payment (M11). */
export interface TenderPayment {
  readonly code: string;
  readonly [field: string]: unknown;
}

/** The credentials of a sign-in at the POS, of a restaurant or of the relay (D3). */
export interface PosCredentials {
  readonly partnerId: string;
  readonly secret: string;
}

/** Reads the variables of the POS; `read` collects the problems. */
export function readPos(read: EnvironmentReader): PosConfig {
  const baseUrl = read.baseUrl('POS_BASE_URL');
  if (!read.text('POS_BASE_URL'))
    read.problem(
      'POS_BASE_URL',
      'is required: the address of the POS order interface, for example https://pos.example',
    );
  const credentials = read.credentials('POS_PARTNER_ID', 'POS_SECRET');
  return {
    baseUrl: baseUrl ?? '',
    testBaseUrl: read.baseUrl('POS_TEST_BASE_URL') ?? baseUrl ?? '',
    credentials,
    testCredentials: read.credentials('POS_TEST_PARTNER_ID', 'POS_TEST_SECRET'),
    timeoutMs: read.integer('POS_TIMEOUT_MS', 10_000, 100, 300_000),
    afterUnknown: readAfterUnknown(read),
    lookupSettleMs: read.integer('POS_LOOKUP_SETTLE_MS', 30_000, 10, 3_600_000),
    tokenTtlMs: read.integer('POS_TOKEN_TTL_MS', 3_000_000, 1_000, 30 * 86_400_000),
    traceparent: read.boolean('POS_TRACEPARENT', false),
    vendor: read.oneOf('POS_VENDOR', POS_VENDORS, POS_VENDORS[0]),
    wire: readWire(read),
  };
}

function readWire(read: EnvironmentReader) {
  return {
    /** authorization scheme before the token; empty: the bare token (T5) */
    tokenScheme: read.scheme('POS_TOKEN_SCHEME'),
    cancelPath: read.path('POS_CANCEL_PATH'),
    /** path of a look-up, with placeholders (D20); undefined: the POS has no look-up */
    lookupPath: read.pathOfOrder('POS_ORDER_LOOKUP_PATH'),
    duplicateErrorCodes: read.codes('POS_DUPLICATE_ERROR_CODES'),
    temporaryErrorCodes: read.codes('POS_TEMPORARY_ERROR_CODES'),
    /** refusals that are about a product, or about the store (O47) */
    productErrorCodes: read.codes('POS_PRODUCT_ERROR_CODES'),
    storeErrorCodes: read.codes('POS_STORE_ERROR_CODES'),
    /** further fields for the body of every order; the relay's own fields take precedence (M12) */
    orderExtra: read.object('POS_ORDER_EXTRA'),
    /** POS payments by tenderType; they take precedence over the vendor's table (M11) */
    tenderTypes: readTenders(read, 'POS_TENDER_TYPES'),
    /** the code for a tender type that is not in the table, or `reject` */
    unknownTender: read.line('POS_UNKNOWN_TENDER'),
    /** how odd lines are sent: unchanged (`send`), or folded into discount and surcharge (`fold`) (M14) */
    oddLines: read.oneOf<'send' | 'fold'>('POS_ODD_LINES', ['send', 'fold'], 'send'),
    ...readPosFields(read),
  };
}

/** A JSON object of POS payments by tenderType; a value is a code, or an object with a `code` (M11). */
function readTenders(read: EnvironmentReader, name: string): Readonly<Record<string, TenderPayment>> {
  const table: Record<string, TenderPayment> = {};
  for (const [tenderType, value] of Object.entries(read.object(name) ?? {})) {
    const payment = typeof value === 'string' ? { code: value } : (value as TenderPayment | null);
    if (typeof payment?.code === 'string' && payment.code !== '') table[tenderType] = payment;
    else read.problem(name, `must give tender type "${tenderType}" a code, or an object with a code`);
  }
  return table;
}

/** POS_AFTER_UNKNOWN; `ask` requires POS_ORDER_LOOKUP_PATH (S15). */
function readAfterUnknown(read: EnvironmentReader): PosConfig['afterUnknown'] {
  const afterUnknown = read.oneOf('POS_AFTER_UNKNOWN', ['resend', 'ask'], 'resend');
  if (afterUnknown === 'ask' && read.text('POS_ORDER_LOOKUP_PATH') === undefined)
    read.problem(
      'POS_ORDER_LOOKUP_PATH',
      'is required with POS_AFTER_UNKNOWN=ask: the path at which the POS is asked for an order, for example /order/{order_id}; ' +
        'a POS that cannot be asked needs POS_AFTER_UNKNOWN=resend',
    );
  return afterUnknown;
}
