/** 1 to 256 printable ASCII characters without spaces: a value that can be sent as an HTTP header unchanged (A19). */
export const PRINTABLE = /^[\x21-\x7e]{1,256}$/;

/** A character of a name. Joiners may stand where scripts and emojis need them, variation selectors after an emoji. */
const VISIBLE = [
  /[^\p{C}\p{Default_Ignorable_Code_Point}]/u,
  /(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f]/u,
  /(?<=[\d#*])\ufe0f(?=\u20e3)/u,
  /(?<=[\p{M}\p{Script_Extensions=Arabic}\p{Extended_Pictographic}\p{Emoji_Modifier}])[\u200c\u200d](?=[\p{L}\p{Extended_Pictographic}])/u,
];

/** A text without control characters and others that are invisible or turn the direction of the text (A38). */
export const NAME = new RegExp(`^(?:${VISIBLE.map(({ source }) => source).join('|')})*$`, 'u');

/** Whether the text matches {@link PRINTABLE}. */
export function isPrintable(text: string): boolean {
  return PRINTABLE.test(text);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether the text is a UUID of any version, in upper or lower case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Replaces what Postgres refuses in text, NUL characters and unpaired surrogates, by U+FFFD (W16). */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

const ASCII = /^[\0-\x7f]*$/;
/** More marks on one letter than any language writes. */
const TOO_MANY_MARKS = /(\p{M}{10})\p{M}+/gu;

/**
 * A text in a form of Unicode. Marks beyond ten on one letter are dropped first: `String.normalize` sorts them, in a time that grows
 * with the square of their number.
 */
export function normalized(text: string, form: 'NFC' | 'NFD' | 'NFKD'): string {
  return ASCII.test(text) ? text : text.replaceAll(TOO_MANY_MARKS, '$1').normalize(form);
}

/** A text without percent-encoding; the text itself when it cannot be decoded. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Whether the token has three base64url parts joined by dots. Such a Bearer token is verified as a JWT and never compared
 * with the static token (W2).
 */
export function isJwtShaped(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

/** The first characters of a text; a character beyond U+FFFF counts as one. */
export function firstCharacters(text: string, most: number): string {
  // a character has two UTF-16 units at most
  return text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('');
}

/** Whether an identifier is a number beyond 2^53, which has lost digits in parsing (W13). */
export function hasLostDigits(value: unknown): boolean {
  return typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;
}

/** An identifier as text (W13); null when it is absent, empty, no text, or a number that has lost digits. */
export function identifier(value: unknown): string | null {
  if (typeof value === 'number') return hasLostDigits(value) ? null : String(value);
  return typeof value === 'string' && value !== '' ? storableText(value) : null;
}
