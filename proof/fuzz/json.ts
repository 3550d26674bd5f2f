import type { Random } from '../random.js';
import { hostileText, INHERITED } from './texts.js';

/** JSON as it is written, for what no value in memory can say: `1e400`, `-0`, a key that stands there twice. */
export class Written {
  constructor(readonly text: string) {}
}

/** As JSON.stringify; {@link Written} stands as it is. */
export function write(value: unknown): string {
  if (value instanceof Written) return value.text;
  if (Array.isArray(value)) return `[${value.map(write).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${write(field)}`).join()}}`;
}

const NUMBERS = [
  '1e400',
  '-1e400',
  '1e-400',
  '-0',
  '-0.0',
  '0e0',
  '1E+2',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1',
  '5e-324',
  '1.7976931348623157e308',
  '-1',
  '2147483648',
  '-2147483649',
  '9223372036854775808',
  '0.30000000000000004',
  '9999999999.995',
  '1e10',
  '1e21',
];

/** Values that a field does not expect. */
const VALUES: readonly ((random: Random) => unknown)[] = [
  () => null,
  (random) => random.chance(0.5),
  (random) => new Written(random.pick(NUMBERS)),
  (random) => new Written(`${'9'.repeat(1 + random.below(400))}.${'9'.repeat(1 + random.below(400))}`),
  (random) => hostileText(random),
  (random) => hostileText(random),
  () => [],
  () => ({}),
  () => [[]],
  (random) => random.list(random.below(8), () => hostileValue(random)),
  (random) => Object.fromEntries(random.list(random.below(6), () => [hostileText(random), hostileValue(random)])),
  (random) => new Written(`{"${random.pick(INHERITED)}":${write(hostileValue(random))}}`),
  (random) =>
    new Written(
      random.pick(['"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\uD83D"', '"\\/\\b\\f\\n\\r\\t"', '"\\u005c"']),
    ),
  (random) => nested(random, 1 + random.below(40)),
];

export function hostileValue(random: Random): unknown {
  return random.pick(VALUES)(random);
}

function nested(random: Random, levels: number): Written {
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"":', '}]'],
  ] as const);
  return new Written(`${open.repeat(levels)}1${close.repeat(levels)}`);
}

/** Texts that a parser must refuse, or is free to; each made from a good text. */
const BREAKS: readonly ((good: string, random: Random) => string | Buffer)[] = [
  () => '',
  (good, random) => good.slice(0, random.below(good.length)),
  (good, random) => good.slice(1 + random.below(good.length)),
  (good) => good + good,
  (good) => `${good},`,
  (good, random) => good + random.pick([']', '}', '"', '\0', 'x', '//', '/* */', '#', '\u00a0']),
  (good, random) => random.pick(['\u00a0', '\f', '\v', '\u2028', '\0', ")]}',\n", '//\n', '\ufeff\ufeff']) + good,
  (good) => good.replace('{', '{,'),
  (good) => good.replaceAll('}', ',}'),
  (good) => good.replaceAll(']', ',]'),
  (good) => good.replaceAll('"', "'"),
  (good) => good.replaceAll('":', '" '),
  (good) => good.replace('":', '"::'),
  (good) => good.replaceAll('",', '";'),
  (good, random) =>
    good.replace(
      /:\s*[^,}]+/,
      `:${random.pick(['NaN', 'Infinity', '-', '+1', '.1', '1.', '01', '-01', '0x1', '1e', '1e+', 'True', 'nul', 'undefined', '"\\x41"', '"\\u12"', '"\\', '"\t"', '"\n"', '"\0"', "'a'", '1 2', '[1', '{"a"'])}`,
    ),
  (good, random) => good.replaceAll('"', () => (random.chance(0.1) ? '\\"' : '"')),
  // the same key twice and more: the last one counts
  (good) => good.replace('{', `{${good.slice(1, -1)}${good.length > 2 ? ',' : ''}`),
  (good, random) =>
    random.pick(['1', '"text"', 'null', 'true', '[]', `[${good}]`, '-0', '1e400', ' ', '\n\n', '[1,2,3]']),
  (_, random) => '['.repeat(2 ** random.below(15)),
  (_, random) => '{"a":'.repeat(2 ** random.below(13)),
  (_, random) => nested(random, 2 ** random.below(13)).text,
  (_, random) => `[${Array(2 ** random.below(15)).fill('0')}]`,
  (_, random) => `{${random.list(2 ** random.below(12), () => `"k${random.below(1e9)}":0`)}}`,
  (good) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(good)]),
  (good) => Buffer.from(`\ufeff${good}`, 'utf16le'),
  (good) => Buffer.from(good, 'utf16le').swap16(),
  (good, random) => withBytes(good, random.pick(BAD_BYTES), random),
  (good, random) => withBytes(good, random.bytes(1 + random.below(8)), random),
  (_, random) => random.bytes(random.below(200)),
];

/** Not UTF-8: lone continuations, overlong forms, surrogates, beyond the last code point, cut short. */
const BAD_BYTES = [
  '80',
  'ff',
  'fe',
  'c0af',
  'c080',
  'e08080',
  'eda080',
  'edb080',
  'f4908080',
  'f8888080',
  'e282',
  'f09f98',
].map((hex) => Buffer.from(hex, 'hex'));

/** @param good a JSON text */
export function brokenJson(good: string, random: Random): Buffer {
  return Buffer.from(random.pick(BREAKS)(good, random));
}

function withBytes(good: string, bytes: Buffer, random: Random): Buffer {
  const text = Buffer.from(good);
  const at = random.below(text.length + 1);
  return Buffer.concat([text.subarray(0, at), bytes, text.subarray(at)]);
}
