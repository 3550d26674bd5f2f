import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../../platform/audit/actions.js';
import { auditAction } from '../../../platform/audit/actions.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileQueue } from '../../../platform/files/file-queue.js';
import { problem } from '../../../platform/http/problem.js';
import type { Link } from '../../../user-links/restaurant.guard.js';
import type { DifferenceView } from '../api/differences.dto.js';
import { DifferencesReader } from '../api/differences-reader.js';
import { FILE_CODES } from '../error-codes.js';
import type { Decision } from '../rules/terminal-file.js';
import { notConfirmed, storedFile } from '../stored-file.js';
import { isCounted, rowsOf } from './counted.sql.js';
import { DECISION, IS_OPEN } from './decisions-reader.js';
import { FileRows } from './file-rows.js';
import { Recomparison } from './recomparison.js';

/** A person accepted the sale that was suggested for a row. */
const TERMINAL_FILE_MATCH_ACCEPTED = auditAction('terminal_file.match_accepted');
/** A person refused the sale that was suggested for a row. */
const TERMINAL_FILE_MATCH_REFUSED = auditAction('terminal_file.match_refused');
/** A person has entered a missing sale in the POS. */
const TERMINAL_FILE_ROW_ENTERED = auditAction('terminal_file.row_entered');
/** A person has looked at a row, and it needs nobody any more. */
const TERMINAL_FILE_ROW_CHECKED = auditAction('terminal_file.row_checked');
/** A person has undone what was decided about a row. */
const TERMINAL_FILE_DECISION_UNDONE = auditAction('terminal_file.decision_undone', { mostInADay: 1_000 });

