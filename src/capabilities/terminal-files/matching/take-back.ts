import { Injectable } from '@nestjs/common';
import { auditAction } from '../../../platform/audit/actions.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileQueue } from '../../../platform/files/file-queue.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { Link } from '../../../user-links/restaurant.guard.js';
import { notOpen } from '../stored-file.js';
import { rowsOf } from './counted.sql.js';
import { IS_DECIDED, KEPT_DECISION } from './decisions-reader.js';
import { FileRows } from './file-rows.js';
import { Recomparison } from './recomparison.js';

/** A file was removed before it was confirmed. */
const TERMINAL_FILE_REMOVED = auditAction('terminal_file.removed', { mostInADay: 1_000 });
/** A confirmed file was taken back. */
const TERMINAL_FILE_TAKEN_BACK = auditAction('terminal_file.taken_back', { mostInADay: 500 });

/** Removes files (J2), and takes confirmed ones back: what people decided stays for the next file with the payment (J20). */
@Injectable()
export class TakeBack {
  constructor(
    private readonly prisma: PrismaService,
    private readonly rows: FileRows,
    private readonly recomparison: Recomparison,
    private readonly queue: FileQueue,
    private readonly audit: AuditTrail,
    private readonly log: Log,
    private readonly stopping: AbortSignal,
  ) {}

  /** @throws 404; for a confirmed file as {@link FileQueue.run}; the database's error */
  async remove(caller: Link, fileId: string, gone: AbortSignal): Promise<void> {
    if (await this.removeWaiting(caller, fileId)) return;
    await this.queue.run(caller, gone, () => this.takeBack(caller, fileId));
  }

  /** @returns false: it is confirmed. @throws 404 */
  private removeWaiting(caller: Link, fileId: string): Promise<boolean> {
    const { restaurantId } = caller;
    return this.prisma.$transaction(async (tx) => {
      const { count } = await tx.terminalFile.deleteMany({
        where: { id: fileId, restaurantId, confirmedAt: null, content: { not: null } },
      });
      if (count === 0) {
        const found = await tx.terminalFile.count({ where: { id: fileId, restaurantId, confirmedAt: { not: null } } });
        if (found === 0) throw await notOpen(tx, restaurantId, fileId);
        return false;
      }
      await this.audit.record(tx, caller, { action: TERMINAL_FILE_REMOVED, restaurantId, target: fileId });
      return true;
    });
  }

  /** From the end of the transaction on it counts as nothing; then its rows are removed in pieces. */
  private async takeBack(caller: Link, fileId: string): Promise<void> {
    const { restaurantId } = caller;
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      const [file] = await tx.$queryRaw<{ name: string; sha256: string; rows: number; missingHere: number }[]>`
        SELECT name, sha256, rows, missing AS "missingHere" FROM terminal_files
        WHERE id = ${fileId}::uuid AND restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NOT NULL FOR UPDATE`;
      // somebody else has taken it back meanwhile
      if (!file) throw await notOpen(tx, restaurantId, fileId);
      const decisions = await tx.$executeRaw`
        INSERT INTO terminal_file_decisions AS kept (restaurant_id, sha256, line, kind, reference, authorisation, cents, at, identity, decision,
          event_key, refused, note, decided_by, decided_at)
        SELECT restaurant_id, ${file.sha256}, line, kind, reference, authorisation, cents, at, identity, ${KEPT_DECISION}, event_key, refused, note,
               decided_by, decided_at
        FROM terminal_file_rows WHERE ${rowsOf(fileId)} AND ${IS_DECIDED}
        ON CONFLICT (restaurant_id, sha256, line) DO UPDATE SET (kind, reference, authorisation, cents, at, identity, decision, event_key, refused,
          note, decided_by, decided_at, kept_at) = (EXCLUDED.kind, EXCLUDED.reference, EXCLUDED.authorisation, EXCLUDED.cents, EXCLUDED.at,
          EXCLUDED.identity, EXCLUDED.decision, EXCLUDED.event_key, EXCLUDED.refused, EXCLUDED.note, EXCLUDED.decided_by, EXCLUDED.decided_at,
          EXCLUDED.kept_at)`;
      await tx.$executeRaw`
        UPDATE terminal_files SET confirmed_at = NULL, confirmed_by = NULL, matched_at = NULL, from_day = NULL, to_day = NULL, content = NULL,
          summary = '{}', missing = 0 WHERE id = ${fileId}::uuid`;
      const { name, rows, missingHere } = file;
      const details = { rows, missingHere, decisions };
      await this.audit.record(tx, caller, { action: TERMINAL_FILE_TAKEN_BACK, restaurantId, target: name, details });
    });
    this.log.info({ event: 'terminal_file.taken_back', restaurantId, fileId, user: caller.userId });
    await this.recomparison.repeatsOf(restaurantId, fileId, this.stopping);
    await this.rows.removeFile(fileId);
  }
}
