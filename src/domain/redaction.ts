/** The replacement of a secret. */
const REDACTED = '[secret]';

/** A shorter secret is replaced only where it is not encoded: in a decoded text it would match by chance. */
const MIN_DECODED_LENGTH = 4;

/** The most levels of nested encodings that are decoded. */
const MAX_ROUNDS = 6;

/** A character as JSON (backslashes, codes), HTML (codes, names) or URL encoders write it. */
const ENCODED = /\\+(?:u([0-9a-f]{4}))?|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(quot|amp|apos|lt|gt));?|%([0-9a-f]{2})/gi;
const NAMED: Readonly<Record<string, string>> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' };

/** A range of a text; `end` is exclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A decoded text, and the positions of its characters in the original. */
interface Decoded {
  readonly text: string;
  /** position of each character in the original; one more entry: the original's length */
  readonly starts: readonly number[];
}

/**
 * Replaces secrets in a text of a third party (D18): unencoded, and in JSON, HTML, URL or base64 encoding, nested too. Text and
 * secret are compared decoded, since encoders differ in the characters they encode. The time is linear in the text's length.
 * @param secrets printable ASCII; an empty one replaces nothing
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  if (secrets.every((secret) => secret === '')) return text;
  const decoded = decode(text);
  const spans = secrets.filter((secret) => secret !== '').flatMap((secret) => spansOf(secret, text, decoded));
  let shown = '';
  let end = 0;
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    // spans that overlap or touch are one
    if (end === 0 || span.start > end) shown += text.slice(end, span.start) + REDACTED;
    end = Math.max(end, span.end);
  }
  return shown + text.slice(end);
}

function spansOf(secret: string, text: string, decoded: Decoded): Span[] {
  const plain = decode(secret).text;
  const inDecoded = [
    ...(plain.length < MIN_DECODED_LENGTH ? [] : occurrences(plain, decoded.text)),
    ...base64Occurrences(secret, decoded.text),
  ];
  const { starts } = decoded;
  return [
    ...occurrences(secret, text),
    ...inDecoded.map(({ start, end }) => ({ start: starts[start] as number, end: starts[end] as number })),
  ];
}

function occurrences(searched: string, text: string): Span[] {
  const found: Span[] = [];
  for (let start = text.indexOf(searched); start >= 0; start = text.indexOf(searched, start + searched.length))
    found.push({ start, end: start + searched.length });
  return found;
}

/**
 * Finds the secret in base64 or base64url, alone or inside a longer text such as `id:secret`. For each of the three byte offsets in a
 * group, searches for the digits of the secret alone; the result includes the digits that the secret shares with its neighbours.
 */
function base64Occurrences(secret: string, text: string): Span[] {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/');
  const bytes = String.fromCharCode(...new TextEncoder().encode(secret));
  return [0, 1, 2].flatMap((before) => {
    const whole = btoa('\0'.repeat(before) + bytes);
    const shared = before === 0 ? 0 : 1;
    const digits = whole.slice(before + shared, Math.floor(((before + bytes.length) * 8) / 6));
    if (digits.length < MIN_DECODED_LENGTH) return [];
    return occurrences(digits, standard).map(({ start, end }) => ({
      start: Math.max(0, start - shared),
      end: end + (/^[A-Za-z0-9+/]?={0,2}/.exec(standard.slice(end, end + 3)) as RegExpExecArray)[0].length,
    }));
  });
}

/** Decodes JSON, HTML and URL encoding. All backslashes are removed, since nested JSON has any number of them. */
function decode(text: string): Decoded {
  let decoded: Decoded = { text, starts: Array.from({ length: text.length + 1 }, (_, i) => i) };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = decodeOnce(decoded);
    if (next.text === decoded.text) break;
    decoded = next;
  }
  return decoded;
}

function decodeOnce({ text, starts }: Decoded): Decoded {
  const characters: string[] = [];
  const origins: number[] = [];
  const add = (from: number, to: number) => {
    for (let i = from; i < to; i++) {
      characters.push(text[i] as string);
      origins.push(starts[i] as number);
    }
  };
  let end = 0;
  for (const match of text.matchAll(ENCODED)) {
    add(end, match.index);
    end = match.index + match[0].length;
    const character = characterOf(match);
    if (character === '') continue;
    characters.push(character);
    origins.push(starts[match.index] as number);
  }
  add(end, text.length);
  return { text: characters.join(''), starts: [...origins, starts.at(-1) as number] };
}

function characterOf([, json, decimal, hex, name, url]: RegExpExecArray): string {
  if (name) return NAMED[name.toLowerCase()] as string;
  const code = decimal ? Number(decimal) : Number.parseInt(json ?? hex ?? url ?? '', 16);
  return Number.isNaN(code) ? '' : String.fromCharCode(code);
}
