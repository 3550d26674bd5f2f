import type { Document, Method, Operation, Schema } from '../../tools/contract.js';
import type { Random } from '../random.js';
import { hostileValue } from './json.js';
import { hostileCursor, hostileText, hostileTime } from './texts.js';
import type { Tenant, World } from './world.js';

/** One route of the document. */
export interface Route {
  readonly method: Method;
  /** `/restaurants/{restaurantId}` */
  readonly path: string;
  readonly operation: Operation;
  /** of its body; undefined: it takes none */
  readonly body: Schema | undefined;
  /** its body carries a password, whose check is made to be slow */
  readonly checksPassword: boolean;
}

export function routesOf(document: Document): Route[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (Object.entries(item) as [Method, Operation][]).map(([method, operation]) => {
      const body = operation.requestBody?.content['application/json']?.schema;
      const required = body ? (resolved(document, body).required ?? []) : [];
      return { method, path, operation, body, checksPassword: required.some((name) => /password/i.test(name)) };
    }),
  );
}

/** What values are made of: whose they are, and whose they could be. */
export interface Source {
  readonly document: Document;
  readonly world: World;
  readonly random: Random;
  /** the tenant that the caller belongs to, or speaks of */
  readonly own: Tenant;
  readonly other: Tenant;
}

/** A value that the document allows. */
export function legalValue(source: Source, schema: Schema, name: string): unknown {
  const { random } = source;
  const { type, example, items, properties, required = [], ...rest } = resolved(source.document, schema);
  const known = KNOWN[name]?.(source);
  if (known !== undefined) return known;
  if (rest.enum) return random.pick(rest.enum);
  const kind = Array.isArray(type) ? type[0] : type;
  if (kind === 'boolean') return random.chance(0.5);
  if (kind === 'integer' || kind === 'number') return example ?? 1 + random.below(100);
  if (kind === 'array') return random.list(1 + random.below(3), () => legalValue(source, items ?? {}, name));
  if (!properties) return example ?? `text ${random.below(1e6)}`;
  const chosen = Object.entries(properties).filter(
    ([field]) => required.includes(field) || (random.chance(0.7) && !/^(email|password)$/.test(field)),
  );
  return Object.fromEntries(chosen.map(([field, inner]) => [field, legalValue(source, inner, field)]));
}

/** A value for a parameter of a path or of a query, as text. */
export function parameterText(source: Source, schema: Schema, name: string): string {
  const { random } = source;
  const theirs = THEIRS[name]?.(source.other);
  if (theirs && random.chance(0.25)) return random.pick(theirs);
  if (name === 'slug' && random.chance(0.5)) return source.own.slug;
  if (name === 'transactionKey' && random.chance(0.5)) return random.pick(source.own.keys);
  if (random.chance(0.65)) return String(legalValue(source, schema, name));
  if (name === 'after' && random.chance(0.7)) return hostileCursor(random);
  if (/^(from|to|day)$/.test(name) && random.chance(0.7)) return hostileTime(random);
  return hostileText(random);
}

/** Values of another tenant for addresses, not for bodies: stored from a body, they would be the caller's own data. */
const THEIRS: Readonly<Record<string, (other: Tenant) => readonly string[]>> = {
  userId: ({ owner, clerk }) => [owner.id, clerk.id],
  transactionKey: ({ keys }) => keys,
  slug: ({ slug }) => [slug],
  search: ({ keys }) => keys,
};

/** Fields by their names: ids and keys of the world, so that requests come past the first check. */
const KNOWN: Readonly<Record<string, (source: Source) => unknown>> = {
  restaurantId: ({ random, own, other }) => random.pick([own, own, own, other]).restaurantId,
  userId: ({ random, own }) => random.pick([own.clerk.id, own.owner.id, UNKNOWN_ID]),
  newOwnerId: ({ random, own }) => random.pick([own.owner.id, UNKNOWN_ID]),
  jobId: ({ random, own, other }) => random.pick([...own.jobIds, ...other.jobIds, UNKNOWN_ID]),
  // again and again the same few: duplicates. Never a mark: a terminal of the platform may send it to another restaurant
  transactionKey: ({ random }) => (random.chance(0.3) ? `again-${random.below(20)}` : `fuzz-${random.below(1e9)}`),
  slug: ({ random }) => `slug-${random.below(1e9)}`,
  codeStoreTerminal: ({ random }) => `code-${random.below(1e9)}`,
  storeCode: ({ random, own }) => (random.chance(0.9) ? own.storeCode : `code-${random.below(1e9)}`),
  email: ({ random }) => `somebody-${random.below(1e9)}@example.com`,
  search: ({ random, own }) => random.pick([own.keys[0], 'fuzz', '%', '_', '\\']),
  day: ({ random }) => `2026-0${1 + random.below(9)}-1${random.below(9)}`,
  from: ({ random }) => random.pick(['2026-01-01', '2026-01-01T00:00:00Z', '1970-01-01', '2020-02-29T12:00:00+14:00']),
  to: ({ random }) => random.pick(['2026-12-31', '2026-12-31T23:59:59Z', '2038-01-20', '2030-01-01T00:00:00-12:00']),
  timezone: ({ random }) =>
    random.pick(['UTC', 'America/Sao_Paulo', 'Australia/Lord_Howe', 'Pacific/Apia', 'Etc/GMT+12']),
  after: ({ random, own }) =>
    Buffer.from(`2026-0${1 + random.below(9)}-01T00:00:00.000Z ${own.restaurantId}`).toString('base64url'),
};
export const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** A good body with some of its fields, at any depth, spoiled, left out, or joined by others. */
export function spoiled(value: unknown, random: Random): unknown {
  if (Array.isArray(value) && value.length > 0 && random.chance(0.7)) {
    const at = random.below(value.length);
    return value.map((entry, index) => (index === at ? spoiled(entry, random) : entry));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return hostileValue(random);
  const fields = Object.entries(value);
  const at = random.below(fields.length + 1);
  const field = fields[at];
  if (!field || random.chance(0.1)) return Object.fromEntries([...fields, [hostileText(random), hostileValue(random)]]);
  if (random.chance(0.15)) return Object.fromEntries(fields.filter((_, index) => index !== at));
  return Object.fromEntries(
    fields.map(([name, inner], index) => [name, index === at ? spoiled(inner, random) : inner]),
  );
}

export function resolved(document: Document, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1) ?? (schema as { allOf?: Schema[] }).allOf?.[0]?.$ref?.split('/').at(-1);
  return name ? (document.components.schemas[name] ?? {}) : schema;
}
