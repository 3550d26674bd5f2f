import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { migrate, readMigrations } from '../../../../src/platform/database/migrations/migrations.js';
import { connected } from '../../../runner/template.js';

/** Of each released version what it left in a database, and the statements it ran. */
export const RELEASED_FOLDER = fileURLToPath(new URL('.', import.meta.url));

/** What the rows of a release were made with. */
export interface ReleasedSecrets {
  readonly SECRETS_KEY: string;
  /** of its platform administrator, who owns its restaurants */
  readonly email: string;
  readonly password: string;
  /** POS partner id -> secret */
  readonly partners: Readonly<Record<string, string>>;
}

export interface Release {
  readonly version: string;
  readonly secrets: ReleasedSecrets;
  /** its rows, as INSERTs */
  readonly rows: string;
  /** its migrations, oldest first */
  readonly migrations: ReturnType<typeof readMigrations>;
  /** its statements, with $1, $2, …, each after a line with its name, if it has one */
  readonly statements: readonly { readonly name: string; readonly text: string }[];
}

/** @returns every released version, oldest first */
export function readReleases(): Release[] {
  const names = readdirSync(RELEASED_FOLDER).filter((name) => /^[\d.]+\.sql$/.test(name));
  return names.map((name) => readRelease(name.replace(/\.sql$/, ''))).sort((a, b) => compare(a.version, b.version));
}

function readRelease(version: string): Release {
  const rows = readFileSync(`${RELEASED_FOLDER}${version}.sql`, 'utf8');
  const statements = readFileSync(`${RELEASED_FOLDER}${version}.statements.sql`, 'utf8');
  return {
    version,
    rows,
    secrets: JSON.parse(/^-- (\{.*\})$/m.exec(rows)?.[1] as string),
    migrations: readMigrations().filter(({ name }) => rows.includes(`'${name}'`)),
    statements: [...statements.matchAll(/^-- ?(\S*)\n([\s\S]*?);\n(?=\n--|$)/gm)].map(([, label, text]) => ({
      name: label as string,
      text: text as string,
    })),
  };
}

const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

/** Makes an empty database what this version left. */
export async function restoreRelease(url: string, { migrations, rows }: Release): Promise<void> {
  await connected(url, async (client: pg.Client) => {
    await migrate(client, migrations);
    // the rows bring their own history
    await client.query('DELETE FROM _prisma_migrations');
    await client.query(rows);
  });
}
