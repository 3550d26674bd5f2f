import type { Random } from '../random.js';
import { headerText } from './credentials.js';
import type { Route } from './operations.js';
import { hostileText } from './texts.js';
import type { Caller } from './world.js';

/** What a request is spoiled from: its lines without the empty one, and its body. */
interface Parts {
  readonly line: string;
  readonly headers: readonly string[];
  readonly body: string;
}

const LENGTHS = [
  '-1',
  '+5',
  ' 5 ',
  '0x5',
  '1e3',
  '5, 5',
  '5;6',
  '99999999999999999999',
  '18446744073709551616',
  '2147483648',
  '',
  'x',
  '٣',
  '3.0',
];
const SIZES = [
  '-1',
  'g',
  '',
  '0x5',
  'FFFFFFFFFFFFFFFF',
  'ffffffffffffffffff',
  ' 5',
  '5 ',
  '5;',
  `5;${'a=b;'.repeat(5_000)}`,
  '7fffffff',
  '00000005',
];
const CODINGS = [
  'chunked, chunked',
  'identity',
  'gzip',
  'gzip, chunked',
  'chunked, gzip',
  'xchunked',
  'chunked;q=1',
  'Chunked',
  '\tchunked',
  'chunked\v',
  '',
  '"chunked"',
];
const VERSIONS = [
  'HTTP/0.9',
  'HTTP/1.0',
  'HTTP/1.2',
  'HTTP/2.0',
  'HTTP/9.9',
  'HTTP/11',
  'http/1.1',
  'HTTP/1.1 x',
  'ICE/1.0',
  'RTSP/1.0',
  '',
  'HTTP/',
  'HTTP/1.\0',
];
const METHODS = [
  '',
  'get',
  'G\0T',
  'GET\t',
  'CONNECT',
  'PRI',
  'SOURCE',
  'M-SEARCH',
  'A'.repeat(5_000),
  '\xff',
  'GET GET',
  'TRACE',
  'QUERY',
  'DESCRIBE',
];

