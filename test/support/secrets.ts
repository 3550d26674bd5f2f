import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from './database.js';

/**
 * A part of every secret of the tests, so that one search finds them all. It has letters only, so that no escaping changes
 * it and no normalization of errors masks it.
 */
export const MARK = 'MkqZxWvTrJhB';

/** A password, token or key of the tests. @param name shown when it leaks */
export const marked = (name: string) => `${MARK}-${name}`;

/** 32 bytes with the mark in them, in base64, as SECRETS_KEY is written. */
export const markedKey = (name: string) => Buffer.from(marked(name).padEnd(32, '.').slice(0, 32)).toString('base64');

/** The URL of a database, with a marked password if it has none. */
export function withPassword(url: string): string {
  const changed = new URL(url);
  changed.password ||= marked('database-password');
  return changed.href;
}

const bytes = Buffer.from(MARK);
/** The mark in encodings, independent of the text before and after it. */
const ENCODED: readonly [encoding: string, needle: string][] = [
  ...[0, 1, 2].map((offset): [string, string] => [`base64 at offset ${offset}`, base64Core(offset)]),
  ['bytes', [...bytes].join()],
  ['bytes', [...bytes].join(', ')],
];
/** Encodings that are compared without case. */
const IN_ANY_CASE: readonly [encoding: string, needle: string][] = [
  ['plain', MARK.toLowerCase()],
  ['hex', bytes.toString('hex')],
];
const PASSWORD_LINK = 'a link to a new password';
const POS_SECRET = 'the secret of a POS';
/** Secrets that the relay generates: they have no mark. */
const SHAPES: readonly [kind: string, shape: RegExp][] = [
  ['a JWT', /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{20,}/],
  ['a password hash', /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/],
  ['an invitation', /\binv_[\w-]{43}/],
  [PASSWORD_LINK, /\bpwl_[\w-]{43}/],
  [POS_SECRET, /\bpos_[\w-]{43}/],
  ['the secret of a webhook', /\bwhsec_[\w+/]{43}=/],
  ['the token of a test message', /\bcfm_[\w-]{43}/],
  ['the token of an alert', /\back_[\w-]{48}/],
  ['an address of a printer', /\bprn_[\w-]{48}/],
  ['the token of a sender key', /\brly_[0-9A-Za-z]{8}_[0-9A-Za-z]{36}/],
  ['an encrypted secret', /\bv1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]{22,}/],
];

const KEYS = ['the token of a sender key', 'the secret of a webhook'];

/** The secrets that certain answers may contain. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'POST /auth/login': ['a JWT'],
  'POST /oauth/token': ['a JWT'],
  'POST /restaurants/:restaurantId/pos-credentials': [POS_SECRET],
  'POST /restaurants/:restaurantId/pos-credentials/:id/rotate': [POS_SECRET],
  'POST /console/api/restaurants/:restaurantId/pos-credentials, its body': [POS_SECRET],
  'POST /console/api/restaurants/:restaurantId/pos-credentials/:id/rotate, its body': [POS_SECRET],
  'POST /restaurants/:restaurantId/invitations': ['an invitation'],
  'POST /console/api/restaurants/:restaurantId/invitations, its body': ['an invitation'],
  ...Object.fromEntries(
    ['restaurants/:restaurantId', 'admin'].flatMap((place) => [
      [`POST /${place}/users/:userId/password-links`, [PASSWORD_LINK]],
      [`POST /console/api/${place}/users/:userId/password-links, its body`, [PASSWORD_LINK]],
    ]),
  ),
  'PUT /restaurants/:restaurantId/alert-webhook': ['the secret of a webhook'],
  'PUT /console/api/restaurants/:restaurantId/alert-webhook, its body': ['the secret of a webhook'],
  'POST /restaurants/:restaurantId/printers': ['an address of a printer'],
  'POST /console/api/restaurants/:restaurantId/printers, its body': ['an address of a printer'],
  'POST /restaurants/:restaurantId/sender-keys': KEYS,
  'POST /restaurants/:restaurantId/sender-keys/:id/rotate': KEYS,
  'POST /console/api/restaurants/:restaurantId/sender-keys, its body': KEYS,
  'POST /console/api/restaurants/:restaurantId/sender-keys/:id/rotate, its body': KEYS,
  'POST /admin/sender-keys': KEYS,
  'POST /admin/sender-keys/:id/rotate': KEYS,
  'POST /console/api/admin/sender-keys, its body': KEYS,
  'POST /console/api/admin/sender-keys/:id/rotate, its body': KEYS,
  // as a cookie; Visitor checks their bodies
  'POST /console/session': ['a JWT'],
  'PATCH /console/session/password': ['a JWT'],
};

/** The characters of the mark's base64 that do not depend on its neighbours; the same in base64url. */
function base64Core(offset: number): string {
  const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

const ESCAPES = /%([0-9a-f]{2})|\\+u00([0-9a-f]{2})|\\+x([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2,3});/gi;
/** The number of nested escapes that are decoded. */
const LAYERS = 3;

/** The text without escapes of URLs, JSON and HTML. */
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

/** @returns the encodings in which the text contains a marked secret */
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

/** @returns the kinds of secrets in the text: marked ones in any encoding, JWTs, password hashes, encrypted secrets */
export function secretsIn(text: string): string[] {
  return [...markedIn(text), ...SHAPES.filter(([, shape]) => shape.test(text)).map(([kind]) => kind)];
}

/**
 * Searches a text that the relay wrote or answered.
 * @param where its source; for an answer the route, such as `POST /auth/login`, since some may contain a secret
 * @returns a line with source, kind and text; undefined when it contains no secret
 */
export function leakIn(where: string, text: string): string | undefined {
  const route = where
    .replace(/(?<=\/restaurants\/)[\da-f-]{36}\b/, ':restaurantId')
    .replace(/(?<=\/(?:sender-keys|pos-credentials)\/)[\da-f-]{36}\b/, ':id')
    .replace(/(?<=\/users\/)[\da-f-]{36}\b/, ':userId');
  const found = secretsIn(text).filter((kind) => !SHOWN[route]?.includes(kind));
  return found.length === 0 ? undefined : `a secret (${found.join(', ')}) in ${where}: ${text.slice(0, 2_000)}`;
}

/** What tables may contain: hashes and encrypted secrets, no plain secret and no JWT. */
const AT_REST: readonly string[] = ['a password hash', 'an encrypted secret'];

/** Searches every row of every table. @returns a line for each table that contains a secret */
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

/** Searches the files of a stopped embedded database, including its WAL. */
export function leaksInFolder(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.flatMap(({ parentPath, name }) => {
    const content = readFileSync(join(parentPath, name));
    const found = [['plain', MARK], ...ENCODED].filter(([, needle = '']) => content.includes(needle));
    return found.map(([encoding]) => `a secret (${encoding}) in ${join(parentPath, name)}`);
  });
}
