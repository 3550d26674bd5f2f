import type { Document, Schema } from '../../tools/contract.js';
import type { Random } from '../random.js';
import { legalValue, type Route, resolved, type Source } from './operations.js';

/**
 * Characters: what any field takes, more than most limits, more than an entry of a B-tree holds (2,704 bytes), more than any but the
 * webhook reads.
 */
const LENGTHS = [10, 300, 3_000, 300_000] as const;

/** Text that a database cannot compress, so that it exceeds the limit of an index. */
const ALPHABETS: readonly ((random: Random, length: number) => string)[] = [
  (random, length) => random.bytes(length).toString('base64').slice(0, length),
  // four bytes of UTF-8 each
  (random, length) => random.list(length, () => String.fromCodePoint(0x10000 + random.below(0x100000))).join(''),
];

/** Where the fields of a body stand, at any depth: `['items', 'price']`, of an array its entries. */
export function fieldsOf(document: Document, schema: Schema): string[][] {
  const { items, properties } = resolved(document, schema);
  if (items) return fieldsOf(document, items);
  if (!properties) return [[]];
  return Object.entries(properties).flatMap(([name, inner]) =>
    fieldsOf(document, inner).map((path) => [name, ...path]),
  );
}

/** The body number `turn` of those in which one field, of any type, is a text of one of the lengths: each has its turn. */
export function longFieldOf(source: Source, routes: readonly Route[], turn: number): { route: Route; body: unknown } {
  const { document, random } = source;
  const fields = routes.flatMap((route) =>
    route.body ? fieldsOf(document, route.body).map((path) => ({ route, path })) : [],
  );
  const [length, rest] = [LENGTHS[turn % LENGTHS.length] as number, Math.floor(turn / LENGTHS.length)];
  const alphabet = ALPHABETS[rest % ALPHABETS.length] as (typeof ALPHABETS)[number];
  const { route, path } = fields[Math.floor(rest / ALPHABETS.length) % fields.length] as (typeof fields)[number];
  return { route, body: placed(source, route.body as Schema, path, alphabet(random, length)) };
}

function placed(source: Source, schema: Schema, [name, ...path]: readonly string[], text: string): unknown {
  const { items, properties } = resolved(source.document, schema);
  if (items) return [placed(source, items, name === undefined ? [] : [name, ...path], text)];
  const inner = name === undefined ? undefined : properties?.[name];
  if (name === undefined || !inner) return text;
  return { ...(legalValue(source, schema, '') as object), [name]: placed(source, inner, path, text) };
}
