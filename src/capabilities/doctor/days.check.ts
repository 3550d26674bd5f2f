import { bad, count, ok, type Result } from './check.js';
import type { Connection } from './connection.js';

/** The closings that one statement recomputes. */
const PIECE = 400;

/**
 * Recomputes the chains of closed days, and names the first day that breaks of each restaurant (B7). The sales of the closings, which are
 * many, are recomputed by the console's page of the days.
 */
export async function daysCheck(database: Connection | 'new'): Promise<Result> {
  if (database === 'new') return ok('none yet');
  const chains = await database.query<{ id: string; label: string }>(
    `SELECT id::text, format('%s (%s)', name, slug) AS label FROM restaurants
     WHERE (SELECT number FROM business_days WHERE restaurant_id = id LIMIT 1) IS NOT NULL ORDER BY slug, id`,
  );
  const broken: string[] = [];
  for (const { id, label } of chains) {
    const found = await firstBreak(database, id);
    if (found) broken.push(`${label}: ${found.day} ${found.reason}`);
  }
  if (broken.length === 0) return ok(`${count(chains.length, 'chain')} of closings, none broken`);
  return bad(`${count(broken.length, 'chain')} of closings broken: a closed day was changed or removed`, {
    details: broken,
    hint: 'compare with a backup, and with the closings that were exported or noted; docs/operations/days.md',
  });
}

async function firstBreak(database: Connection, id: string): Promise<{ day: string; reason: string } | undefined> {
  for (let after = 0; ; ) {
    const [piece] = await database.query<{ last: number | null; day: string | null; reason: string | null }>(
      `SELECT last_number AS last, to_char(broken_day, 'YYYY-MM-DD') AS day, reason FROM day_chain_break($1::uuid, $2::int, ${PIECE}, false)`,
      [id, after],
    );
    if (piece?.day && piece.reason) return { day: piece.day, reason: piece.reason };
    if (piece?.last == null) return undefined;
    after = piece.last;
  }
}
