import { Injectable } from '@nestjs/common';
import { SALE_STATES } from '../../domain/order-state.js';
import type { Actor } from '../../platform/audit/actions.js';
import { auditAction } from '../../platform/audit/actions.js';
import { AuditTrail } from '../../platform/audit/audit-trail.js';
import { Config } from '../../platform/config/config.js';
import { DatabaseClock } from '../../platform/database/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { problem } from '../../platform/http/problem.js';
import { Log } from '../../platform/telemetry/log.js';
import { writeMails } from './closing-mails.sql.js';
import { canonical, dayHash } from './day-chain.js';
import { DAY_CODES } from './error-codes.js';
import { type Figures, type NextDay, nextDay, type SealedFigures, sealChanges, sealSales } from './seal.sql.js';

/** A person closed a business day. */
const DAY_CLOSED = auditAction('day.closed');

/** The name of the relay where a closing says who closed it. */
export const RELAY = 'relay';

/** Counts of a closing, and the hashes of the rows that it seals. */
interface Rows {
  readonly salesCount: number;
  readonly salesHash: string;
  readonly linesCount: number;
  readonly linesHash: string;
}

/** Closes business days (B1 to B5). One transaction writes a closing, its sales, its lines, the audit entry and the mails. */
@Injectable()
export class DayCloser {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly audit: AuditTrail,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Closes a day for a person.
   * @throws 409 DAY_CLOSED, DAY_NOT_OVER, or DAY_NOT_NEXT when an earlier day is open
   */
  async close(restaurantId: string, day: string, actor: Actor): Promise<void> {
    await this.inTransaction(restaurantId, actor, 'waits', (next) => {
      if (day < next.day) throw problem(DAY_CODES.DAY_CLOSED, closedText(day, next));
      if (day > next.day)
        throw problem(DAY_CODES.DAY_NOT_NEXT, `close ${next.day} first: days are closed in their order`);
      if (!next.isOver) throw problem(DAY_CODES.DAY_NOT_OVER, `${day} ends at ${next.endsAt.toISOString()}`);
    });
  }

  /**
   * Closes a day for the relay, unless somebody else has closed it or is about to, or the clocks differ (B19).
   * @returns whether it closed the day
   * @throws the database's error
   */
  closeByItself(restaurantId: string, day: string): Promise<boolean> {
    return this.inTransaction(restaurantId, null, 'skips', (next) => {
      return day === next.day && next.isOver && this.clock.agrees(next.now);
    });
  }

  /** @param may returns false to leave the day open; throws to refuse */
  private async inTransaction(
    restaurantId: string,
    actor: Actor | null,
    lock: 'waits' | 'skips',
    // biome-ignore lint/suspicious/noConfusingVoidType: a caller that throws returns nothing
    may: (next: NextDay) => boolean | void,
  ): Promise<boolean> {
    const closed = await this.prisma.$transaction(async (tx) => {
      if (!(await lockRestaurant(tx, restaurantId, lock))) return undefined;
      const next = await nextDay(tx, restaurantId);
      if (!next || may(next) === false) return undefined;
      return this.seal(tx, restaurantId, next, actor);
    });
    if (closed) this.log.info({ event: 'day.closed', restaurantId, ...closed, user: actor?.userId });
    return closed !== undefined;
  }

  private async seal(tx: Prisma.TransactionClient, restaurantId: string, next: NextDay, actor: Actor | null) {
    const { number, day, previous, now } = next;
    const figures = await sealSales(tx, restaurantId, next);
    if (number > 1) await sealChanges(tx, restaurantId, next);
    const content = contentOf(restaurantId, next, figures, await rowsOf(tx, restaurantId, number), actor);
    const hash = dayHash(previous, content);
    await tx.$executeRaw`
      INSERT INTO business_days (restaurant_id, number, day, closed_at, closed_by, content, previous, hash)
      VALUES (${restaurantId}::uuid, ${number}::int, ${day}::date, ${now}::timestamptz, ${actor?.userId ?? null}::uuid, ${content},
              ${previous}, ${hash})`;
    const closed = { day, number, hash };
    if (this.config.alerts.mail) await writeMails(tx, restaurantId, next);
    if (actor)
      await this.audit.record(tx, actor, {
        action: DAY_CLOSED,
        restaurantId,
        target: day,
        details: { number, hash },
      });
    return closed;
  }
}

/**
 * Takes the lock of the closings of a restaurant (B3): no other closing, and no change of the restaurant, runs beside it. The statement that
 * stores a sale takes a weaker lock on this row, and does not wait.
 */
async function lockRestaurant(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  lock: 'waits' | 'skips',
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 AS locked FROM restaurants WHERE id = ${restaurantId}::uuid AND deleted_at IS NULL
    FOR NO KEY UPDATE ${lock === 'skips' ? Prisma.sql`SKIP LOCKED` : Prisma.empty}`;
  return rows.length > 0;
}

function closedText(day: string, { number, day: next }: NextDay): string {
  return number === 1 ? `the first day that is closed is ${next}` : `${day} is closed`;
}

async function rowsOf(tx: Prisma.TransactionClient, restaurantId: string, number: number): Promise<Rows> {
  const [rows] = await tx.$queryRaw<Rows[]>`
    SELECT (SELECT count(*)::int FROM day_sales WHERE restaurant_id = ${restaurantId}::uuid AND number = ${number}::int) AS "salesCount",
           day_sales_hash(${restaurantId}::uuid, ${number}::int) AS "salesHash",
           (SELECT count(*)::int FROM day_lines WHERE restaurant_id = ${restaurantId}::uuid AND number = ${number}::int) AS "linesCount",
           day_lines_hash(${restaurantId}::uuid, ${number}::int) AS "linesHash"`;
  return rows as Rows;
}

/** What is hashed of a closing (B4). The order of the keys is part of the format: it never changes. */
function contentOf(
  restaurantId: string,
  next: NextDay,
  { states, tenders, tipCents, serviceFeeCents, tipTenders }: SealedFigures,
  { salesCount, salesHash, linesCount, linesHash }: Rows,
  actor: Actor | null,
): string {
  const sales = sumOf(states.filter(({ kind }) => kind === 'SALE'));
  const refunds = sumOf(states.filter(({ kind }) => kind === 'REFUND'));
  const net = sales.cents + refunds.cents;
  const inState = (name: string) => sumOf(states.filter(({ kind, state }) => kind === 'SALE' && state === name));
  // closings without such sales have no such figures, as those of versions before
  const resolved = inState('resolved').count > 0 ? (['resolved'] as const) : [];
  return canonical({
    restaurant: restaurantId,
    number: next.number,
    day: next.day,
    beginsAt: next.beginsAt.toISOString(),
    endsAt: next.endsAt.toISOString(),
    timezone: next.timezone,
    dayClosesAt: next.dayClosesAt,
    currency: next.currency ?? '',
    closedAt: next.now.toISOString(),
    closedBy: actor?.userId ?? RELAY,
    sales: { ...sales },
    refunds: { ...refunds },
    netCents: net,
    perpetualCents: next.perpetual + net,
    states: Object.fromEntries([...SALE_STATES, ...resolved].map((state) => [state, { ...inState(state) }])),
    tenders,
    salesCount,
    salesHash,
    linesCount,
    linesHash,
    // closings of versions before end here (B22)
    ...{ tipCents, serviceFeeCents, tipTenders },
  });
}

function sumOf(figures: readonly Figures[]): Figures {
  return figures.reduce((sum, { count, cents }) => ({ count: sum.count + count, cents: sum.cents + cents }), {
    count: 0,
    cents: 0n,
  });
}
