import { Injectable } from '@nestjs/common';
import { auditAction } from '../../../platform/audit/actions.js';
import { AuditTrail } from '../../../platform/audit/audit-trail.js';
import { Prisma } from '../../../platform/database/generated/client.js';
import { PrismaService } from '../../../platform/database/prisma.service.js';
import { FileQueue } from '../../../platform/files/file-queue.js';
import { problem, problemWithFigures } from '../../../platform/http/problem.js';
import { Log } from '../../../platform/telemetry/log.js';
import type { Link } from '../../../user-links/restaurant.guard.js';
import { FILE_CODES } from '../error-codes.js';
import { type FileClaim, isDoubtful } from '../rules/file-claim.js';
import { daysOf, type FileDays, type Mapping, MOST_DAYS } from '../rules/terminal-file.js';
import { checkMapping, confirmed, contentOf, noSuchFile, notOpen, plainMapping, storedFile } from '../stored-file.js';
import type { Compared } from './compare-file.js';
import { Comparison } from './comparison.js';
import { forget } from './decisions-reader.js';
import type { Answered } from './file-questions.js';
import { FileRows } from './file-rows.js';
import { lastComparison } from './last-comparison.js';
import { Recomparison } from './recomparison.js';

const TERMINAL_FILE_CONFIRMED = auditAction('terminal_file.confirmed', { mostInADay: 500 });
/** A confirmed file was read again with another mapping. */
const TERMINAL_FILE_READ_AGAIN = auditAction('terminal_file.read_again', { mostInADay: 500 });

/** The confirmed files of a restaurant whose cells are kept (L210). */
const MOST_KEPT = 20;
/** Another file of the restaurant may be confirmed while this one is compared: then it is compared again. */
const TRIES = 5;

/** How a person confirms a file. */
export interface Confirmation {
  readonly mapping: Mapping;
  readonly named: NamedDays;
  /** that the payments which are not found never reached the relay, also when they are many (J21) */
  readonly claim: boolean;
  /** a file that is confirmed already is read again (J19) */
  readonly again: boolean;
}

/** The days that a person names; undefined: those of the sales. */
export interface NamedDays {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Confirms files (J8). */
@Injectable()
export class Confirmations {
  constructor(
    private readonly prisma: PrismaService,
    private readonly comparison: Comparison,
    private readonly rows: FileRows,
    private readonly recomparison: Recomparison,
    private readonly queue: FileQueue,
    private readonly audit: AuditTrail,
    private readonly log: Log,
  ) {}

  /**
   * Reads a file with a mapping, compares its rows, and keeps both. A file that is confirmed is read again, with what people decided about its
   * rows. Nothing is read within the transaction that writes, and the rows are added before it: on the embedded database sales wait for it.
   * @throws 400, 404, 409 FILE_CONFIRMED, 409 FEW_SALES_FOUND, 422 FILE_REFUSED; as {@link FileQueue.run}; the database's error
   */
  confirm(caller: Link, fileId: string, confirmation: Confirmation, gone: AbortSignal): Promise<void> {
    return this.queue.run(caller, gone, () => this.compared(caller, fileId, confirmation, gone));
  }

  private async compared(
    caller: Link,
    fileId: string,
    { mapping: given, named, claim, again }: Confirmation,
    gone: AbortSignal,
  ): Promise<void> {
    const { restaurantId } = caller;
    const stored = await storedFile(this.prisma, restaurantId, fileId);
    const isConfirmed = stored.matchedAt !== null;
    if (isConfirmed && !again) throw confirmed();
    const content = contentOf(stored);
    checkMapping(given, stored.columns);
    const mapping = plainMapping(given);
    const { name, clock, columns, currency } = stored;
    const input = { content, rules: { columns, mapping, currency }, clock };
    const file = { fileId, restaurantId, clock };
    for (let tries = 1; ; tries++) {
      const before = await lastComparison(this.prisma, restaurantId);
      let reading = 0;
      const answered: Answered = {
        claim: async (found) => {
          if (!claim && isDoubtful(found)) throw fewSalesFound(found);
          reading = await this.begun(restaurantId, fileId);
        },
        rows: (some) => this.rows.add(fileId, reading, some),
        missingThere: (some) => this.rows.addMissingThere(fileId, reading, some),
      };
      const compared = await this.comparison.compareNew(file, input, (own) => chosenDays(own, named), answered, gone);
      const replaces = isConfirmed ? stored.reading : null;
      const isWritten = await this.write(caller, { fileId, name, mapping, compared, before, reading, replaces });
      await this.rows.removeOthers(fileId, reading);
      if (isWritten) {
        this.log.info({
          event: 'terminal_file.confirmed',
          restaurantId,
          fileId,
          user: caller.userId,
          again: isConfirmed,
        });
        if (isConfirmed) await this.recomparison.repeatsOf(restaurantId, fileId, gone);
        return;
      }
      if (tries === TRIES)
        throw problem(FILE_CODES.TOO_MANY_UPLOADS, 'other files are being confirmed: send it again', 5);
    }
  }

