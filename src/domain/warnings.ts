import { hasLostDigits } from './text.js';

/** The kinds of warnings; a label of the metrics. */
export const WARNING_KINDS = [
  'unmappable',
  'odd_line',
  'ignored_payment',
  'amount_mismatch',
  'unknown_tender',
  'shortened_tender',
  'unreadable_date',
  'lost_identifier',
  'cut_identifier',
  'ignored_field',
  'changed_field',
  'masked_card',
  'card_in_key',
  'no_code_store_pos',
  'other_currency',
  'reused_test_key',
  'foreign_store',
  'default_item',
  'not_in_catalogue',
] as const;

/** A field of an accepted transaction that makes it unmappable or looks wrong (W26). */
export interface Warning {
  readonly kind: (typeof WARNING_KINDS)[number];
  /** `field: what is wrong with it, and what follows` */
  readonly text: string;
  /** of a tender that the vendor does not know: its codes (I6). A restaurant that has a code for one of them has no such warning */
  readonly tender?: readonly string[];
}

/** The warning of a sale whose restaurant has no codeStorePos (M13). */
export const NO_CODE_STORE_POS: Warning = {
  kind: 'no_code_store_pos',
  text: 'restaurant has no codeStorePos: the order waits until it is set',
};

/** The warning of a test sale that differs from the first one of its key (W47). */
export const REUSED_TEST_KEY: Warning = {
  kind: 'reused_test_key',
  text: 'transactionKey: another test sale with other amounts, items or payments had it before; this one is ignored, and outside of test mode it would be refused',
};

/** The warning of a sale that names another store or restaurant than that of its sender key (W49). Without quotes: it stands in a statement. */
export const FOREIGN_STORE: Warning = {
  kind: 'foreign_store',
  text: 'storeCode, restaurantId: name another store than that of the sender key, which has the sale; check that the terminal has the key of its restaurant',
};

/** The warning of a sale with items without a code, of a restaurant that has a default for them (I3). Without quotes: it stands in a statement. */
export const DEFAULT_ITEM: Warning = {
  kind: 'default_item',
  text: 'items: some have no itemCode; they are sent with the default item code of the restaurant, and the name of the terminal',
};

/** The most warnings of a kind; one more warning counts the rest. */
const MAX_OF_KIND = 50;
/** The most warnings of a transaction: of each kind MAX_OF_KIND, and the warning that counts the rest. */
export const MAX_WARNINGS = WARNING_KINDS.length * (MAX_OF_KIND + 1);
/** The most characters of a warning, since a warning may contain a tender type, which may have any length. */
const MAX_LENGTH = 300;

/** The warnings in the order of their kinds, at most 50 of each kind, each of at most 300 characters. */
export function shownWarnings(found: readonly Warning[]): readonly Warning[] {
  if (found.length === 0) return found;
  return WARNING_KINDS.flatMap((kind) => {
    const all = found.filter((warning) => warning.kind === kind);
    const shown = all
      .slice(0, MAX_OF_KIND)
      .map((each) => ({ ...each, text: each.text.slice(0, MAX_LENGTH).toWellFormed() }));
    const rest = all.length - shown.length;
    return [...shown, ...(rest > 0 ? [{ kind, text: `and ${rest} more like these` }] : [])];
  });
}

/** Adds the warning of an identifier that was sent, but cannot be read (W13). @returns the empty text, which the order has instead */
export function lostIdentifier(field: string, sent: unknown, warnings: Warning[]): '' {
  if ((sent ?? '') === '') return '';
  const text = hasLostDigits(sent)
    ? `${field}: a number beyond 2^53 has lost digits; stored as null, send it as text`
    : `${field}: must be text; stored as null`;
  warnings.push({ kind: 'lost_identifier', text });
  return '';
}

/** The warnings of fields whose card number was masked (W26), without the number. */
export function maskedWarnings(fields: readonly string[]): Warning[] {
  return fields.map((field) => ({
    kind: 'masked_card',
    text: `${field}: looked like a card number; its first six and last four digits are stored`,
  }));
}

/** The warnings of fields that are never kept (W48), without their value. */
export function removedWarnings(fields: readonly string[]): Warning[] {
  return fields.map((field) => ({
    kind: 'masked_card',
    text: `${field}: a security code, PIN, track or expiry of a card is never stored; do not send it`,
  }));
}

/** The warning of a key that looks like a card number: it is not masked (W39). */
export function cardInKey(field: string): Warning {
  return {
    kind: 'card_in_key',
    text: `${field}: looks like a card number, and is stored and sent to the POS as it is; number the sales in another way`,
  };
}

/** The warnings of numbers that have lost digits, and stand where nothing else reads them (W13). */
export function lostNumbers(fields: readonly string[]): Warning[] {
  return fields.map((field) => ({
    kind: 'lost_identifier',
    text: `${field}: a number beyond 2^53 has lost digits; send it as text`,
  }));
}

/** The settings of a restaurant for its orders and business days. */
export interface RestaurantSettings {
  readonly codeStoreTerminal: string | null;
  readonly codeStorePos: string | null;
  readonly posIdPartner: string | null;
  readonly hasPosSecret: boolean;
  /** whether its POS reads its orders by Open Delivery: it needs a currency, and neither store code nor credentials (Q8) */
  readonly openDelivery: boolean;
  readonly currency: string | null;
  /** IANA name */
  readonly timezone: string;
}

/** The default time zone of a restaurant. */
const DEFAULT_TIMEZONE = 'UTC';

const TIMEZONE_ADVICE =
  'business days and takings go by it; set the zone of the restaurant, for example America/Sao_Paulo (Etc/UTC to keep UTC)';

/** Whether the time zone was not set (A32); a restaurant in UTC sets `Etc/UTC`. */
export function hasDefaultTimezone({ timezone }: Pick<RestaurantSettings, 'timezone'>): boolean {
  return timezone === DEFAULT_TIMEZONE;
}

/** The missing settings of a restaurant: the settings that its orders need (A25), and the time zone (A32). */
export function restaurantWarnings(restaurant: RestaurantSettings): string[] {
  const { codeStoreTerminal, codeStorePos, posIdPartner, hasPosSecret } = restaurant;
  const pair =
    'neither is used, and its orders go out with POS_PARTNER_ID and POS_SECRET, or wait where these are not set';
  const ofPos = restaurant.openDelivery
    ? [restaurant.currency ? null : 'currency is not set: its orders wait until it is, since its POS needs it']
    : [
        codeStorePos ? null : 'codeStorePos is not set: its orders wait until it is',
        posIdPartner && !hasPosSecret ? `posIdPartner is set without posSecret: ${pair}` : null,
        hasPosSecret && !posIdPartner ? `posSecret is set without posIdPartner: ${pair}` : null,
      ];
  return [
    codeStoreTerminal ? null : 'codeStoreTerminal is not set: no storeCode leads to this restaurant',
    ...ofPos,
    hasDefaultTimezone(restaurant) ? `timezone is UTC, the default: ${TIMEZONE_ADVICE}` : null,
  ].filter((warning) => warning !== null);
}
