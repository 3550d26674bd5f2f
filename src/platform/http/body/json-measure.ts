/** Depth and size of a JSON text. */
export interface JsonMeasure {
  /** 0 for a text, number, boolean or null; 1 for `{}` and `[]` */
  readonly depth: number;
  /** keys of all objects in the text together */
  readonly keys: number;
  /** entries of all objects and arrays in the text together; an empty object or array counts as one entry */
  readonly values: number;
  /** digits that the exponents of numbers stand for: `1e300` has 300 zeros when it is written out, as Postgres does */
  readonly exponents: number;
}

/** The exponent of a number, with its sign. */
const EXPONENT = /[-+]?\d+/y;
/** The most digits that an exponent stands for: what is smaller is 0, what is larger infinite. */
const MOST_DIGITS = 324;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SMALL_E = 0x65;
const CAPITAL_E = 0x45;

/**
 * Measures a JSON text in one pass, before it is parsed (L5, L6): code that walks the parsed value may be recursive, or take quadratic
 * time in the number of keys. For a text that is not JSON the result has no meaning.
 */
export function measureJson(text: string): JsonMeasure {
  let depth = 0;
  let level = 0;
  let keys = 0;
  let values = 0;
  let exponents = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text.charCodeAt(i);
    if (character === QUOTE) i = endOfString(text, i + 1);
    else if (character === COMMA) values++;
    else if (character === COLON) keys++;
    else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      values++;
      depth = Math.max(depth, ++level);
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) level--;
    else if (character === SMALL_E || character === CAPITAL_E) exponents += digitsOf(text, i + 1);
  }
  return { depth, keys, values, exponents };
}

/** @param start after the `e`; that of `true` has no number behind it */
function digitsOf(text: string, start: number): number {
  EXPONENT.lastIndex = start;
  const [found] = EXPONENT.exec(text) ?? [];
  return found === undefined ? 0 : Math.min(Math.abs(Number(found)), MOST_DIGITS);
}

/** @param start of the string's content @returns the index of the closing quote */
function endOfString(text: string, start: number): number {
  let i = start;
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1;
  return i;
}