  /** @throws 404 */
  private async begun(restaurantId: string, fileId: string): Promise<number> {
    const reading = await this.rows.begin(restaurantId, fileId);
    if (reading === null) throw noSuchFile();
    return reading;
  }

  /** @returns false when another file was compared meanwhile: nothing is written */
  private write(
    caller: Link,
    { fileId, name, mapping, compared, before, reading, replaces }: Confirmed,
  ): Promise<boolean> {
    const { restaurantId } = caller;
    const { days, found } = compared;
    return this.prisma.$transaction(async (tx) => {
      // one comparison of a restaurant is written at a time; a sale does not wait for this lock
      await tx.$queryRaw`SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid FOR NO KEY UPDATE`;
      if ((await lastComparison(tx, restaurantId)) !== before) return false;
      const isAsBefore =
        replaces === null
          ? Prisma.sql`confirmed_at IS NULL`
          : Prisma.sql`confirmed_at IS NOT NULL AND reading = ${replaces}::int`;
      const taken = await tx.$executeRaw`
        UPDATE terminal_files SET confirmed_at = now(), confirmed_by = ${caller.userId}::uuid, reading = ${reading}::int,
          matched_at = greatest(now(), matched_at + interval '1 millisecond'),
          mapping = ${JSON.stringify(mapping)}::jsonb, from_day = ${days.from}::date, to_day = ${days.to}::date
        WHERE id = ${fileId}::uuid AND restaurant_id = ${restaurantId}::uuid AND content IS NOT NULL AND ${isAsBefore}`;
      if (taken === 0) throw await notOpen(tx, restaurantId, fileId);
      await this.rows.summarise(tx, fileId);
      await forget(tx, restaurantId, found);
      await tx.$executeRaw`
        UPDATE terminal_files SET content = NULL
        WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NOT NULL AND content IS NOT NULL AND id NOT IN (
          SELECT id FROM terminal_files WHERE restaurant_id = ${restaurantId}::uuid AND confirmed_at IS NOT NULL
          ORDER BY confirmed_at DESC, id LIMIT ${MOST_KEPT}::int)`;
      const details = { ...days, rows: compared.count, missingHere: compared.missingHere };
      const action = replaces === null ? TERMINAL_FILE_CONFIRMED : TERMINAL_FILE_READ_AGAIN;
      await this.audit.record(tx, caller, { action, restaurantId, target: name, details });
      return true;
    });
  }
}

interface Confirmed {
  readonly fileId: string;
  readonly name: string;
  readonly mapping: Mapping;
  readonly compared: Compared;
  readonly before: string;
  readonly reading: number;
  /** the reading that counts until now; null: the file is not confirmed */
  readonly replaces: number | null;
}

function fewSalesFound({ sales, missing, missingCents }: FileClaim) {
  const text = `it would say that ${missing} of ${sales} payments, ${(missingCents / 100).toFixed(2)}, never reached the relay`;
  const asked = 'check the mapping, or confirm it without `claim`: false';
  return problemWithFigures(FILE_CODES.FEW_SALES_FOUND, `${text}: ${asked}`, { sales, missing, missingCents });
}

/** @throws 400 when the days are none, or too many */
function chosenDays(own: FileDays | null, { from = own?.from, to = own?.to }: NamedDays): FileDays {
  const refuse = (text: string) => problem('VALIDATION_FAILED', [text]);
  if (from === undefined || to === undefined)
    throw refuse('from and to are required: with this mapping no row is a sale');
  if (from > to) throw refuse('from must not be after to');
  if (daysOf({ from, to }) > MOST_DAYS)
    throw refuse(`from and to must be at most ${MOST_DAYS} days: check the date in the mapping, or name the days`);
  return { from, to };
}
