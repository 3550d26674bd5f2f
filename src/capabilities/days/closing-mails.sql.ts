import { AHEAD } from '../../platform/database/clock.js';
import type { Prisma } from '../../platform/database/generated/client.js';
import { preparedStatement } from '../../platform/database/prepared.js';

/** The most closings that one claim takes: of one person they are one mail (L105). */
const BATCH = 50;
/** A process that has not settled a mail within this time has ended (L106). */
const CLAIM_VALID = "interval '60 seconds'";
/** The mails of this number of closings are kept (L107). */
const KEPT = 100;

/**
 * Writes a mail for each OWNER who gets the closings (B12), in the transaction of the closing. No mail is written while the next day is due
 * to be closed too: a relay that catches up with many days sends one mail, about the last. A mail waits a minute for other closings of the
 * same person (L105).
 */
export async function writeMails(
  tx: Prisma.TransactionClient,
  restaurantId: string,
  { number, day }: { readonly number: number; readonly day: string },
): Promise<void> {
  await tx.$executeRaw`
    WITH forgotten AS (
      DELETE FROM closing_mails WHERE restaurant_id = ${restaurantId}::uuid AND number < ${number}::int - ${KEPT}::int
    )
    INSERT INTO closing_mails (restaurant_id, number, user_id, id, next_try_at)
    SELECT restaurants.id, ${number}::int, link.user_id, gen_random_uuid(), now() + interval '1 minute'
    FROM restaurants
    JOIN user_restaurants link ON link.restaurant_id = restaurants.id
    JOIN notification_preferences preferences ON preferences.user_id = link.user_id
    WHERE restaurants.id = ${restaurantId}::uuid AND link.role = 'OWNER' AND link.accepted_at IS NOT NULL
      AND preferences.closings AND preferences.mail AND preferences.mail_confirmed_at IS NOT NULL
      AND (${day}::date + 2 + day_closes_at::time) AT TIME ZONE timezone + interval '2 hours' > now()
    ON CONFLICT DO NOTHING`;
}

/** A mail about a closing that this process sends now. */
export interface ClaimedMail {
  readonly id: string;
  readonly restaurantId: string;
  readonly number: number;
  readonly userId: string;
  readonly attempts: number;
  /** whether the person is still an OWNER who gets the closings */
  readonly isWanted: boolean;
  readonly restaurantName: string;
  /** of the closing; null: somebody has removed it */
  readonly content: string | null;
  readonly hash: string | null;
  /** the last closing whose mail this person got; null: none is known */
  readonly toldBefore: number | null;
}

/**
 * Claims the mails that are due (B12). A mail whose process ended while it was sent has failed: it may have arrived, and the next closing has
 * a newer head. What was written while the clock was ahead is due (G42). $1 is the id of the claim.
 */
export const CLAIM_MAILS = preparedStatement(
  'closing_mails',
  `
WITH lost AS (
  UPDATE closing_mails
  SET state = 'FAILED', claim = NULL, ended_at = now(), reason = 'a process ended while it sent this: it may have arrived'
  WHERE state = 'SENDING' AND claimed_at NOT BETWEEN now() - ${CLAIM_VALID} AND ${AHEAD}
),
due AS MATERIALIZED (
  SELECT restaurant_id, number, user_id FROM closing_mails
  WHERE state = 'WAITING' AND (next_try_at <= now() OR claimed_at > ${AHEAD}
    OR next_try_at > now() + CASE attempts WHEN 0 THEN interval '2 minutes' ELSE interval '75 minutes' END)
  ORDER BY next_try_at, restaurant_id, number LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
)
UPDATE closing_mails AS mail
SET state = 'SENDING', claim = $1::uuid, claimed_at = now(), attempts = attempts + 1
FROM due
LEFT JOIN restaurants ON restaurants.id = due.restaurant_id
LEFT JOIN user_restaurants link ON link.restaurant_id = due.restaurant_id AND link.user_id = due.user_id
LEFT JOIN notification_preferences preferences ON preferences.user_id = due.user_id
LEFT JOIN LATERAL (
  SELECT content, hash FROM business_days WHERE restaurant_id = due.restaurant_id AND number = due.number OFFSET 0
) AS closing ON true
WHERE mail.restaurant_id = due.restaurant_id AND mail.number = due.number AND mail.user_id = due.user_id
RETURNING mail.id::text, mail.restaurant_id::text AS "restaurantId", mail.number, mail.user_id::text AS "userId", mail.attempts,
  coalesce(restaurants.deleted_at IS NULL AND link.role = 'OWNER' AND link.accepted_at IS NOT NULL AND preferences.closings, false) AS "isWanted",
  coalesce(restaurants.name, '') AS "restaurantName", closing.content, closing.hash,
  (SELECT max(past.number) FROM closing_mails past
   WHERE past.restaurant_id = mail.restaurant_id AND past.user_id = mail.user_id AND past.number < mail.number AND past.state = 'SENT') AS "toldBefore"`,
);