const NONSENSE: readonly ((parts: Parts, random: Random) => string | Buffer)[] = [
  (_, random) => random.bytes(1 + random.below(2_000)),
  (_, random) => Buffer.concat([Buffer.from('16030100', 'hex'), random.bytes(200)]),
  () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x12\x04\0\0\0\0\0',
  (_, random) => hostileText(random),
  ({ line }, random) => `${line.replace('HTTP/1.1', random.pick(VERSIONS))}\r\n\r\n`,
  (parts, random) => whole({ ...parts, line: parts.line.replace(/^\S+/, random.pick(METHODS)) }),
  (parts, random) => whole({ ...parts, line: parts.line.replace(' ', random.pick(['', '  ', '\t', ' \0', ' \r\n'])) }),
  (parts, random) => whole({ ...parts, line: `GET /${'a'.repeat(10_000 + random.below(80_000))} HTTP/1.1` }),
  (parts, random) => whole({ ...parts, line: `GET ${headerText(hostileText(random))} HTTP/1.1` }),
  ({ line, headers, body }) => [line, ...headers, '', body].join('\n'),
  ({ line, headers, body }) => [line, ...headers, '', body].join('\r'),
  (parts, random) => whole({ ...parts, headers: [...parts.headers, `X: ${'x'.repeat(2 ** (10 + random.below(8)))}`] }),
  (parts, random) =>
    whole({
      ...parts,
      headers: [...parts.headers, ...random.list(2 ** random.below(13), () => `X${random.below(1e6)}: 1`)],
    }),
  (parts, random) =>
    whole({
      ...parts,
      headers: [
        ...parts.headers,
        random.pick([
          ': x',
          'X',
          'X :x',
          ' X: x',
          '\tX: x',
          'X\0: x',
          'X: \0',
          'X: a\rb',
          'X: \x01',
          '\xff: x',
          'X:',
          ':',
          '(): x',
          'X: a\r\n b',
        ]),
      ],
    }),
  (parts) => whole({ ...parts, headers: parts.headers.filter((header) => !header.startsWith('Host')) }),
  (parts, random) => whole({ ...parts, headers: [...parts.headers, `Host: ${headerText(hostileText(random))}`] }),
  (parts, random) => whole({ ...parts, headers: [...parts.headers, `Authorization: Bearer ${random.below(9)}`] }),
  (parts, random) => whole(withLength(parts, random.pick(LENGTHS))),
  (parts, random) => whole(withLength(parts, String(parts.body.length + 1 + random.below(50)))),
  // the rest is read as the next request
  (parts, random) => whole(withLength(parts, String(random.below(parts.body.length + 1)))),
  (parts) =>
    whole({ ...parts, headers: [...parts.headers, `Content-Length: ${parts.body.length}`, 'Content-Length: 7'] }),
  (parts) =>
    whole({ ...withLength(parts, '5'), headers: [...withLength(parts, '5').headers, 'Transfer-Encoding: chunked'] }),
  (parts, random) => chunked(parts, random.pick(CODINGS), parts.body.length.toString(16)),
  (parts, random) => chunked(parts, 'chunked', random.pick(SIZES)),
  (parts, random) => chunked(parts, 'chunked', (parts.body.length + random.below(9) - 4).toString(16)),
  (parts, random) =>
    chunked(parts, 'chunked', parts.body.length.toString(16), `X: ${headerText(hostileText(random))}\r\n`),
  (parts, random) =>
    chunked(parts, 'chunked', parts.body.length.toString(16), `${'X: x\r\n'.repeat(2 ** random.below(14))}`),
  ({ line, headers, body }) =>
    `${[line, ...headers, 'Transfer-Encoding: chunked', '', ''].join('\r\n')}${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
  (parts, random) =>
    whole({
      ...parts,
      headers: [...parts.headers, `Expect: ${random.pick(['200-ok', '', '100-continue, x', 'x'.repeat(300)])}`],
    }),
  (parts, random) =>
    whole({
      ...parts,
      headers: [
        ...parts.headers,
        'Connection: Upgrade',
        `Upgrade: ${random.pick(['websocket', 'h2c', 'TLS/1.0'])}`,
        'HTTP2-Settings: AAMAAABk',
      ],
    }),
  (parts, random) => whole(withLength(parts, String(parts.body.length))).repeat(1 + random.below(12)),
  (parts, random) => whole(withLength(parts, String(parts.body.length))) + hostileText(random),
  (parts, random) => whole(withLength(parts, String(parts.body.length))).slice(0, 1 + random.below(400)),
  (parts) => `\r\n\r\n\r\n${whole(withLength(parts, String(parts.body.length)))}`,
];

/** Bytes that are no readable request, not a whole one, or more than one. */
export function framingNonsense(
  random: Random,
  { method, path, body }: Route,
  { authorization }: Caller,
): { bytes: Buffer } {
  const parts = {
    line: `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')} HTTP/1.1`,
    headers: [
      'Host: 127.0.0.1',
      ...(authorization ? [`Authorization: ${authorization}`] : []),
      'Content-Type: application/json',
    ],
    body: body ? `{"transactionKey":"framing-${random.below(1e9)}","items":[]}` : '{}',
  };
  const made = random.pick(NONSENSE)(parts, random);
  return { bytes: typeof made === 'string' ? Buffer.from(made, 'latin1') : made };
}

function whole({ line, headers, body }: Parts): string {
  return [line, ...headers, '', body].join('\r\n');
}

function withLength(parts: Parts, length: string): Parts {
  return { ...parts, headers: [...parts.headers, `Content-Length: ${length}`] };
}

function chunked(parts: Parts, coding: string, size: string, trailers = ''): string {
  const { line, headers, body } = parts;
  return `${[line, ...headers, `Transfer-Encoding: ${coding}`, '', ''].join('\r\n')}${size}\r\n${body}\r\n0\r\n${trailers}\r\n`;
}
