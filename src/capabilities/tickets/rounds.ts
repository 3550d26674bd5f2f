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
/** The most tickets that one round creates, a small number so that no statement delays the worker (L180). */
const BATCH = 500;
/** The most tickets of a restaurant that wait or are on offer (L180): a printer has more than enough for the time between two rounds. */
const MOST_OPEN = 200;
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
 * cook. Each restaurant has the room that its open tickets leave, for its oldest orders; of a full batch those come first whose restaurant then
 * has the fewest open tickets (K12). `OFFSET 0`: the orders are sorted first, and then looked up one by one, no more of them than there is room for.
 */
const CREATE_TICKETS = `
INSERT INTO tickets (id, job_id, restaurant_id, reason)
SELECT gen_random_uuid(), job.id, restaurant.id, job.reason
FROM (SELECT id, ${DAY_BEGAN} AS began_at, paused_until IS NOT NULL OR resuming_until IS NOT NULL AS rests,
        (SELECT count(*) FROM (SELECT FROM tickets
                               WHERE restaurant_id = restaurant.id AND state IN ('WAITING', 'OFFERED') LIMIT ${MOST_OPEN}) AS ticket) AS open
      FROM restaurants restaurant
      WHERE id IN (SELECT restaurant_id FROM printers) OFFSET 0) AS restaurant
CROSS JOIN LATERAL (
  SELECT id, reason, created_at, row_number() OVER (ORDER BY created_at, id) AS place
  FROM (
    SELECT id, reason, created_at
    FROM (
      SELECT id, event_key, created_at, 'PARKED'::ticket_reason AS reason FROM outbox_jobs
      WHERE restaurant_id = restaurant.id AND ${PARKED.sql} AND updated_at >= restaurant.began_at
        AND created_at >= restaurant.began_at AND action = 'CREATE' AND cause IS DISTINCT FROM 'refund'
      UNION ALL
      SELECT id, event_key, created_at, 'LATE'::ticket_reason FROM outbox_jobs
      WHERE restaurant_id = restaurant.id AND status IN ('PENDING', 'FAILED') AND NOT withdrawn
        AND created_at >= restaurant.began_at AND action = 'CREATE' AND ${WAITS_SINCE} < now() - interval '3 minutes'
        AND NOT restaurant.rests
      ORDER BY created_at, id OFFSET 0
    ) AS job
    WHERE NOT EXISTS (SELECT FROM tickets WHERE tickets.job_id = job.id OFFSET 0)
      AND NOT (SELECT test_mode FROM terminal_events event
               WHERE event.transaction_key = job.event_key AND event.restaurant_id = restaurant.id)
    LIMIT ${MOST_OPEN} - restaurant.open
  ) AS job
) AS job
ORDER BY restaurant.open + job.place, job.created_at LIMIT ${BATCH}
ON CONFLICT DO NOTHING`;

/**
 * Creates and ends tickets (K1, K2, K12). A round looks at the state of the orders and remembers nothing, so that a missed round loses nothing
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
