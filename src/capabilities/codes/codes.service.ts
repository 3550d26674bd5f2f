import { Injectable } from '@nestjs/common';
import type { CodeKind } from '../../domain/pos-codes.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import type { PosCode } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { underLock } from '../../user-links/links.js';
import type { Link } from '../../user-links/restaurant.guard.js';
import type { CodeOfPath } from './code-params.js';
import type { CodeView, SetCodeDto } from './codes.dto.js';
import { saveCodes } from './saved-codes.js';

const CODE_SET = auditAction('code.set', { mostInADay: 10_000 });
const CODE_REMOVED = auditAction('code.removed', { mostInADay: 10_000 });

/** Sets, lists and removes the codes of a restaurant at its POS (I7). */
@Injectable()
export class CodesService {
  constructor(
    private readonly prisma: PrismaService,
    private readonly audit: AuditTrail,
  ) {}

  /** The codes of a restaurant, by kind and code of the terminal. */
  async list(restaurantId: string, kind?: CodeKind): Promise<CodeView[]> {
    const where = { restaurantId, ...(kind && { kind }) };
    const codes = await this.prisma.reports.posCode.findMany({
      where,
      orderBy: [{ kind: 'asc' }, { terminalCode: 'asc' }],
    });
    return codes.map(toView);
  }

  /**
   * Sets a code. It holds for the next order that is sent (I4). A call that changes nothing is not audited.
   * @returns `created`: whether there was none
   * @throws 409 TOO_MANY_CODES
   */
  async set(
    caller: Link,
    { kind, terminalCode }: CodeOfPath,
    { posCode, name }: SetCodeDto,
  ): Promise<{ readonly code: CodeView; readonly created: boolean }> {
    const { restaurantId } = caller;
    return underLock(this.prisma, caller, async (tx) => {
      const [saved] = await saveCodes(tx, caller, [{ kind, terminalCode, posCode, name: name ?? null }]);
      const act = { action: CODE_SET, restaurantId, target: terminalCode, details: { kind, posCode } } as const;
      if (saved) await this.audit.record(tx, caller, act);
      const where = { restaurantId_kind_terminalCode: { restaurantId, kind, terminalCode } };
      return { code: toView(await tx.posCode.findUniqueOrThrow({ where })), created: saved?.created ?? false };
    });
  }

  /** Removes a code: the terminal's own is sent again. @throws 404 when the restaurant has no such code */
  async remove(caller: Link, { kind, terminalCode }: CodeOfPath): Promise<void> {
    const { restaurantId } = caller;
    await underLock(this.prisma, caller, async (tx) => {
      const { count } = await tx.posCode.deleteMany({ where: { restaurantId, kind, terminalCode } });
      if (count === 0) throw problem('NOT_FOUND', 'this restaurant has no such code');
      const act = { action: CODE_REMOVED, restaurantId, target: terminalCode, details: { kind } } as const;
      await this.audit.record(tx, caller, act);
    });
  }
}

function toView({ restaurantId: _, ...code }: PosCode): CodeView {
  return code;
}
