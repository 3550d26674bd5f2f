import { Injectable } from '@nestjs/common';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import type { KeptDecision } from '../rules/kept-decisions.js';
import { rowsOf } from './counted.sql.js';
import type { ComparedFile } from './sales-reader.js';

/** The decisions of files that were taken back, at most; the newest ones (L211). */
const MOST_KEPT = 10_000;

/** SQL: what was decided about a row; rows of earlier versions say it by their answer. */
export const DECISION = Prisma.sql`coalesce(decision, CASE WHEN answer = 'ENTERED' THEN 'ENTERED'
  WHEN answer = 'MATCHED' AND decided_at IS NOT NULL THEN 'ACCEPTED' END)`;
/** SQL: the decision that stays with the payment: an entered one stays, also when its sale arrived later and that was checked. */
export const KEPT_DECISION = Prisma.sql`CASE WHEN answer = 'ENTERED' THEN 'ENTERED' ELSE ${DECISION} END`;
/** SQL: whether a row needs a person (J13) */
export const IS_OPEN = Prisma.sql`(answer IN ('MISSING_HERE', 'SUGGESTED', 'UNREADABLE')
  OR ((answer IN ('AMOUNT_DIFFERS', 'DUPLICATE') OR (answer = 'ENTERED' AND event_key IS NOT NULL)) AND decision IS DISTINCT FROM 'CHECKED'))`;
/** SQL: whether a person has decided something about a row */
export const IS_DECIDED = Prisma.sql`(decided_at IS NOT NULL OR cardinality(refused) > 0)`;

/** Reads what people decided before (J19, J20). */
@Injectable()
export class DecisionsReader {
  constructor(private readonly prisma: PrismaService) {}

  /** Those of files that were taken back. @param own with those of the file itself, which is read again */
  kept(
    { fileId, restaurantId }: Pick<ComparedFile, 'fileId' | 'restaurantId'>,
    { own }: { readonly own: boolean },
  ): Promise<KeptDecision[]> {
    return this.prisma.reports.$queryRaw<KeptDecision[]>`
      (SELECT sha256, line, coalesce(sha256 = (SELECT sha256 FROM terminal_files WHERE id = ${fileId}::uuid), false) AS "isOwn", kind, reference, authorisation, cents,
              at, identity, decision, event_key AS "eventKey", refused, note, decided_by::text AS "decidedBy", decided_at AS "decidedAt"
       FROM terminal_file_decisions WHERE restaurant_id = ${restaurantId}::uuid ORDER BY kept_at DESC LIMIT ${MOST_KEPT}::int)
      UNION ALL
      SELECT '', line, true, kind, reference, authorisation, cents, at, identity, ${KEPT_DECISION}, event_key, refused, note, decided_by::text, decided_at
      FROM terminal_file_rows WHERE ${rowsOf(fileId)} AND ${IS_DECIDED} AND ${own}::boolean`;
  }
}

/** Removes decisions of files that were taken back: a row has them now. */
export async function forget(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  found: readonly Pick<KeptDecision, 'sha256' | 'line'>[],
): Promise<void> {
  if (found.length > 0)
    await tx.$executeRaw`
      DELETE FROM terminal_file_decisions USING jsonb_to_recordset(${JSON.stringify(found)}::jsonb) AS found(sha256 text, line int)
      WHERE restaurant_id = ${restaurantId}::uuid AND terminal_file_decisions.sha256 = found.sha256 AND terminal_file_decisions.line = found.line`;
}
