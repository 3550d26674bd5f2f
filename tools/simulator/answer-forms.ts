import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

/** An answer, byte for byte. @param headers lines; the true Content-Length is added if none is among them */
export function answer(status: number, body: string | Buffer, ...headers: string[]): Buffer {
  const bytes = Buffer.from(body as string);
  const isFramed = headers.some((header) => /^(content-length|transfer-encoding|connection: close)/i.test(header));
  const lines = [`HTTP/1.1 ${status} Any`, ...headers, ...(isFramed ? [] : [`Content-Length: ${bytes.length}`])];
  return Buffer.concat([Buffer.from([...lines, '', ''].join('\r\n')), bytes]);
}

/** An answer whose body is this JSON text, as bytes; the parts are sent one after the other. */
export type Form = (status: number, text: string) => Buffer[];

const whole =
  (bytes: (text: string) => Buffer, ...headers: string[]): Form =>
  (status, text) => [answer(status, bytes(text), ...headers)];
const utf8 = (text: string) => Buffer.from(text);
const utf16le = (text: string) => Buffer.from(text, 'utf16le');
const utf16be = (text: string) => utf16le(text).swap16();
const json = (charset: string) => `Content-Type: application/json; charset=${charset}`;
const encoded = (encoding: string) => `Content-Encoding: ${encoding}`;
const MARK = '\ufeff';

/** Each byte of the body is a chunk and a write of its own: a mark, and each character of several bytes, is cut. */
const inChunks: Form = (status, text) => [
  answer(status, '', 'Transfer-Encoding: chunked'),
  ...[...utf8(MARK + text)].map((byte) => Buffer.concat([utf8('1\r\n'), Buffer.of(byte), utf8('\r\n')])),
  utf8('0\r\n\r\n'),
];

/** The forms in which a POS, or a proxy before it, may send one and the same answer. */
export const FORMS: Readonly<Record<string, Form>> = {
  plain: whole(utf8),
  'a byte order mark first': whole((text) => utf8(MARK + text)),
  'white space, a mark and line feeds around it': whole((text) => utf8(`\r\n ${MARK}\t${text} \r\n\r\n`)),
  'chunks of one byte': inChunks,
  gzip: whole((text) => gzipSync(text), encoded('gzip')),
  'x-gzip, in upper case': whole((text) => gzipSync(text), encoded('X-GZIP')),
  deflate: whole((text) => deflateSync(text), encoded('deflate')),
  'deflate without the format of zlib': whole((text) => deflateRawSync(text), encoded('deflate')),
  br: whole((text) => brotliCompressSync(text), encoded('br')),
  'two encodings': whole((text) => brotliCompressSync(gzipSync(text)), encoded('gzip, br')),
  'two headers of encodings': whole((text) => gzipSync(deflateSync(text)), encoded('deflate'), encoded('gzip')),
  'gzip around a mark': whole((text) => gzipSync(MARK + text), encoded('gzip')),
  'gzip without a header': whole((text) => gzipSync(text)),
  'gzip twice with a header for one': whole((text) => gzipSync(gzipSync(text)), encoded('gzip')),
  'gzip by the header, though it is plain': whole(utf8, encoded('gzip')),
  'deflate by the header, though it is plain': whole(utf8, encoded('deflate')),
  'an encoding that is none': whole(utf8, encoded('UTF-8')),
  identity: whole(utf8, encoded('identity')),
  'UTF-16 LE by its mark': whole((text) => utf16le(MARK + text)),
  'UTF-16 BE by its mark': whole((text) => utf16be(MARK + text)),
  'UTF-16 LE by its charset': whole(utf16le, json('utf-16le')),
  'UTF-16 BE by its charset': whole(utf16be, json('"UTF-16BE"')),
  'UTF-16 LE unnamed': whole(utf16le),
  'UTF-16 BE unnamed': whole(utf16be),
  'UTF-16 by the charset, though it is UTF-8': whole(utf8, json('utf-16')),
  'UTF-16 by its mark, though the charset is UTF-8': whole((text) => utf16le(MARK + text), json('utf-8')),
  'gzip of UTF-16': whole((text) => gzipSync(utf16be(MARK + text)), encoded('gzip')),
  'ISO 8859-1': whole((text) => Buffer.from(text, 'latin1'), json('iso-8859-1')),
  'an unknown charset': whole(utf8, json('x-none')),
  'a NUL behind it': whole((text) => utf8(`${text}\0`)),
  'NULs and line feeds behind it': whole((text) => utf8(`${text}\0\n\0\0\n`)),
  'an end of file behind it': whole((text) => utf8(`${text}\u0004\u001a`)),
  'zero-width characters behind it': whole((text) => utf8(`${text}\u200b\u2060${MARK}`)),
  'a NUL behind it, in gzip': whole((text) => gzipSync(`${text}\0`), encoded('gzip')),
  'a NUL behind it, gzip by the header, though it is plain': whole((text) => utf8(`${text}\0`), encoded('gzip')),
  'UTF-16 LE, a NUL behind it': whole((text) => utf16le(`${MARK}${text}\0`)),
  'UTF-16 BE unnamed, a NUL behind it': whole((text) => utf16be(`${text}\0`)),
  'UTF-16 LE and one byte': whole((text) => Buffer.concat([utf16le(MARK + text), Buffer.of(10)])),
  'UTF-16 by the charset, though it is UTF-8 and a NUL': whole((text) => utf8(`${text}\0`), json('utf-16')),
  'an unknown charset, and a NUL behind it': whole((text) => utf8(`${text}\0`), json('x-none')),
  'a semicolon behind it': whole((text) => utf8(`${text};`)),
  'another object behind it': whole((text) => utf8(`${text}\r\n{"ms":12}`)),
  'a page behind it': whole((text) => utf8(`${text}<script>if (a) { b("c") }</script>`)),
  'line feeds in its texts': whole((text) => utf8(text.replaceAll(' ', '\n'))),
  'a comma too many': whole((text) => utf8(text.replace(/\}$/, ',}'))),
  'blanks before it': whole((text) => utf8(' \n'.repeat(30_000) + text)),
};

