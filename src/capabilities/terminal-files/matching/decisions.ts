import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../../platform/audit/actions.js';
import { auditAction } from '../../../platform/audit/actions.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { problem } from '../../../platform/http/problem.js';
import type { Link } from '../../../user-links/restaurant.guard.js';
import type { DifferenceView } from '../api/differences.dto.js';
import { DifferencesReader } from '../api/differences-reader.js';
import { FILE_CODES } from '../error-codes.js';
import { FileQueue } from '../reading/file-queue.js';
import { notConfirmed, storedFile } from '../stored-file.js';
import { Comparison } from './comparison.js';
import { Recomparison } from './recomparison.js';

/** A person accepted the sale that was suggested for a row. */
const TERMINAL_FILE_MATCH_ACCEPTED = auditAction('terminal_file.match_accepted');
/** A person refused the sale that was suggested for a row. */
const TERMINAL_FILE_MATCH_REFUSED = auditAction('terminal_file.match_refused');
/** A person has entered a missing sale in the POS. */
const TERMINAL_FILE_ROW_ENTERED = auditAction('terminal_file.row_entered');

/** A row, and what a person decides about it. */
interface Decision {
  readonly caller: Link;
  readonly fileId: string;
  readonly line: number;
  readonly action: AuditAction;
  readonly details: Readonly<Record<string, unknown>>;
  /** SQL: what is set, and the condition under which the row may still be decided */
  readonly set: Prisma.Sql;
  readonly while: Prisma.Sql;
}

/** What people decide about rows (J13). Each is written with its audit entry; nothing is sent to the POS. */
@Injectable()
export class Decisions {
  constructor(
    private readonly prisma: PrismaService,
    private readonly comparison: Comparison,
    private readonly recomparison: Recomparison,
    private readonly differences: DifferencesReader,
    private readonly queue: FileQueue,
    private readonly audit: AuditTrail,
    private readonly stopping: AbortSignal,
  ) {}

  /** Accepts the sale that is suggested for a row. @throws 404, 409 FILE_NOT_CONFIRMED or ROW_NOT_OPEN */
  accept(caller: Link, fileId: string, line: number, transactionKey: string): Promise<DifferenceView> {
    return this.decide({
      ...{ caller, fileId, line, action: TERMINAL_FILE_MATCH_ACCEPTED, details: { transactionKey } },
      set: Prisma.sql`answer = 'MATCHED', decided_by = ${caller.userId}::uuid, decided_at = now()`,
      while: suggested(transactionKey),
    });
  }

  /** Refuses the sale that is suggested for a row: another one may be suggested. @throws as {@link accept}; as FileQueue.run */
  refuse(
    caller: Link,
    fileId: string,
    line: number,
    transactionKey: string,
    gone: AbortSignal,
  ): Promise<DifferenceView> {
    return this.queue.run(caller, gone, () => this.refused(caller, fileId, line, transactionKey));
  }

  private async refused(caller: Link, fileId: string, line: number, transactionKey: string): Promise<DifferenceView> {
    await this.decide({
      ...{ caller, fileId, line, action: TERMINAL_FILE_MATCH_REFUSED, details: { transactionKey } },
      set: Prisma.sql`answer = 'MISSING_HERE', refused = refused || event_key, event_key = NULL, event_number = NULL, event_cents = NULL,
                      event_at = NULL`,
      while: suggested(transactionKey),
    });
    await this.recomparison.again(caller.restaurantId, fileId, this.stopping);
    return this.differences.row(fileId, line);
  }

  /** Says that a missing sale was entered in the POS by hand. @throws as {@link accept} */
  enter(caller: Link, fileId: string, line: number, note: string): Promise<DifferenceView> {
    return this.decide({
      ...{ caller, fileId, line, action: TERMINAL_FILE_ROW_ENTERED, details: { note } },
      set: Prisma.sql`answer = 'ENTERED', note = ${note}, decided_by = ${caller.userId}::uuid, decided_at = now()`,
      while: Prisma.sql`answer = 'MISSING_HERE'`,
    });
  }

  private async decide({
    caller,
    fileId,
    line,
    action,
    details,
    set,
    while: isOpen,
  }: Decision): Promise<DifferenceView> {
    const { restaurantId } = caller;
    const { name, matchedAt } = await storedFile(this.prisma, restaurantId, fileId);
    if (!matchedAt) throw notConfirmed();
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      const [row] = await tx.$queryRaw<{ reference: string | null; cents: bigint }[]>`
        UPDATE terminal_file_rows SET ${set} WHERE file_id = ${fileId}::uuid AND line = ${line}::int AND ${isOpen}
        RETURNING reference, cents`;
      if (!row) throw await this.notOpen(tx, fileId, line);
      await this.comparison.summarise(tx, fileId);
      await tx.$executeRaw`
        UPDATE terminal_files SET matched_at = matched_at + interval '1 millisecond' WHERE id = ${fileId}::uuid`;
      const said = { line, reference: row.reference, cents: Number(row.cents), ...details };
      await this.audit.record(tx, caller, { action, restaurantId, target: name, details: { file: fileId, ...said } });
    });
    return this.differences.row(fileId, line);
  }

  private async notOpen(tx: Prisma.TransactionClient, fileId: string, line: number) {
    const row = await tx.terminalFileRow.findUnique({
      where: { fileId_line: { fileId, line } },
      select: { answer: true },
    });
    if (!row) return problem('NOT_FOUND', 'the file has no such row');
    return problem(FILE_CODES.ROW_NOT_OPEN, `the row is ${row.answer} by now; read it again`);
  }
}

/** A sale belongs to one row: a suggestion may be out of date. */
const suggested = (transactionKey: string) => Prisma.sql`answer = 'SUGGESTED' AND event_key = ${transactionKey}
  AND NOT EXISTS (SELECT FROM terminal_file_rows other
    WHERE other.restaurant_id = terminal_file_rows.restaurant_id AND other.event_key = terminal_file_rows.event_key
      AND other.answer IN ('MATCHED', 'AMOUNT_DIFFERS', 'ENTERED'))`;
