import type { TestDatabase } from '../../../support/database.js';

/** What a version knows of a schema: its columns, and the values of its enums. */
export interface Schema {
  readonly columns: ReadonlyMap<string, { readonly type: string; readonly mustBeWritten: boolean }>;
  /** enum -> its values */
  readonly enums: ReadonlyMap<string, string>;
}

export async function readSchema({ query }: TestDatabase): Promise<Schema> {
  const columns = await query<{ name: string; type: string; mustBeWritten: boolean }>(
    `SELECT table_name || '.' || column_name AS name, udt_name AS type,
            is_nullable = 'NO' AND column_default IS NULL AS "mustBeWritten"
     FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1`,
  );
  const enums = await query<{ name: string; values: string }>(
    `SELECT typname AS name, string_agg(enumlabel, ' ' ORDER BY enumlabel) AS values
     FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid GROUP BY 1`,
  );
  return {
    columns: new Map(columns.map(({ name, ...column }) => [name, column])),
    enums: new Map(enums.map(({ name, values }) => [name, values])),
  };
}

/**
 * Why an instance that knows the schema `before` cannot go on beside one that has migrated it to `after`: something it reads
 * has gone, something it does not write must be written, a row may hold a value that it does not know.
 */
export function breaks(before: Schema, after: Schema): string[] {
  const tables = new Set([...before.columns.keys()].map((name) => name.split('.')[0]));
  const gone = [...before.columns].flatMap(([name, { type }]) => {
    const now = after.columns.get(name);
    if (!now) return [`${name} has gone`];
    return now.type === type ? [] : [`${name} is ${now.type}, it was ${type}`];
  });
  const demanded = [...after.columns]
    .filter(([name, { mustBeWritten }]) => mustBeWritten && tables.has(name.split('.')[0]) && !isDemanded(before, name))
    .map(([name]) => `${name} must be written: give it a default`);
  const changed = [...before.enums]
    .filter(([name, values]) => after.enums.get(name) !== values)
    .map(([name, values]) => `${name} has other values: ${after.enums.get(name)}, they were ${values}`);
  return [...gone, ...demanded, ...changed];
}

const isDemanded = ({ columns }: Schema, name: string) => columns.get(name)?.mustBeWritten === true;
