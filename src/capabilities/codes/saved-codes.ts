import type { CodeKind } from '../../domain/pos-codes.js';
import { seenUser } from '../../platform/database/anonymous.js';
import type { Prisma } from '../../platform/database/generated/client.js';
import { problem } from '../../platform/http/problem.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import { MAX_CODES } from './codes.dto.js';
import { CODES_CODES } from './error-codes.js';

/** A code to be set. */
export interface NewCode {
  readonly kind: CodeKind;
  readonly terminalCode: string;
  readonly posCode: string;
  readonly name: string | null;
}

/** A code that was changed. */
export interface SavedCode {
  readonly terminalCode: string;
  /** false: it had another POS code or name before */
  readonly created: boolean;
}

/** The most characters of a name that are kept with a code. */
const MAX_NAME = 200;

/**
 * Sets codes in the transaction of a caller who holds the lock of the restaurant's row. Triggers raise the version of its codes (I4), unless each was so
 * before.
 * @returns those that it has created or changed
 * @throws 409 TOO_MANY_CODES
 */
export async function saveCodes(
  tx: Prisma.TransactionClient,
  caller: Link,
  codes: readonly NewCode[],
): Promise<SavedCode[]> {
  const { restaurantId } = caller;
  const by = await nameOfCaller(tx, caller);
  const saved = await tx.$queryRaw<SavedCode[]>`
    INSERT INTO pos_codes AS known (restaurant_id, kind, terminal_code, pos_code, name, changed_by)
    SELECT ${restaurantId}::uuid, kind, "terminalCode", "posCode", name, ${by}::text
    FROM jsonb_to_recordset(${JSON.stringify(codes)}::jsonb) AS wanted(kind code_kind, "terminalCode" text, "posCode" text, name text)
    ON CONFLICT (restaurant_id, kind, terminal_code) DO UPDATE
      SET pos_code = EXCLUDED.pos_code, name = EXCLUDED.name, changed_by = EXCLUDED.changed_by, changed_at = now()
      WHERE (known.pos_code, known.name) IS DISTINCT FROM (EXCLUDED.pos_code, EXCLUDED.name)
    RETURNING terminal_code AS "terminalCode", xmax = 0 AS created`;
  if (saved.some(({ created }) => created)) await refuseTooMany(tx, restaurantId);
  return saved;
}

/** The name that is kept with what a caller changes; null: the people of the restaurant do not see this user. */
export async function nameOfCaller(tx: Prisma.TransactionClient, caller: Link): Promise<string | null> {
  const user = await seenUser(tx, caller);
  return user ? (user.name || user.email).slice(0, MAX_NAME).toWellFormed() : null;
}

async function refuseTooMany(tx: Prisma.TransactionClient, restaurantId: string): Promise<void> {
  const counts = await tx.posCode.groupBy({ by: ['kind'], where: { restaurantId }, _count: true });
  if (counts.some(({ _count }) => _count > MAX_CODES))
    throw problem(CODES_CODES.TOO_MANY_CODES, `a restaurant has at most ${MAX_CODES} codes of each kind`);
}
