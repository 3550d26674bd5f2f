import { decodedRuns } from './encoded-bytes.js';
import { visible, withoutEscapes } from './escapes.js';
import { type MappedText, mapped } from './mapped-text.js';

/** The replacement of a secret. */
const REDACTED = '[secret]';

/** A shorter secret, without its escapes, is replaced only as it is: it would match by chance. */
const MIN_DECODED_LENGTH = 4;
/** A shorter secret is not looked for in base64 or the like. */
const MIN_ENCODED_LENGTH = 3;
/** A shorter secret is replaced only as it is, and not in another case, with blanks inside, or in part. */
const MIN_FOLDED_LENGTH = 8;
/** The beginning or the end of a secret counts as the secret when it has this share of it, or so many characters. */
const SHARE = 0.75;
const MAX_PART_LENGTH = 512;

/** The most levels of base64 and the like that are decoded. */
const MAX_LEVELS = 3;
/** What is decoded at a level has at most so many times the text's length. */
const MOST_DECODED = 4;

/** A range of a text; `end` is exclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A secret in the forms in which it is searched. */
interface Secret {
  readonly whole: string;
  /** without escapes */
  readonly plain: string;
  /** also without what is invisible, in lower case */
  readonly folded: string;
}

/**
 * Replaces secrets in a text of a third party (D18): as they are, and as the text has them without escapes, blanks and invisible characters, in
 * any case, in base64, hexadecimal or quoted-printable, nested too. A secret that lacks its beginning or its end counts as the secret. Text and
 * secret are compared without escapes, since encoders differ in the characters they encode. The time is linear in the text's length.
 * @param secrets printable ASCII; an empty one replaces nothing
 */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  const searched = [...new Set(secrets)].filter((secret) => secret !== '').map(secretOf);
  if (searched.length === 0) return text;
  let shown = '';
  let end = 0;
  for (const span of spansIn(text, searched).toSorted((a, b) => a.start - b.start)) {
    // spans that overlap or touch are one
    if (end === 0 || span.start > end) shown += text.slice(end, span.start) + REDACTED;
    end = Math.max(end, span.end);
  }
  return shown + text.slice(end);
}

function secretOf(whole: string): Secret {
  const plain = withoutEscapes(mapped(whole));
  return { whole, plain: plain.text, folded: visible(plain).text.toLowerCase() };
}

function spansIn(text: string, secrets: readonly Secret[]): Span[] {
  const spans = secrets.map(({ whole }) => occurrences(whole, text));
  const shortest = Math.min(...secrets.map(({ whole, folded }) => Math.min(whole.length, folded.length)));
  const least = Math.min(Math.max(shortest, MIN_ENCODED_LENGTH), MIN_FOLDED_LENGTH);
  let inside = mapped(text);
  for (let level = 0; level <= MAX_LEVELS && inside.text !== ''; level++) {
    const plain = withoutEscapes(inside);
    const seen = visible(plain);
    const folded = foldedForms(seen);
    for (const secret of secrets) {
      if (level > 0 && secret.whole.length >= MIN_ENCODED_LENGTH)
        spans.push(originalOf(inside, occurrences(secret.whole, inside.text), text));
      if (secret.folded.length >= MIN_FOLDED_LENGTH)
        for (const form of folded) spans.push(originalOf(form, parts(secret.folded, form.text), text));
      else if (secret.plain.length >= MIN_DECODED_LENGTH)
        spans.push(originalOf(plain, occurrences(secret.plain, plain.text), text));
    }
    if (level < MAX_LEVELS) inside = decodedRuns(seen, least, MOST_DECODED * text.length);
  }
  return spans.flat();
}

/** A text of visible characters in lower case, and the same without escapes that blanks had broken, or that have become some without them. */
function foldedForms(seen: MappedText): MappedText[] {
  const joined = withoutEscapes(seen);
  const forms = joined === seen ? [seen] : [seen, visible(joined)];
  return forms.map((form) => ({ ...form, text: form.text.toLowerCase() }));
}

/** Where these ranges come from in the original, with the backslashes after them, which escape nothing more. */
function originalOf({ starts, ends }: MappedText, spans: readonly Span[], original: string): Span[] {
  return spans.map((span) => {
    let end = ends[span.end - 1] as number;
    while (original[end] === '\\') end++;
    return { start: starts[span.start] as number, end };
  });
}

function occurrences(searched: string, text: string): Span[] {
  const found: Span[] = [];
  for (let start = text.indexOf(searched); start >= 0; start = text.indexOf(searched, start + searched.length))
    found.push({ start, end: start + searched.length });
  return found;
}

/** The parts of the secret in the text that are long enough: from its beginning, or to its end. */
function parts(secret: string, text: string): Span[] {
  const share = Math.max(MIN_FOLDED_LENGTH, Math.ceil(secret.length * SHARE));
  const least = Math.min(share, MAX_PART_LENGTH);
  const beginnings = occurrences(secret.slice(0, least), text).map(({ start }) => {
    let more = least;
    while (more < secret.length && text[start + more] === secret[more]) more++;
    return { start, end: start + more };
  });
  if (least === secret.length) return beginnings;
  const ends = occurrences(secret.slice(-least), text).map(({ end }) => {
    let more = least;
    while (more < secret.length && text[end - more - 1] === secret[secret.length - more - 1]) more++;
    return { start: end - more, end };
  });
  return [...beginnings, ...ends];
}
