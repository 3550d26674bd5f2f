import { spawnSync } from 'node:child_process';
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const NEEDED = ['initdb', 'pg_ctl', 'postgres', 'pg_basebackup', 'psql'];
const USUAL = '/usr/lib/postgresql';
/** postgres refuses to run as root: the first of these users that exists runs it. */
const UNPRIVILEGED = ['postgres', 'nobody'];

/** Where the server's programs are, and the user they run as. */
export interface PostgresBinaries {
  readonly folder: string;
  /** undefined: the user of this process */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
}

/** Looks for a server's programs in the folder that `pg_config` names, then in the usual ones; newest first. */
export function findPostgres(): PostgresBinaries | { readonly missing: string } {
  const looked = candidates();
  const folder = looked.find((candidate) => NEEDED.every((name) => isExecutable(join(candidate, name))));
  if (!folder) return { missing: `no ${NEEDED.join(', ')} in ${looked.join(', ') || USUAL}` };
  if (process.getuid?.() !== 0) return { folder, user: undefined };
  const user = unprivileged();
  return user
    ? { folder, user }
    : { missing: `this is root, postgres refuses that, and there is no ${UNPRIVILEGED.join(' or ')}` };
}

function candidates(): string[] {
  const named = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
  return [...(named ? [named] : []), ...versions().map((version) => join(USUAL, version, 'bin'))];
}

function versions(): string[] {
  try {
    return readdirSync(USUAL).toSorted((one, other) => Number(other) - Number(one));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function unprivileged(): { uid: number; gid: number } | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const wanted of UNPRIVILEGED) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
