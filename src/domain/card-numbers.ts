/** A JSON object of any fields. */
type JsonObject = Record<string, unknown>;

/** The lengths of the card numbers that begin with a prefix of this range, both ends included (W39). */
interface Issuer {
  readonly from: string;
  readonly to: string;
  readonly lengths: readonly number[];
}

const FROM_16 = [16, 17, 18, 19];
const issuer = (from: string, to: string, lengths: readonly number[]): Issuer => ({ from, to, lengths });
const ISSUERS: readonly Issuer[] = [
  // Visa
  issuer('4', '4', [13, 16, 19]),
  // Mastercard, and Mir
  issuer('51', '55', [16]),
  issuer('2221', '2720', [16]),
  issuer('2200', '2204', FROM_16),
  // American Express
  issuer('34', '34', [15]),
  issuer('37', '37', [15]),
  // Diners Club, and Hipercard
  issuer('300', '305', [14, ...FROM_16]),
  issuer('3095', '3095', [14, ...FROM_16]),
  issuer('36', '36', [14, ...FROM_16]),
  issuer('38', '39', [14, ...FROM_16]),
  // JCB
  issuer('3528', '3589', FROM_16),
  // Maestro, Elo, Aura; Discover, UnionPay, Hipercard, RuPay
  issuer('50', '50', FROM_16),
  issuer('56', '58', FROM_16),
  issuer('60', '69', FROM_16),
];

/** The shortest and the longest card number (W38). */
const [SHORTEST, LONGEST] = [13, 19];
/** The smallest JSON number of 13 digits. */
const FIRST_NUMBER = 10 ** (SHORTEST - 1);
/** More digits, also with blanks and hyphens between them, are the key of an invoice (44) or the line of a bank slip (47). */
const LONGEST_RUN = 40;

/** Digits of 13 places or more, with up to three blanks and hyphens between two of them. */
const RUN = /\d(?:[ \u00a0\u2010-\u2015-]{0,3}\d){12,}/g;
const MAY_HAVE_RUN = new RegExp(RUN.source);
/** Groups of digits in which people write card numbers. */
const WRITTEN = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [6, 13],
  [4, 4, 4, 1],
];

/** Words of a field's name that say that it has a card number. */
const CARD_WORDS = new Set(['card', 'cartao', 'tarjeta', 'pan', 'cardnumber', 'creditcard', 'debitcard', 'ccnumber']);
/** Words of a field's name that say that it has another number, without one of {@link CARD_WORDS}. */
const OTHER_WORDS = new Set([
  ...['id', 'uuid', 'guid', 'key', 'chave', 'code', 'codigo', 'serial', 'imei', 'invoice', 'fatura', 'nfe', 'nfce'],
  ...['ean', 'gtin', 'upc', 'sku', 'barcode', 'barra', 'nsu', 'tid', 'rrn', 'arn', 'cpf', 'cnpj'],
  ...['phone', 'tel', 'telephone', 'telefone', 'fone', 'celular', 'mobile', 'whatsapp', 'timestamp', 'date', 'time'],
]);

/** Fields of a sale, and of its items, that lead to the restaurant, the order or the product: never changed (W39). */
const KEYS = new Set([
  ...['transactionKey', 'transactionNumber', 'storeCode', 'restaurantId', 'transactionDate', 'isTestTransaction'],
  'items[].itemCode',
]);
/** Amounts: never changed where they are numbers. */
const AMOUNTS = new Set(['totalAmount', 'items[].quantity', 'items[].price', 'payments[].amount']);

/** What the name of a field says about the numbers in it. */
type Hint = 'card' | 'other' | 'none';

/** A field on the way to a value: `path` is its place with the index of arrays, `shape` without. */
interface Field {
  readonly path: string;
  readonly shape: string;
  readonly name: string;
}

/** A payload without card numbers, and the fields that had one. */
interface Masked {
  readonly payload: JsonObject;
  readonly fields: readonly string[];
}

/**
 * Replaces what looks like a card number in a payload of any shape by its first six and last four digits (W38, W39). The time is linear
 * in the size of the payload. A payload without such a number is returned as it is.
 */
export function withoutCardNumbers(payload: JsonObject): Masked {
  // the usual case: a sale has no such number, and nothing is copied
  if (!mayHaveCard(payload)) return { payload, fields: [] };
  const fields: string[] = [];
  const masked = maskObject(payload, { path: '', shape: '', name: '' }, fields);
  return fields.length === 0 ? { payload, fields } : { payload: masked, fields };
}

/** Replaces what looks like a card number in a text, such as the error of a POS (W38). */
export function maskCards(text: string): string {
  return MAY_HAVE_RUN.test(text) ? maskText(text, 'none') : text;
}

function mayHaveCard(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= SHORTEST && MAY_HAVE_RUN.test(value);
  if (typeof value === 'number') return value >= FIRST_NUMBER;
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    // some() takes longer, and every sale is searched
    for (const inner of value) if (mayHaveCard(inner)) return true;
    return false;
  }
  for (const name in value)
    if ((name.length >= SHORTEST && MAY_HAVE_RUN.test(name)) || mayHaveCard((value as JsonObject)[name])) return true;
  return false;
}

