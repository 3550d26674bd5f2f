import { refusalLine, type Said } from '../../domain/acceptance.js';
import type { Subject } from '../../domain/cause.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import { errorLine } from '../../platform/redaction/error-line.js';
import { isReadable } from './offer.js';

/**
 * What became of a statement of the POS. `same`: it has said so before; `open`: the order was not delivered to it; `earlier`: it names an event
 * that was refused; `unclear`: it may be about an earlier offer of an order that was sent again (Q23).
 */
export type Hearing = 'new' | 'same' | 'cancelled' | 'refused' | 'open' | 'not_cancelled' | 'earlier' | 'unclear';

/** The order that a statement of the POS is about. */
export interface HeardOrder {
  readonly hearing: Hearing;
  readonly eventKey: string;
  readonly restaurantId: string;
  readonly restaurantName: string;
  /** REFUSED: whether the order was parked; false: somebody has settled it by hand */
  readonly isParked: boolean;
  /** REFUSED: `lastError` */
  readonly error: string;
}

/** Lengths of the texts that are kept (L266). */
const MOST = { number: 100, code: 100, reason: 500 };

/**
 * SQL: whether a statement that names no event is about the present offer of an order that was refused before (Q23): that was acknowledged before
 * the request arrived. A request may wait here for longer than its sender does.
 */
const FOLLOWS_ACKNOWLEDGEMENT = `status = 'SENT' AND updated_at <= now() - $14::int * interval '1 millisecond'`;

/**
 * Records what the POS says, once for each state and offer, and makes the move `refuse` (Q16): a refused order leaves SENT, or stays parked, with the
 * cause `refused`.
 */
const SAY = preparedStatement(
  'pos_says',
  `WITH job AS MATERIALIZED (
    SELECT job.id, job.event_key, job.restaurant_id, job.status, job.cause, job.updated_at, job.withdrawn
    FROM live_pos_credentials credential
    JOIN outbox_jobs job ON job.id = $2::uuid AND job.restaurant_id = credential.restaurant_id AND job.action = 'CREATE'
    WHERE credential.id = $1::uuid AND ${isReadable('job')} FOR UPDATE OF job
  ), heard AS MATERIALIZED (
    SELECT job.*, refusals, CASE
      WHEN $3::text = 'CANCELLED' THEN CASE WHEN withdrawn OR cancelled THEN 'new' ELSE 'not_cancelled' END
      WHEN withdrawn OR cancelled THEN 'cancelled'
      WHEN status = 'DLQ' AND cause = 'refused' AND refusals > 0 THEN 'refused'
      WHEN $13::uuid <> coalesce(offered_as, id) THEN 'earlier'
      WHEN $13::uuid IS NULL AND refusals > 0 AND NOT (${FOLLOWS_ACKNOWLEDGEMENT}) THEN CASE
        WHEN status IN ('PROCESSING', 'SENT') OR (status IN ('PENDING', 'FAILED') AND EXISTS (
          SELECT FROM delivery_attempts offered WHERE offered.job_id = job.id AND offered.started_at > refused_at)) THEN 'unclear'
        ELSE 'refused' END
      -- one that was given up may have arrived: its POS knows better
      WHEN status IN ('SENT', 'DLQ') THEN 'new'
      ELSE 'open' END AS hearing
    -- read after the lock
    FROM job CROSS JOIN LATERAL order_by_now(id, event_key, restaurant_id)
  ), said AS (
    INSERT INTO pos_acceptances (id, restaurant_id, job_id, offer, state, number, reason, code, items, preparation_minutes, offered_as, acknowledged_at)
    SELECT $4::uuid, restaurant_id, id, refusals, $3, $5, $6, $7, $8::text[], $9::int, CASE WHEN $3 = 'REFUSED' THEN $10::uuid END,
      -- its event was that of the cancel
      CASE WHEN $3 = 'CANCELLED' THEN now() END
    FROM heard WHERE hearing = 'new'
    ON CONFLICT (job_id, offer, state) DO NOTHING
    RETURNING job_id
  ), refused AS (
    UPDATE outbox_jobs job
    SET status = 'DLQ', next_run_at = NULL, last_error = $11, cause = 'refused', subject = $12, updated_at = now()
    FROM said WHERE job.id = said.job_id AND $3 = 'REFUSED' AND job.resolved_at IS NULL
    RETURNING job.id
  )
  SELECT CASE WHEN hearing = 'new' AND NOT EXISTS (SELECT FROM said) THEN 'same' ELSE hearing END AS hearing, event_key AS "eventKey",
    heard.restaurant_id::text AS "restaurantId", (SELECT name FROM restaurants WHERE restaurants.id = heard.restaurant_id) AS "restaurantName",
    EXISTS (SELECT FROM refused) AS "isParked"
  FROM heard`,
);

/**
 * @param waitedMs for how long the request has been here, in ms
 * @returns undefined when the credentials do not work, or their restaurant has no such order
 */
export async function say(
  prisma: PrismaService,
  credentialId: string,
  orderId: string,
  said: Said,
  waitedMs: number,
): Promise<HeardOrder | undefined> {
  const { state, number, reason, code, items = [], preparationMinutes, eventId = null } = said;
  const error = errorLine(refusalLine(said));
  const subject: Subject = items.length > 0 ? 'product' : 'other';
  const [row] = await prisma.prepared<Omit<HeardOrder, 'error'>>(SAY, [
    ...[credentialId, orderId, state, uuidV7()],
    ...[kept(number, MOST.number), kept(reason, MOST.reason), kept(code, MOST.code)],
    ...[items, preparationMinutes ?? null, uuidV7(), error, subject, eventId, Math.floor(waitedMs)],
  ]);
  return row && { ...row, error };
}

function kept(text: string | undefined, most: number): string | null {
  return text === undefined ? null : errorLine(text).slice(0, most).toWellFormed();
}

/** What the POS has said of its orders, and does not know that the relay knows (Q17). */
const ACKNOWLEDGE = preparedStatement(
  'pos_said_acknowledged',
  `UPDATE pos_acceptances SET acknowledged_at = now()
   WHERE id = ANY ($2::uuid[]) AND restaurant_id = $1::uuid AND acknowledged_at IS NULL`,
);

/** Ends the events of these ids, of this restaurant only (Q17). */
export async function acknowledgeSaid(
  prisma: PrismaService,
  restaurantId: string,
  ids: readonly string[],
): Promise<void> {
  await prisma.prepared(ACKNOWLEDGE, [restaurantId, ids]);
}
