import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PARKED } from '../../outbox/parked.sql.js';
import { WAITS_SINCE } from '../../outbox/waits-since.sql.js';
import { AHEAD, agreesWith, DatabaseClock } from '../../platform/database/clock.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { roundLock } from '../../platform/schedule/round-lock.js';
import { Rounds } from '../../platform/schedule/rounds.js';
import { Log } from '../../platform/telemetry/log.js';
import { DAY_BEGAN, MOST_OFFERS, NEEDS_PAPER, OFFER_LASTS } from './day.sql.js';

/** How often the round runs, in ms (L30). */
const ROUND_INTERVAL_MS = 15_000;
/** The most tickets that one round creates, a small number so that no statement delays the worker. */
const BATCH = 500;
/** One instance at a time. */
const TAKE_TURN = `SELECT pg_try_advisory_xact_lock(${roundLock('tickets.round')}) AS taken`;

/** Whether anything is to do. Without a printer this is all that a round reads. */
const NEEDED = preparedStatement(
  'tickets_needed',
  `SELECT EXISTS (SELECT 1 FROM printers)
       OR EXISTS (SELECT 1 FROM tickets WHERE state IN ('WAITING', 'OFFERED')) AS needed`,
);

/**
 * Ends the tickets whose orders need no paper any more (EXPIRED), and those that no printer confirmed (FAILED). A ticket that is on offer is
 * left alone: the printer may be printing it. Nothing ends while the clocks differ (S36): $1.
 */
const END_TICKETS = `
UPDATE tickets SET
  state = (CASE WHEN ended.needed THEN 'FAILED' ELSE 'EXPIRED' END)::ticket_state,
  failure = CASE WHEN ended.needed THEN 'unconfirmed' END
FROM (
  SELECT ticket.id, (job.id IS NOT NULL AND ${NEEDS_PAPER}) AS needed
  FROM tickets ticket
  JOIN restaurants restaurant ON restaurant.id = ticket.restaurant_id
  LEFT JOIN outbox_jobs job ON job.id = ticket.job_id
  WHERE (ticket.state = 'WAITING' OR (ticket.state = 'OFFERED' AND ticket.offered_at NOT BETWEEN now() - ${OFFER_LASTS} AND ${AHEAD}))
    AND ${agreesWith('$1')} AND (job.id IS NULL OR NOT (${NEEDS_PAPER}) OR ticket.offers >= ${MOST_OFFERS})
) AS ended
WHERE tickets.id = ended.id AND tickets.state IN ('WAITING', 'OFFERED')`;

/**
 * Creates the tickets of K1: two halves of jobs, because there are two partial indexes. Test sales (W21) and refunds (M15) are nothing to
 * cook.
 */
const CREATE_TICKETS = `
INSERT INTO tickets (id, job_id, restaurant_id, reason)
SELECT gen_random_uuid(), job.id, restaurant.id, job.reason
FROM (SELECT id, ${DAY_BEGAN} AS began_at FROM restaurants restaurant
      WHERE id IN (SELECT restaurant_id FROM printers) OFFSET 0) AS restaurant
CROSS JOIN LATERAL (
  SELECT id, event_key, created_at, 'PARKED'::ticket_reason AS reason FROM outbox_jobs
  WHERE restaurant_id = restaurant.id AND ${PARKED.sql} AND updated_at >= restaurant.began_at
    AND action = 'CREATE' AND cause IS DISTINCT FROM 'refund'
  UNION ALL
  SELECT id, event_key, created_at, 'LATE'::ticket_reason FROM outbox_jobs
  WHERE restaurant_id = restaurant.id AND status IN ('PENDING', 'FAILED') AND NOT withdrawn
    AND action = 'CREATE' AND ${WAITS_SINCE} < now() - interval '3 minutes'
) AS job
WHERE job.created_at >= restaurant.began_at
  AND NOT EXISTS (SELECT 1 FROM tickets WHERE tickets.job_id = job.id)
  AND NOT (SELECT test_mode FROM terminal_events event
           WHERE event.transaction_key = job.event_key AND event.restaurant_id = restaurant.id)
ORDER BY job.created_at LIMIT ${BATCH}
ON CONFLICT DO NOTHING`;

/**
 * Creates and ends tickets (K1, K2). A round looks at the state of the orders and remembers nothing, so that a missed round loses nothing
 * and the road of an order has no statement for it.
 */
@Injectable()
export class TicketRounds implements OnModuleInit {
  constructor(
    private readonly prisma: PrismaService,
    private readonly clock: DatabaseClock,
    private readonly rounds: Rounds,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.rounds.add({ name: 'tickets.round', everyMs: ROUND_INTERVAL_MS, on: 'workers', run: () => this.run() });
  }

  /**
   * One round, unless another instance is at it.
   * @returns how many tickets were created
   * @throws the database's error
   */
  async run(): Promise<number> {
    const [row] = await this.prisma.prepared<{ needed: boolean }>(NEEDED, []);
    if (!row?.needed) return 0;
    const created = await this.prisma.$transaction(async (tx) => {
      const [turn] = await tx.$queryRawUnsafe<{ taken: boolean }[]>(TAKE_TURN);
      if (!turn?.taken) return 0;
      await tx.$executeRawUnsafe(END_TICKETS, this.clock.trusted);
      return tx.$executeRawUnsafe(CREATE_TICKETS);
    });
    if (created > 0) this.log.info({ event: 'tickets.created', created });
    return created;
  }
}
