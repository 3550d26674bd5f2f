import type { Transform } from 'node:stream';
import { TextDecoder } from 'node:util';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';

/** The most encodings of one answer that are undone (L135). */
const MAX_ENCODINGS = 5;
/** The most characters of a header that {@link AnswerText.unreadable} quotes. */
const QUOTED = 40;

const UTF_16 = /^utf-?16/i;

/** The headers that say how the bytes of an answer are to be read. */
export interface BodyHeaders {
  /** Content-Encoding; several are separated by commas, the last one was applied last */
  readonly encoding: string | undefined;
  /** Content-Type */
  readonly type: string | undefined;
}

/** An answer's body as text. */
export interface AnswerText {
  /** without U+FEFF and white space at both ends, and characters that show nothing at its end; empty when the body cannot be read */
  readonly text: string;
  /** why the body cannot be read, for people (D24); absent: it could be read */
  readonly unreadable?: string;
}

/** How much of an answer is read. */
export interface Bounds {
  /** bytes, before and after each encoding is undone */
  readonly most: number;
  /** the bytes end before the body did: what an encoding then lacks is no damage */
  readonly cut: boolean;
}

/**
 * The one place where the bytes of an answer become text (D23). A plain body, which is nearly every one, is read at once; a promise comes
 * only with an encoding. Never throws, never rejects.
 * @param bytes the body as received, `most` bytes at most
 */
export function answerText(bytes: Buffer, headers: BodyHeaders, bounds: Bounds): AnswerText | Promise<AnswerText> {
  const encodings = encodingsOf(headers.encoding);
  if (encodings.length === 0 && !isGzip(bytes)) return decoded(bytes, headers.type);
  return unpacked(bytes, encodings, bounds).then((inner) =>
    typeof inner === 'string' ? { text: '', unreadable: inner } : decoded(inner, headers.type),
  );
}

/**
 * The text of an answer, read by what its headers say; empty when it cannot be read.
 * @param headers as Node has them
 * @param most the bytes that were read at most
 */
export async function textOf(
  { bytes, headers }: { readonly bytes: Buffer; readonly headers: Readonly<Record<string, unknown>> },
  most: number,
): Promise<string> {
  const says = { encoding: headerText(headers['content-encoding']), type: headerText(headers['content-type']) };
  return (await answerText(bytes, says, { most, cut: bytes.length >= most })).text;
}

/** The text of a header that may have been sent more than once. @param value as Node's and undici's headers have it */
export function headerText(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' ? value : undefined;
}

/** The encodings to undo, in this order. */
function encodingsOf(header: string | undefined): string[] {
  if (header === undefined) return [];
  const names = header.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '' && name !== 'identity').reverse();
}

/** @returns the bytes, or why they cannot be had */
async function unpacked(
  received: Buffer,
  encodings: readonly string[],
  { most, cut }: Bounds,
): Promise<Buffer | string> {
  if (encodings.length > MAX_ENCODINGS) return `it has more than ${MAX_ENCODINGS} encodings`;
  let bytes = received;
  let isCut = cut;
  // beyond the encodings of the header: a middleware that compresses may leave none, or compress once more
  for (let n = 0; n < MAX_ENCODINGS; n++) {
    const encoding = encodings[n] ?? (isGzip(bytes) ? 'gzip' : undefined);
    // a body that is text in spite of its header was never encoded, or a proxy has decoded it
    if (encoding === undefined || isUtf8(bytes)) return bytes;
    const inner = await undone(encoding, bytes, most, isCut);
    if (inner === undefined) return `its Content-Encoding is ${quoted(encoding)}, and it could not be undone`;
    isCut ||= inner.length >= most;
    bytes = inner;
  }
  return isGzip(bytes) ? `it has more than ${MAX_ENCODINGS} encodings` : bytes;
}

