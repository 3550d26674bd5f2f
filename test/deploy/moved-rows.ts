import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { PARTNER } from '../../proof/chaos/pos.js';
import { ask, call } from '../../proof/relay-api.js';

const SCRIPT = fileURLToPath(new URL('../../prisma/sql/dump-tables.sql', import.meta.url));
const DAY_MS = 86_400_000;

/** The restaurant has days of before that are closed, and a secret of its own. */
export async function beginDays(
  id: string,
  dataDir: string,
  { url, jwt }: { url: string; jwt: string },
): Promise<void> {
  const since = new Date(Date.now() - 3 * DAY_MS).toISOString();
  const statements = [
    `UPDATE restaurants SET days_since = '${since}' WHERE id = '${id}'`,
    // the doctor would find that it cannot sell
    'UPDATE restaurants SET deleted_at = now() WHERE code_store_pos IS NULL',
    // a link that waits to be accepted, which a trigger accepts when it is stored
    'UPDATE user_restaurants SET accepted_at = NULL WHERE restaurant_id IN (SELECT id FROM restaurants WHERE deleted_at IS NOT NULL)',
  ];
  const database = ['-h', dataDir, '-U', 'postgres', 'postgres'];
  execFileSync('psql', ['-Xq', ...statements.flatMap((statement) => ['-c', statement]), ...database]);
  const path = `${url}/restaurants/${id}`;
  for (const daysAgo of [3, 2, 1]) {
    const day = new Date(Date.now() - daysAgo * DAY_MS).toISOString().slice(0, 10);
    // 409: the relay was first
    expect([201, 409]).toContain((await ask('POST', `${path}/days/${day}/close`, jwt)).status);
  }
  await call('PATCH', path, jwt, { posIdPartner: PARTNER.id, posSecret: PARTNER.secret });
}

export const linesOf = (text: string) => text.split('\n').toSorted();

/** All rows of a database, as the procedure moves them. */
export function rowsOf(url: string): string[] {
  return linesOf(execFileSync('psql', ['-X', '-f', SCRIPT, url], { encoding: 'utf8' }));
}
