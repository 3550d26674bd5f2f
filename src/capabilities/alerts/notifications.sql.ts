import { rolesWith } from '../../domain/role.js';
import { AHEAD } from '../../platform/database/clock.js';
import { preparedStatement } from '../../platform/database/prepared.js';
import { roundLock } from '../../platform/schedule/round-lock.js';
import { ACKNOWLEDGE_PERMISSIONS, CLOSING_STEP } from './alert.js';

/** One instance at a time claims: a recipient gets one message, not one from each instance. */
const TURN = roundLock('alerts.notifications');
/** A process that has not settled a message within this time has ended. */
const CLAIM_VALID = "interval '60 seconds'";
/** No try waits longer: five pauses, or as long as the other side asks, 1 h at most. Quiet hours end within a day. */
const LONGEST_PAUSE = "interval '75 minutes'";
const LONGEST_QUIET = "interval '25 hours'";
/** The most recipients of one claim. */
const BATCH = 50;

/** Roles that may acknowledge (G9). */
const ROLES = rolesWith(...ACKNOWLEDGE_PERMISSIONS)
  .map((role) => `'${role}'`)
  .join(', ');

/**
 * Claims the notifications that are due, for the recipients that may get a message now (G8): one a minute, 5 in 15 minutes, 11 an hour over each
 * channel. All that is due for a recipient is claimed together and becomes one message. What nobody needs any more is skipped. $1 is the
 * id of the claim, $2 the kinds of alerts that this process has loaded. What was written while the clock was ahead is due, and has told nobody lately (G42).
 */
export const CLAIM_NOTIFICATIONS = preparedStatement(
  'notifications',
  `
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${TURN}) AS mine),
due AS MATERIALIZED (
  SELECT each.id, channel, recipient, state, each.step <> ${CLOSING_STEP} AND (closed_at IS NOT NULL OR acknowledged_at IS NOT NULL) AS is_over
  FROM notifications each JOIN alerts ON alerts.id = alert_id
  WHERE state IN ('WAITING', 'SENDING') AND (SELECT mine FROM turn)
    AND alerts.kind = ANY ($2::text[])
    AND CASE state
          WHEN 'WAITING' THEN next_try_at <= now() OR coalesce(claimed_at, each.created_at) > ${AHEAD}
            OR next_try_at > now() + CASE attempts WHEN 0 THEN ${LONGEST_QUIET} ELSE ${LONGEST_PAUSE} END
          ELSE claimed_at NOT BETWEEN now() - ${CLAIM_VALID} AND ${AHEAD} END
),
skipped AS (
  UPDATE notifications SET state = 'SKIPPED', claim = NULL, ended_at = now() WHERE id IN (SELECT id FROM due WHERE is_over)
),
room AS MATERIALIZED (
  SELECT channel, recipient FROM (SELECT DISTINCT channel, recipient FROM due WHERE NOT is_over) AS wanted
  WHERE NOT EXISTS (
      SELECT FROM notifications busy
      WHERE busy.state = 'SENDING' AND busy.claimed_at BETWEEN now() - ${CLAIM_VALID} AND ${AHEAD}
        AND busy.recipient = wanted.recipient AND busy.channel = wanted.channel)
    AND (SELECT count(*) < 11 AND count(*) FILTER (WHERE ended_at > now() - interval '15 minutes') < 5
                AND count(*) FILTER (WHERE ended_at > now() - interval '1 minute') < 1
         FROM notifications past
         WHERE past.state = 'SENT' AND past.recipient = wanted.recipient AND past.channel = wanted.channel
           AND ended_at BETWEEN now() - interval '1 hour' AND ${AHEAD})
  LIMIT ${BATCH}
)
UPDATE notifications AS told
SET state = 'SENDING', claim = $1::uuid, claimed_at = now(), attempts = attempts + 1,
    reason = CASE WHEN due.state = 'SENDING' THEN 'a process ended while it sent this: it may have arrived twice' END
FROM due JOIN room USING (channel, recipient), alerts LEFT JOIN restaurants ON restaurants.id = alerts.restaurant_id
WHERE told.id = due.id AND NOT due.is_over AND alerts.id = told.alert_id
RETURNING told.id::text, told.step, told.channel, told.recipient, told.user_id::text AS "userId", told.language, told.attempts,
          told.created_at AS "createdAt", alerts.id::text AS "alertId", alerts.kind, alerts.cause, alerts.count, alerts.details,
          alerts.restaurant_id::text AS "restaurantId", restaurants.name AS "restaurantName", restaurants.timezone,
          told.user_id IS NOT NULL AND (alerts.restaurant_id IS NULL OR EXISTS (
            SELECT FROM user_restaurants link
            WHERE link.user_id = told.user_id AND link.restaurant_id = alerts.restaurant_id AND link.role IN (${ROLES}))) AS "mayAcknowledge"`,
);