/** @returns undefined when the encoding is unknown, or the bytes are damaged */
async function undone(encoding: string, bytes: Buffer, most: number, cut: boolean): Promise<Buffer | undefined> {
  const zlib = { finishFlush: cut ? constants.Z_SYNC_FLUSH : constants.Z_FINISH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return outputOf(createGunzip(zlib), bytes, most);
    case 'deflate':
      // HTTP means the format of zlib, and some servers send the bare one
      return (await outputOf(createInflate(zlib), bytes, most)) ?? outputOf(createInflateRaw(zlib), bytes, most);
    case 'br': {
      const finishFlush = cut ? constants.BROTLI_OPERATION_FLUSH : constants.BROTLI_OPERATION_FINISH;
      return outputOf(createBrotliDecompress({ finishFlush }), bytes, most);
    }
    default:
      return undefined;
  }
}

/** The first `most` bytes that a decoder makes of these; undefined when it fails before. The decoder ends with them. */
function outputOf(decoder: Transform, bytes: Buffer, most: number): Promise<Buffer | undefined> {
  return new Promise((ended) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = () => ended(Buffer.concat(chunks).subarray(0, most));
    decoder.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size < most) return;
      end();
      decoder.destroy();
    });
    decoder.on('end', end);
    decoder.on('error', () => ended(undefined));
    decoder.end(bytes);
  });
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function decoded(bytes: Buffer, type: string | undefined): AnswerText {
  const named = type === undefined ? undefined : /charset\s*=\s*"?([^\s;"]+)/i.exec(type)?.[1];
  const charset = charsetIn(bytes) ?? (named && decodable(named, bytes) ? named : 'utf-8');
  const text = /^utf-?8$/i.test(charset) ? bytes.toString('utf8') : decodedAs(charset, bytes);
  if (text === undefined) return { text: '', unreadable: `its charset is ${quoted(charset)}` };
  // trim() removes U+FEFF too
  return { text: withoutEnding(text).trim() };
}

/** Characters that show nothing: blanks, controls such as the NUL of a program in C, and zero-width ones. */
const SHOWS_NOTHING = /[\s\p{Cc}\p{Cf}]/u;

/** The text without the characters that show nothing at its end. An expression with `+$` would take quadratic time. */
function withoutEnding(text: string): string {
  let end = text.length;
  while (end > 0 && SHOWS_NOTHING.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Whether the charset fits: UTF-16 that has no NUL but at its end is the UTF-8 of a server that names the wrong one. */
function decodable(charset: string, bytes: Buffer): boolean {
  if (!UTF_16.test(charset)) return true;
  const nul = bytes.indexOf(0);
  return nul >= 0 && bytes.subarray(nul).some((byte) => byte !== 0);
}

/** The charset that the bytes show: by a byte order mark, or by the NUL in each of the first ASCII characters of UTF-16. */
function charsetIn(bytes: Buffer): string | undefined {
  const [first, second, third = first, fourth = second] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first && third && second === 0 && fourth === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (second && fourth && first === 0 && third === 0)) return 'utf-16be';
  return undefined;
}

/** @returns undefined when the charset is unknown, and the bytes are not UTF-8 all the same */
function decodedAs(charset: string, bytes: Buffer): string | undefined {
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    return isUtf8(bytes) ? bytes.toString('utf8') : undefined;
  }
  // half a character of UTF-16 at the end is no character
  return decoder.decode(UTF_16.test(charset) ? bytes.subarray(0, bytes.length & ~1) : bytes);
}

/** Whether the bytes are UTF-8 without control characters but at the end; a character that is cut off at their end may be incomplete. */
function isUtf8(bytes: Buffer): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    return !/[\u0000-\u0008\u000e-\u001f]/.test(withoutEnding(text));
  } catch {
    return false;
  }
}

/** A name of the other side, fit for a log line. */
function quoted(name: string): string {
  return JSON.stringify(name.slice(0, QUOTED).replaceAll(/[^\x20-\x7e]/g, '?'));
}
