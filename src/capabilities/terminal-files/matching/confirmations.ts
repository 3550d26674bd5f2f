import { Injectable } from '@nestjs/common';
import { auditAction } from '../../../platform/audit/actions.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { problem, problemWithFigures } from '../../../platform/http/problem.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { Link } from '../../../user-links/restaurant.guard.js';
import { FILE_CODES } from '../error-codes.js';
import { FileQueue } from '../reading/file-queue.js';
import { type FileClaim, isDoubtful } from '../rules/file-claim.js';
import { daysOf, type FileDays, type Mapping, MOST_DAYS } from '../rules/terminal-file.js';
import { checkMapping, contentOf, notOpen, plainMapping, storedFile } from '../stored-file.js';
import type { Compared } from './compare-file.js';
import { Comparison } from './comparison.js';

const TERMINAL_FILE_CONFIRMED = auditAction('terminal_file.confirmed', { mostInADay: 500 });

/** Another file of the restaurant may be confirmed while this one is compared: then it is compared again. */
const TRIES = 5;

/** What a person says of a file beside its mapping. */
export interface Said {
  /** the days; undefined: those of the sales */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** that the payments which are not found never reached the relay, also when they are many (J19) */
  readonly claim?: boolean | undefined;
}

/** Confirms files (J8). */
@Injectable()
export class Confirmations {
  constructor(
    private readonly prisma: PrismaService,
    private readonly comparison: Comparison,
    private readonly queue: FileQueue,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * Reads a file with a mapping, compares its rows, and keeps both. Nothing is read within the transaction that writes: on the embedded
   * database sales wait for it.
   * @throws 400, 404, 409 FILE_CONFIRMED, 409 FEW_SALES_FOUND, 422 FILE_REFUSED; as {@link FileQueue.run}; the database's error
   */
  confirm(caller: Link, fileId: string, given: Mapping, said: Said, gone: AbortSignal): Promise<void> {
    return this.queue.run(caller, gone, () => this.compared(caller, fileId, given, said, gone));
  }

  private async compared(caller: Link, fileId: string, given: Mapping, said: Said, gone: AbortSignal): Promise<void> {
    const { restaurantId } = caller;
    const stored = await storedFile(this.prisma, restaurantId, fileId);
    const content = contentOf(stored);
    checkMapping(given, stored.columns);
    const mapping = plainMapping(given);
    const { name, clock, columns, currency } = stored;
    const input = { content, rules: { columns, mapping, currency }, clock };
    const file = { fileId, restaurantId, clock };
    for (let tries = 1; ; tries++) {
      const before = await lastComparison(this.prisma, restaurantId);
      const compared = await this.comparison.compareNew(file, input, (own) => chosenDays(own, said), gone);
      if (said.claim !== true && isDoubtful(compared.claim)) throw fewSalesFound(compared.claim);
      if (await this.write(caller, { fileId, name, mapping, compared, before })) return;
      if (tries === TRIES)
        throw problem(FILE_CODES.TOO_MANY_UPLOADS, 'other files are being confirmed: send it again', 5);
    }
  }

  /** @returns false when another file was compared meanwhile: nothing is written */
  private async write(caller: Link, { fileId, name, mapping, compared, before }: Confirmed): Promise<boolean> {
    const { restaurantId } = caller;
    const { days } = compared;
    const isWritten = await this.prisma.$transaction(async (tx) => {
      // one comparison of a restaurant is written at a time; a sale does not wait for this lock
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      if ((await lastComparison(tx, restaurantId)) !== before) return false;
      const taken = await tx.$executeRaw`
        UPDATE terminal_files SET confirmed_at = now(), confirmed_by = ${caller.userId}::uuid, matched_at = now(), content = NULL,
          mapping = ${JSON.stringify(mapping)}::jsonb, from_day = ${days.from}::date, to_day = ${days.to}::date
        WHERE id = ${fileId}::uuid AND restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NULL`;
      if (taken === 0) throw await notOpen(tx, restaurantId, fileId);
      await this.comparison.insert(tx, { fileId, restaurantId }, compared);
      await this.comparison.replaceMissingThere(tx, fileId, compared);
      await this.comparison.summarise(tx, fileId);
      const details = { ...days, rows: compared.count, missingHere: compared.missingHere };
      await this.audit.record(tx, caller, { action: TERMINAL_FILE_CONFIRMED, restaurantId, target: name, details });
      return true;
    });
    if (isWritten) this.log.info({ event: 'terminal_file.confirmed', restaurantId, fileId, user: caller.userId });
    return isWritten;
  }
}

interface Confirmed {
  readonly fileId: string;
  readonly name: string;
  readonly mapping: Mapping;
  readonly compared: Compared;
  readonly before: string;
}

/** The last comparison of a restaurant: another text after each. */
export async function lastComparison(db: Prisma.TransactionClient, restaurantId: string): Promise<string> {
  const [row] = await db.$queryRaw<{ last: string }[]>`
    SELECT count(*) || '/' || coalesce(max(matched_at)::text, '') AS last FROM terminal_files
    WHERE restaurant_id = ${restaurantId}::uuid AND matched_at IS NOT NULL`;
  return row?.last ?? '';
}

function fewSalesFound({ sales, missing, missingCents }: FileClaim) {
  const text = `it would say that ${missing} of ${sales} payments, ${(missingCents / 100).toFixed(2)}, never reached the relay`;
  const asked = 'check the mapping, or send `claim`: true to say so';
  return problemWithFigures(FILE_CODES.FEW_SALES_FOUND, `${text}: ${asked}`, { sales, missing, missingCents });
}

/** @throws 400 when the days are none, or too many */
function chosenDays(own: FileDays | null, { from = own?.from, to = own?.to }: Said): FileDays {
  const refuse = (text: string) => problem('VALIDATION_FAILED', [text]);
  if (from === undefined || to === undefined)
    throw refuse('from and to are required: with this mapping no row is a sale');
  if (from > to) throw refuse('from must not be after to');
  if (daysOf({ from, to }) > MOST_DAYS)
    throw refuse(`from and to must be at most ${MOST_DAYS} days: check the date in the mapping, or name the days`);
  return { from, to };
}
