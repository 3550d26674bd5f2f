import { Injectable } from '@nestjs/common';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Config } from '../../platform/config/config.js';
import type { Printer } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { digestOf, newCheckedToken } from '../../platform/secrets/token.js';
import { underLock } from '../../user-links/links.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import { TICKET_CODES } from './error-codes.js';
import { type AddPrinterDto, MAX_PRINTERS, type PrinterAddedView, type PrinterView } from './printers.dto.js';

/** Of the tokens of printers. The checksum of a token keeps texts that were made up from the database (K3). */
export const TOKEN_PREFIX = 'prn_';

const PRINTER_ADDED = auditAction('printer.added', { mostInADay: 500 });
const PRINTER_REMOVED = auditAction('printer.removed');

/** Adds, lists and removes the printers of a restaurant (K3). */
@Injectable()
export class PrintersService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
    private readonly config: Config,
  ) {}

  /**
   * Adds a printer.
   * @returns the printer with its address; only the digest of the token in it is stored
   * @throws 409 TOO_MANY_PRINTERS
   */
  async add(caller: Link, { name, width }: AddPrinterDto): Promise<PrinterAddedView['data']> {
    const token = newCheckedToken(TOKEN_PREFIX);
    const { restaurantId } = caller;
    const printer = await underLock(this.prisma, caller, async (tx) => {
      if ((await tx.printer.count({ where: { restaurantId } })) >= MAX_PRINTERS)
        throw problem(TICKET_CODES.TOO_MANY_PRINTERS, `a restaurant has at most ${MAX_PRINTERS} printers`);
      const tokenHash = digestOf(token);
      const made = await tx.printer.create({ data: { restaurantId, name, width, tokenHash } });
      const details = { printer: made.id, width };
      await this.audit.record(tx, caller, { action: PRINTER_ADDED, restaurantId, target: made.name, details });
      return made;
    });
    return { ...toView(printer, false), address: addressOf(token, this.config) };
  }

  /** The printers of a restaurant, the oldest first. */
  async list(restaurantId: string): Promise<PrinterView[]> {
    const [printers, away] = await Promise.all([
      this.prisma.printer.findMany({ where: { restaurantId }, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] }),
      this.prisma.$queryRaw<{ id: string }[]>`
        SELECT printer_id::text AS id FROM printers_away WHERE restaurant_id = ${restaurantId}::uuid`,
    ]);
    const ids = new Set(away.map(({ id }) => id));
    return printers.map((printer) => toView(printer, ids.has(printer.id)));
  }

  /** Ends a printer: its address is valid no longer. @throws 404 when the restaurant has no such printer */
  async remove(caller: Link, id: string): Promise<void> {
    const { restaurantId } = caller;
    await underLock(this.prisma, caller, async (tx) => {
      const found = await tx.printer.findFirst({ where: { id, restaurantId } });
      if (!found) throw problem('NOT_FOUND', 'there is no such printer');
      await tx.printer.delete({ where: { id } });
      const act = { action: PRINTER_REMOVED, restaurantId, target: found.name, details: { printer: id } } as const;
      await this.audit.record(tx, caller, act);
    });
  }
}

/** Without PUBLIC_URL the relay knows no address of itself that a printer can reach: then only the path. */
function addressOf(token: string, { hasPublicUrl, publicUrl }: Config): string {
  return `${hasPublicUrl ? publicUrl : ''}/print/${token}`;
}

function toView({ id, name, width, status, lastPollAt, createdAt }: Printer, away: boolean): PrinterView {
  return { id, name, width, status, lastPollAt, away, createdAt };
}
