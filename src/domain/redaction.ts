/** What stands in place of a secret. */
const REDACTED = '[secret]';

/** A shorter text is found by chance: it is struck only where it stands as it is. */
const MIN_DECODED_LENGTH = 4;

/** Encoders used one on the other that are undone. */
const MAX_ROUNDS = 6;

/** What JSON (backslashes, codes), HTML (codes, names) and URL encoders write for a character. */
const ENCODED = /\\+(?:u([0-9a-f]{4}))?|&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(quot|amp|apos|lt|gt));?|%([0-9a-f]{2})/gi;
const NAMED: Readonly<Record<string, string>> = { quot: '"', amp: '&', apos: "'", lt: '<', gt: '>' };

/** Where something stands in a text: its first character, and the first behind it. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text in which nothing is encoded, and where its characters come from. */
interface Decoded {
  readonly text: string;
  /** where the character of this index begins in the original; one more entry: where the original ends */
  readonly starts: readonly number[];
}

/**
 * Replaces secrets in a text that somebody else wrote (D18): as they are, and as JSON, HTML, URL or base64 encoders write
 * them, also one on the other. Text and secret are compared decoded, because encoders differ in which characters they encode,
 * and how. The time it takes grows with the text's length only.
 * @param secrets printable ASCII; an empty one replaces nothing
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
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
 * The secret in base64 or base64url, alone or inside a longer text such as `id:secret`: at each of the three positions that a
 * byte has in a group, the digits that depend on nothing but the secret, and those it shares with what stands around it.
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

/** Undoes JSON, HTML and URL encoding. All backslashes go, since JSON writes any number of them before a character. */
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