function maskValue(value: unknown, field: Field, fields: string[]): unknown {
  if (Array.isArray(value)) {
    const { path, shape, name } = field;
    return value.map((inner, i) => maskValue(inner, { path: `${path}[${i}]`, shape: `${shape}[]`, name }, fields));
  }
  if (typeof value === 'object' && value !== null) return maskObject(value as JsonObject, field, fields);
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const masked = KEYS.has(field.shape) ? value : maskScalar(value, field);
  if (masked !== value) fields.push(field.path);
  return masked;
}

function maskObject(object: JsonObject, { path, shape }: Field, fields: string[]): JsonObject {
  const under = (parent: string, name: string) => (parent === '' ? name : `${parent}.${name}`);
  const entries = Object.entries(object).map(([sent, value]): [string, unknown] => {
    const name = maskCards(sent);
    const inner = { path: under(path, name), shape: under(shape, sent), name };
    if (name !== sent) fields.push(inner.path);
    return [name, maskValue(value, inner, fields)];
  });
  return Object.fromEntries(entries);
}

function maskScalar(value: string | number, { shape, name }: Field): string | number {
  if (typeof value === 'string') return MAY_HAVE_RUN.test(value) ? maskText(value, hintOf(name)) : value;
  if (value < FIRST_NUMBER || AMOUNTS.has(shape) || !Number.isInteger(value)) return value;
  const hint = hintOf(name);
  const digits = BigInt(value).toString();
  if (Number.isSafeInteger(value)) return isCard(digits, hint) ? shown(digits) : value;
  // its last digits were lost, so the check digit says nothing; the number would still show what Postgres stores
  return hint === 'card' && digits.length <= LONGEST ? shown(digits) : value;
}

function maskText(text: string, hint: Hint): string {
  if (hint === 'other') return text;
  return text.replaceAll(RUN, (run, at: number) => {
    if (hint !== 'card' && run.replaceAll(/\D/g, '').length > LONGEST_RUN) return run;
    const isPhone = text[at - 1] === '+';
    const isInWord = isLetter(text[at - 1]) && isLetter(text[at + run.length]);
    return isPhone || isInWord ? run : maskRun(run, hint);
  });
}

/** Masks the card numbers in digits with blanks and hyphens: a group alone, groups as people write them, or all groups together. */
function maskRun(run: string, hint: Hint): string {
  const groups = [...run.matchAll(/\d+/g)].map((match) => ({ digits: match[0], at: match.index }));
  const whole = groups.map(({ digits }) => digits).join('');
  let masked = '';
  let end = 0;
  for (let i = 0; i < groups.length; ) {
    const sizes = [[(groups[i] as { digits: string }).digits.length], ...WRITTEN].find((sizes) => {
      const taken = groups.slice(i, i + sizes.length);
      return (
        taken.length === sizes.length &&
        taken.every(({ digits }, n) => digits.length === sizes[n]) &&
        isCard(taken.map(({ digits }) => digits).join(''), hint)
      );
    });
    if (sizes) {
      const taken = groups.slice(i, i + sizes.length);
      const [first, last] = [taken[0], taken.at(-1)] as { digits: string; at: number }[];
      masked += run.slice(end, first?.at) + shown(taken.map(({ digits }) => digits).join(''));
      end = (last?.at ?? 0) + (last?.digits.length ?? 0);
    }
    i += sizes?.length ?? 1;
  }
  if (end > 0) return masked + run.slice(end);
  // in any other groups only where the field says so: they may be dates and telephones
  return hint === 'card' && isCard(whole, hint) ? shown(whole) : run;
}

/**
 * Whether digits look like a card number: a prefix and length of an issuer, and the check digit (W39). A barcode of 13 digits, and a
 * CNPJ, has a check digit of its own, and is none unless the field says so.
 */
function isCard(digits: string, hint: Hint): boolean {
  if (hint === 'other' || digits.length < SHORTEST || digits.length > LONGEST) return false;
  if (!ISSUERS.some((range) => isOf(range, digits)) || !isLuhn(digits)) return false;
  if (hint === 'card') return true;
  if (digits.length === 13) return !isBarcode(digits);
  return digits.length !== 14 || !isCnpj(digits);
}

function isOf({ from, to, lengths }: Issuer, digits: string): boolean {
  const prefix = digits.slice(0, from.length);
  return prefix >= from && prefix <= to && lengths.includes(digits.length);
}

function isLuhn(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

function isBarcode(digits: string): boolean {
  return weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0;
}

function isCnpj(digits: string): boolean {
  const weights = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
  const check = (sum: number) => (sum % 11 < 2 ? 0 : 11 - (sum % 11));
  const first = check(weighted(digits.slice(0, 12), weights.slice(1)));
  const second = check(weighted(digits.slice(0, 13), weights));
  return Number(digits[12]) === first && Number(digits[13]) === second;
}

function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, i) => sum + weight * Number(digits[i]), 0);
}

function shown(digits: string): string {
  return `${digits.slice(0, 6)}${'*'.repeat(digits.length - 10)}${digits.slice(-4)}`;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\p{L}/u.test(character);
}

/** The words of a name in camel case, snake case or both, without accents and plurals. */
function hintOf(name: string): Hint {
  const words = name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => (CARD_WORDS.has(word) || OTHER_WORDS.has(word) ? word : word.replace(/s$/, '')));
  if (words.some((word) => CARD_WORDS.has(word))) return 'card';
  return words.some((word) => OTHER_WORDS.has(word)) ? 'other' : 'none';
}