/** Forms in which a text stands before the object. */
export const BEHIND_TEXT: Readonly<Record<string, Form>> = {
  'a notice of PHP': whole((text) =>
    utf8(`<br />\n<b>Notice</b>: Undefined index "x" in {closure}() on line 3\n${text}`),
  ),
  'a message with a quotation mark': whole((text) => utf8(`12" {} is no size\n${text}\0`)),
  'a prefix against script inclusion': whole((text) => utf8(`)]}',\n${text}`)),
  'a bracket and another object': whole((text) => utf8(`[{"ms":12}\n${text}`)),
  'a list around it': whole((text) => utf8(`[${text}]`)),
};

const damaged = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 12), Buffer.alloc(8, 0xff), bytes.subarray(20)]);

/** All forms, one after the other, without end. */
export function* allForms(): Generator<Form, never> {
  for (;;) yield* Object.values(FORMS);
}

/** Forms whose body cannot be read, with what is said of it. */
export const UNREADABLE: Readonly<Record<string, readonly [form: Form, says: string]>> = {
  'an encoding that the relay does not know': [
    whole((text) => Buffer.concat([Buffer.from('28b52ffd', 'hex'), utf8(text)]), encoded('zstd')),
    '"zstd"',
  ],
  'a damaged gzip': [whole((text) => damaged(gzipSync(text)), encoded('gzip')), '"gzip"'],
  'a gzip that ends early': [whole((text) => gzipSync(text).subarray(0, -9), encoded('gzip')), '"gzip"'],
  'a damaged br': [
    whole((text) => Buffer.concat([Buffer.alloc(4, 0xff), brotliCompressSync(text)]), encoded('br')),
    '"br"',
  ],
  'a damaged deflate': [whole((text) => damaged(deflateSync(text)), encoded('deflate')), '"deflate"'],
  'one encoding of two': [whole((text) => gzipSync(text), encoded('br, gzip, br')), '"br"'],
  'six encodings': [whole((text) => gzipSync(text), encoded(Array(6).fill('gzip').join())), 'more than 5 encodings'],
  'a charset that the relay does not know': [
    whole((text) => Buffer.concat([...text].map((each) => Buffer.from([0xfe, ...utf8(each)]))), json('utf-32')),
    '"utf-32"',
  ],
};