/** A row, and what a person decides about it. */
interface Deciding {
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
    private readonly rows: FileRows,
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
      set: Prisma.sql`answer = 'MATCHED', decision = 'ACCEPTED', decided_by = ${caller.userId}::uuid, decided_at = now()`,
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
      set: Prisma.sql`answer = 'ENTERED', decision = 'ENTERED', note = ${note}, decided_by = ${caller.userId}::uuid, decided_at = now()`,
      while: Prisma.sql`answer = 'MISSING_HERE'`,
    });
  }

  /** Says that a row with another amount, one that is there twice, or one that was entered and arrived, needs nobody any more. @throws as {@link accept} */
  check(caller: Link, fileId: string, line: number, note: string | null): Promise<DifferenceView> {
    return this.decide({
      ...{ caller, fileId, line, action: TERMINAL_FILE_ROW_CHECKED, details: { note } },
      set: Prisma.sql`decision = 'CHECKED', note = coalesce(${note}, CASE answer WHEN 'ENTERED' THEN note END),
                      decided_by = ${caller.userId}::uuid, decided_at = now()`,
      while: Prisma.sql`${IS_OPEN} AND answer IN ('AMOUNT_DIFFERS', 'DUPLICATE', 'ENTERED')`,
    });
  }

  /**
   * Takes back what was decided last about a row: it is compared again, and its answer is what it would be without. Refused sales are
   * suggested again.
   * @throws as {@link accept}; as FileQueue.run
   */
  undo(caller: Link, fileId: string, line: number, gone: AbortSignal): Promise<DifferenceView> {
    return this.queue.run(caller, gone, () => this.undone(caller, fileId, line));
  }

  private async undone(caller: Link, fileId: string, line: number): Promise<DifferenceView> {
    const [before] = await this.prisma.$queryRaw<{ decision: Undone | null; note: string | null; refused: string[] }[]>`
      SELECT ${DECISION} AS decision, note, refused FROM terminal_file_rows WHERE ${rowsOf(fileId)} AND line = ${line}::int`;
    const decision = before?.decision ?? (before && before.refused.length > 0 ? 'REFUSED' : null);
    const free = Prisma.sql`answer = CASE WHEN kind = 'SALE' THEN 'MISSING_HERE' ELSE kind END, event_key = NULL, event_number = NULL, event_cents = NULL, event_at = NULL`;
    const nobody = Prisma.sql`decision = NULL, note = NULL, decided_by = NULL, decided_at = NULL`;
    const set = {
      ENTERED: Prisma.sql`${free}, ${nobody}`,
      ACCEPTED: Prisma.sql`${free}, ${nobody}`,
      CHECKED: Prisma.sql`decision = CASE answer WHEN 'ENTERED' THEN 'ENTERED' END, note = CASE answer WHEN 'ENTERED' THEN note END,
                          decided_by = CASE answer WHEN 'ENTERED' THEN decided_by END, decided_at = CASE answer WHEN 'ENTERED' THEN decided_at END`,
      REFUSED: Prisma.sql`refused = '{}'`,
    };
    const isAsBefore = {
      ENTERED: Prisma.sql`answer = 'ENTERED'`,
      ACCEPTED: Prisma.sql`${DECISION} = 'ACCEPTED' AND answer IN ('MATCHED', 'AMOUNT_DIFFERS')`,
      CHECKED: Prisma.sql`decision = 'CHECKED'`,
      REFUSED: Prisma.sql`answer IN ('MISSING_HERE', 'SUGGESTED') AND cardinality(refused) > 0`,
    };
    const nothing = Prisma.sql`false`;
    await this.decide({
      ...{
        caller,
        fileId,
        line,
        action: TERMINAL_FILE_DECISION_UNDONE,
        details: { undone: decision, note: before?.note },
      },
      ...{ set: decision ? set[decision] : nobody, while: decision ? isAsBefore[decision] : nothing },
    });
    if (decision !== 'CHECKED') await this.recomparison.again(caller.restaurantId, fileId, this.stopping);
    return this.differences.row(fileId, line);
  }

  private async decide({
    caller,
    fileId,
    line,
    action,
    details,
    set,
    while: isOpen,
  }: Deciding): Promise<DifferenceView> {
    const { restaurantId } = caller;
    const { name, matchedAt } = await storedFile(this.prisma, restaurantId, fileId);
    if (!matchedAt) throw notConfirmed();
    await this.prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      const [row] = await tx.$queryRaw<{ reference: string | null; cents: bigint }[]>`
        UPDATE terminal_file_rows SET ${set} WHERE ${rowsOf(fileId)} AND line = ${line}::int AND ${isOpen}
        RETURNING reference, cents`;
      if (!row) throw await this.notOpen(tx, fileId, line);
      await this.rows.summarise(tx, fileId);
      await tx.$executeRaw`
        UPDATE terminal_files SET matched_at = matched_at + interval '1 millisecond' WHERE id = ${fileId}::uuid`;
      const said = { line, reference: row.reference, cents: Number(row.cents), ...details };
      await this.audit.record(tx, caller, { action, restaurantId, target: name, details: { file: fileId, ...said } });
    });
    return this.differences.row(fileId, line);
  }

  private async notOpen(tx: Prisma.TransactionClient, fileId: string, line: number) {
    const [row] = await tx.$queryRaw<{ answer: string }[]>`
      SELECT answer FROM terminal_file_rows WHERE ${rowsOf(fileId)} AND line = ${line}::int`;
    if (!row) return problem('NOT_FOUND', 'the file has no such row');
    return problem(FILE_CODES.ROW_NOT_OPEN, `the row is ${row.answer} by now; read it again`);
  }
}

type Undone = Decision | 'REFUSED';

/** A sale belongs to one row: a suggestion may be out of date. */
const suggested = (transactionKey: string) => Prisma.sql`answer = 'SUGGESTED' AND event_key = ${transactionKey}
  AND NOT EXISTS (SELECT FROM terminal_file_rows other
    WHERE other.restaurant_id = terminal_file_rows.restaurant_id AND other.event_key = terminal_file_rows.event_key
      AND other.answer IN ('MATCHED', 'AMOUNT_DIFFERS', 'ENTERED') AND ${isCounted('other')})`;
