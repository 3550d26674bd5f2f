import { readFileSync } from 'node:fs';

/** A field of a message of the published schema. */
interface Field {
  readonly type: string;
  readonly repeated: boolean;
  readonly oneof: string | undefined;
}

/** OpenTelemetry's own definition of OTLP, release 1.11 (Apache-2.0). */
const FILES = ['common', 'resource', 'trace', 'trace_service'];
const messages = new Map<string, Map<string, Field>>();
const enums = new Map<string, Set<number>>();
for (const name of FILES) read(readFileSync(new URL(`./otlp/${name}.proto`, import.meta.url), 'utf8'));

/** An example that OpenTelemetry publishes beside it. */
export const EXAMPLE: unknown = JSON.parse(readFileSync(new URL('./otlp/example.json', import.meta.url), 'utf8'));

/** Ids are hexadecimal in OTLP's JSON, unlike other bytes: digits of each. */
const IDS: Readonly<Record<string, number>> = { traceId: 32, spanId: 16, parentSpanId: 16 };
const LARGEST: Readonly<Record<string, bigint>> = {
  fixed64: 2n ** 64n - 1n,
  int64: 2n ** 63n - 1n,
  uint32: 2n ** 32n - 1n,
  fixed32: 2n ** 32n - 1n,
  int32: 2n ** 31n - 1n,
};

/** Reads messages, fields and enums of a .proto file, by their short names, which are unique in these files. */
function read(text: string): void {
  const plain = text.replace(/\/\/.*$/gm, '').replace(/^service [\s\S]*?^}/m, '');
  const scopes: { kind: string; name: string }[] = [];
  for (const [statement] of plain.matchAll(/[^;{}]*[;{}]/g)) {
    const words = statement.match(/[\w.]+/g) ?? [];
    const [first = '', second = '', third = ''] = words;
    const scope = scopes.at(-1);
    if (statement.endsWith('}')) scopes.pop();
    else if (statement.endsWith('{')) {
      scopes.push({ kind: first, name: second });
      if (first === 'message') messages.set(second, new Map());
      if (first === 'enum') enums.set(second, new Set());
    } else if (scope?.kind === 'enum') enums.get(scope.name)?.add(Number(second));
    else if (scope && first !== 'reserved' && first !== '') {
      const repeated = first === 'repeated';
      const [type, name] = repeated ? [second, third] : [first, second];
      const message = scopes.findLast(({ kind }) => kind === 'message')?.name ?? '';
      const oneof = scope.kind === 'oneof' ? scope.name : undefined;
      messages.get(message)?.set(camelCase(name), { type: type.split('.').at(-1) as string, repeated, oneof });
    }
  }
}

function camelCase(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** What is wrong with a value as a message of the schema, strictly: unknown fields, wrong types and ids, two values of a oneof. */
export function problemsIn(value: unknown, message = 'ExportTraceServiceRequest', at = '$'): string[] {
  const fields = messages.get(message);
  if (!fields) return [`${at}: ${message} is no message`];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at}: is no ${message}`];
  const chosen = new Map<string, number>();
  const problems = Object.entries(value).flatMap(([name, each]) => {
    const field = fields.get(name);
    if (!field) return [`${at}.${name}: ${message} has no such field`];
    if (field.oneof) chosen.set(field.oneof, (chosen.get(field.oneof) ?? 0) + 1);
    if (!field.repeated) return problemsOfField(each, field, name, `${at}.${name}`);
    if (!Array.isArray(each)) return [`${at}.${name}: is no array`];
    return each.flatMap((one, i) => problemsOfField(one, field, name, `${at}.${name}[${i}]`));
  });
  const twice = [...chosen].filter(([, count]) => count > 1).map(([oneof]) => `${at}: two values of ${oneof}`);
  return [...problems, ...twice, ...(message === 'Span' ? problemsOfSpan(value as Record<string, unknown>, at) : [])];
}

function problemsOfField(value: unknown, { type }: Field, name: string, at: string): string[] {
  if (messages.has(type)) return problemsIn(value, type, at);
  return isOfType(value, type, name) ? [] : [`${at}: ${JSON.stringify(value)} is no ${type}`];
}

function isOfType(value: unknown, type: string, name: string): boolean {
  if (type === 'string') return typeof value === 'string';
  if (type === 'bool') return typeof value === 'boolean';
  if (type === 'double') return typeof value === 'number' && Number.isFinite(value);
  if (type === 'bytes')
    return typeof value === 'string' && /^[0-9a-f]+$/i.test(value) && value.length === IDS[name] && !/^0+$/.test(value);
  const known = enums.get(type);
  if (known) return typeof value === 'number' && known.has(value);
  const largest = LARGEST[type];
  if (largest === undefined) return false;
  // 64-bit numbers are text
  if (type.endsWith('64')) {
    const least = type === 'int64' ? -largest - 1n : 0n;
    return typeof value === 'string' && /^-?\d+$/.test(value) && BigInt(value) >= least && BigInt(value) <= largest;
  }
  return Number.isInteger(value) && BigInt(value as number) <= largest && (type === 'int32' || (value as number) >= 0);
}

/** What the comments of the schema require of a span. */
function problemsOfSpan(span: Record<string, unknown>, at: string): string[] {
  const keys = ((span.attributes ?? []) as { key: string }[]).map(({ key }) => key);
  return [
    ...['traceId', 'spanId', 'name', 'startTimeUnixNano', 'endTimeUnixNano'].filter((name) => !span[name]),
    ...(BigInt(String(span.endTimeUnixNano ?? 0)) < BigInt(String(span.startTimeUnixNano ?? 0)) ? ['endTime'] : []),
    ...(new Set(keys).size < keys.length ? ['attributes'] : []),
    ...(span.kind === 0 ? ['kind'] : []),
  ].map((name) => `${at}.${name}: is missing or wrong`);
}
