import type { Random } from '../random.js';

/** Texts that have broken programs, by family; the families are those of the public lists of such texts. */

const RESERVED = [
  'undefined',
  'null',
  'NULL',
  'nil',
  'None',
  'true',
  'FALSE',
  'NaN',
  'Infinity',
  '\\',
  '-',
  '*',
  '%',
  '_',
  '~',
];
/** Names that every JavaScript object has. */
export const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__defineGetter__',
  'then',
];
const NUMBERS = [
  '0',
  '-0',
  '00',
  '08',
  '0x10',
  '1e3',
  '1E+400',
  '1e-400',
  '.5',
  '5.',
  '1/0',
  '1,5',
  '1_000',
  '--1',
  '+1',
  '$1.00',
  '１２',
  '٣',
  '9007199254740993',
  '-9223372036854775809',
  '2147483648',
  '4294967296',
  '999999999999999999999999999999',
  'Infinity',
  '1#QNAN',
];
const TIMES = [
  '0',
  '-1',
  '8640000000000000',
  '8640000000000001',
  '-8640000000000001',
  '1e308',
  '0000-00-00',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '-271821-04-20T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T23:59:60Z',
  '2026-01-31T20:00:00+99:99',
  '2026-01-31T20:00:00-00:00',
  '2026-01-31t20:00:00z',
  '2026-01-31 20:00',
  '2026-W05',
  '2026-031',
  '4714-11-24 BC',
  'infinity',
  '-infinity',
  'now',
  'today',
  'epoch',
  '2026-03-29',
  '1900-01-01',
  '0001-01-01',
];
const INJECTIONS = [
  "' OR '1'='1",
  "'; SELECT pg_sleep(9); --",
  '" OR ""="',
  '1); DROP TABLE users; --',
  "\\'; --",
  '$1',
  '$$',
  "E'\\x00'",
  '%s%s%s%n',
  '%d%x%p',
  '{0}',
  `$${'{7*7}'}`,
  '{{7*7}}',
  '<%= 7*7 %>',
  '#{7*7}',
  '$(id)',
  '`id`',
  '| cat /etc/passwd',
  '; ls',
  '../../../../etc/passwd',
  '..%2f..%2f',
  'C:\\CON',
  'file:///etc/passwd',
  'http://127.0.0.1:1/',
  '//evil.example',
  '<script>alert(1)</script>',
  '"><img src=x>',
  '\r\nX-Injected: 1',
  '\r\n\r\nHTTP/1.1 200 OK',
  'a\tb',
  '*)(uid=*))(|(uid=*',
  '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
  '{"$gt":""}',
  '[object Object]',
  '%00',
  '%0d%0a',
  '%c0%ae',
  '%ff',
  '%',
  '%u0041',
  '&amp;',
  '&#0;',
  '=1+1',
  '+1',
  '@A1',
];
/** First and last code point of a range. */
const RANGES: readonly (readonly [number, number])[] = [
  [0x00, 0x1f],
  [0x7f, 0xa0],
  [0xc0, 0x17f],
  [0x300, 0x36f],
  [0x590, 0x5ff],
  [0x600, 0x6ff],
  [0x1100, 0x11ff],
  [0x2000, 0x200f],
  [0x2028, 0x202f],
  [0x2060, 0x206f],
  [0x3040, 0x30ff],
  [0x4e00, 0x4fff],
  [0xd800, 0xdfff],
  [0xe000, 0xe0ff],
  [0xfe00, 0xfe0f],
  [0xfdd0, 0xfdef],
  [0xfff0, 0xffff],
  [0x1d400, 0x1d4ff],
  [0x1f1e6, 0x1f1ff],
  [0x1f300, 0x1f6ff],
  [0xe0000, 0xe007f],
  [0x10fffe, 0x10ffff],
];

const FAMILIES: readonly ((random: Random) => string)[] = [
  () => '',
  (random) => random.pick([' ', '\t', '\n', '\u00a0', '\u3000', '\u200b', '\ufeff']).repeat(1 + random.below(5)),
  (random) => random.pick(RESERVED),
  (random) => random.pick(INHERITED),
  (random) => random.pick(NUMBERS),
  (random) => random.pick(TIMES),
  (random) => random.pick(INJECTIONS),
  (random) => random.pick(INJECTIONS) + random.pick(INJECTIONS),
  (random) => unicode(random, 1 + random.below(12)),
  // one letter with more accents than a line is high
  (random) => `e${unicodeOf(random, [0x300, 0x36f], 1 + random.below(300))}`,
  (random) => `a${random.pick(['\0', '\ud800', '\udfff', '\udc00\ud800', '\u0001', '\u0085', '\u2028'])}b`,
  (random) => random.pick(['a', ' ', '-', 'é', '😀', '\\', '"', 'a-', "'"]).repeat(2 ** random.below(11)),
  (random) => random.bytes(1 + random.below(16)).toString('latin1'),
  (random) => random.bytes(1 + random.below(24)).toString('base64url'),
];

export function hostileText(random: Random): string {
  return random.pick(FAMILIES)(random);
}

/** A time as no clock shows it, or nearly so. */
export function hostileTime(random: Random): string {
  return random.chance(0.8) ? random.pick(TIMES) : hostileText(random);
}

/** What stands where a page's cursor is expected: one of a wrong time or id, cut, or none at all. */
export function hostileCursor(random: Random): string {
  const id = random.pick([
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    hostileText(random),
  ]);
  const cursor = Buffer.from(`${hostileTime(random)} ${id}`).toString('base64url');
  return random.pick([cursor, cursor.slice(0, random.below(cursor.length)), hostileText(random)]);
}

function unicode(random: Random, length: number): string {
  return random.list(length, () => unicodeOf(random, random.pick(RANGES), 1)).join('');
}

function unicodeOf(random: Random, [from, to]: readonly [number, number], length: number): string {
  return random.list(length, () => String.fromCodePoint(from + random.below(to - from + 1))).join('');
}
