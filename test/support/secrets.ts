import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from './database.js';

/**
 * Stands in every secret of the tests' world, so that one search finds any of them, wherever it has come to. Letters
 * alone: whoever escapes or encodes a text for a URL or for JSON leaves it as it is, and no error's cause masks it.
 */
export const MARK = 'MkqZxWvTrJhB';

/** A secret of the tests: a password, a token, a key. @param name what it is, so that a leak tells which */
export const marked = (name: string) => `${MARK}-${name}`;

/** 32 bytes with the mark in them, in base64, as SECRETS_KEY is written. */
export const markedKey = (name: string) => Buffer.from(marked(name).padEnd(32, '.').slice(0, 32)).toString('base64');

/** The URL of a database, with a marked password where it has none: a server that trusts us asks for none. */
export function withPassword(url: string): string {
  const changed = new URL(url);
  changed.password ||= marked('database-password');
  return changed.href;
}

const bytes = Buffer.from(MARK);
/** What a text around the mark looks like once it was encoded, whatever stands before and after. */
const ENCODED: readonly [encoding: string, needle: string][] = [
  ...[0, 1, 2].map((offset): [string, string] => [`base64 at offset ${offset}`, base64Core(offset)]),
  ['bytes', [...bytes].join()],
  ['bytes', [...bytes].join(', ')],
];
/** The same, in any case. */
const IN_ANY_CASE: readonly [encoding: string, needle: string][] = [
  ['plain', MARK.toLowerCase()],
  ['hex', bytes.toString('hex')],
];
/** What stands in the relay's keeping and leaves it nowhere; of no test's making, so they have no mark. */
const SHAPES: readonly [kind: string, shape: RegExp][] = [
  ['a JWT', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}/],
  ['a password hash', /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/],
  ['an invitation', /\binv_[\w-]{43}/],
  ['an encrypted secret', /\bv1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22,}/],
];

/** Answers that are there to carry a secret: what they may show. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'POST /auth/login': ['a JWT'],
  'POST /restaurants/:restaurantId/invitations': ['an invitation'],
  'POST /console/api/restaurants/:restaurantId/invitations, its body': ['an invitation'],
  // as a cookie; test/console/session.spec.ts looks at their bodies
  'POST /console/session': ['a JWT'],
  'PATCH /console/session/password': ['a JWT'],
};

/** The characters of the mark's base64 that do not depend on its neighbours; the same in base64url. */
function base64Core(offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

const ESCAPES = /%([0-9a-f]{2})|\\+u00([0-9a-f]{2})|\\+x([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2,3});/gi;
/** Escapes may be escaped: so often at most. */
const LAYERS = 3;

/** Without escapes of URL, JSON and HTML, however many characters were escaped that need not be. */
function unescaped(text: string): string {
  let result = text;
  for (let layer = 0; layer < LAYERS; layer++) {
    const before = result;
    result = before.replace(ESCAPES, (_, url, json, byte, hex, decimal) =>
      String.fromCharCode(decimal ? Number(decimal) : Number.parseInt(url ?? json ?? byte ?? hex, 16)),
    );
    if (result === before) break;
  }
  return result;
}

/** @returns in which encodings a marked secret stands in the text; empty when there is none */
export function markedIn(text: string): string[] {
  const escaped = /[%\\&]/.test(text) ? unescaped(text) : text;
  return [...new Set([text, ...(escaped === text ? [] : [escaped])].flatMap(encodingsIn))];
}

function encodingsIn(text: string): string[] {
  const lower = text.toLowerCase();
  return [
    ...IN_ANY_CASE.filter(([, needle]) => lower.includes(needle)),
    ...ENCODED.filter(([, needle]) => text.includes(needle)),
  ].map(([encoding]) => encoding);
}

/** A marked secret in any encoding, a JWT, a password hash, a sealed secret: what no log, error, metric or answer may show. */
export function secretsIn(text: string): string[] {
  return [...markedIn(text), ...SHAPES.filter(([, shape]) => shape.test(text)).map(([kind]) => kind)];
}

/**
 * What is wrong with a text that the relay wrote or answered.
 * @param where what it is; an answer is its route, `POST /auth/login`, since some are there to show a secret
 * @returns a line with where, what and the text around it; undefined when it shows none
 */
export function leakIn(where: string, text: string): string | undefined {
  const route = where.replace(/(?<=\/restaurants\/)[\da-f-]{36}\b/, ':restaurantId');
  const found = secretsIn(text).filter((kind) => !SHOWN[route]?.includes(kind));
  return found.length === 0 ? undefined : `a secret (${found.join(', ')}) in ${where}: ${text.slice(0, 2_000)}`;
}

/** What the tables may hold that no answer may: hashes and sealed secrets; never a secret itself, and no JWT. */
const AT_REST: readonly string[] = ['a password hash', 'an encrypted secret'];

/** Looks through every row of every table, as a dump has them. @returns a line for each table that shows a secret */
export async function leaksInTables(query: TestDatabase['query']): Promise<string[]> {
  const tables = await query<{ name: string }>(
    `SELECT format('%I', tablename) AS name FROM pg_tables WHERE schemaname = 'public'`,
  );
  if (tables.length === 0) return [];
  const texts = tables.map(
    ({ name }) => `SELECT '${name}' AS name, string_agg(t::text, E'\\n') AS text FROM ${name} t`,
  );
  const rows = await query<{ name: string; text: string | null }>(`${texts.join(' UNION ALL ')} ORDER BY name`);
  return rows.flatMap(({ name, text }) => {
    const found = secretsIn(text ?? '').filter((kind) => !AT_REST.includes(kind));
    if (found.length === 0) return [];
    const row = (text ?? '').split('\n').find((line) => secretsIn(line).some((kind) => !AT_REST.includes(kind)));
    return [`a secret (${found.join(', ')}) in table ${name}: ${row}`];
  });
}

/** Looks through the files of an embedded database that nobody serves any more, its log of changes too. */
export function leaksInFolder(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const content = readFileSync(join(parentPath, name));
    const found = [['plain', MARK], ...ENCODED].filter(([, needle = '']) => content.includes(needle));
    return found.map(([encoding]) => `a secret (${encoding}) in ${join(parentPath, name)}`);
  });
}
