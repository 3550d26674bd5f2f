import { AHEAD } from '../../platform/database/clock.js';
import { type PreparedStatement, preparedStatement } from '../../platform/database/prepared.js';
import { roundLock } from '../../platform/schedule/round-lock.js';
import type { MessageKind } from './message-kind.js';

/** One instance at a time claims: a recipient gets one message, not one from each instance. Instances of the version before take the same lock. */
const TURN = roundLock('alerts.notifications');
/** A process that has not settled a message within this time has ended (L106). */
const CLAIM_VALID = "interval '60 seconds'";
/** No try waits longer (L149): five pauses, or as long as the other side asks, 1 h at most. Quiet hours end within a day. */
const LONGEST_PAUSE = "interval '75 minutes'";
const LONGEST_FIRST = "interval '25 hours'";
/** The most recipients of one claim. */
const BATCH = 50;

/**
 * The statement that claims the messages of these kinds that are due (G5). A recipient gets over a channel at most one message of a kind a minute, 5 in
 * 15 minutes, 11 an hour (G8); rows that become one message are claimed together. A message that nobody needs any more is skipped at once.
 * What was written while the clock was ahead is due, and counts for no limit (G42). $1 is the id of the claim. The statement returns
 * the rows that it has changed: claimed (SENDING), skipped, or failed.
 * @param kinds at least one
 */
export function claiming(kinds: readonly MessageKind[]): PreparedStatement {
  const abouts = kinds.map(
    ({ name, select, isAtMostOnce = false, mostRows = 'NULL' }) =>
      `SELECT unneeded, about, ${isAtMostOnce}, ${mostRows}::int FROM (${select}) AS its (unneeded, about) WHERE message_kind = '${name}'`,
  );
  return preparedStatement(
    'notifications',
    `
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${TURN}) AS mine),
due AS MATERIALIZED (
  SELECT message.id, message_kind AS kind, channel, recipient, state, next_try_at, most_rows, about,
    CASE WHEN state = 'SENDING' AND at_most_once THEN 'FAILED' WHEN unneeded IS NOT NULL THEN 'SKIPPED' ELSE 'SENDING' END AS becomes,
    CASE WHEN state = 'SENDING' AND at_most_once THEN 'a process ended while it sent this: it may have arrived' WHEN unneeded IS NOT NULL THEN unneeded
         WHEN state = 'SENDING' THEN 'a process ended while it sent this: it may have arrived twice' END AS why
  FROM notifications message CROSS JOIN LATERAL (${abouts.join('\nUNION ALL\n')}) AS its (unneeded, about, at_most_once, most_rows)
  WHERE state IN ('WAITING', 'SENDING') AND (SELECT mine FROM turn)
    AND CASE state
          WHEN 'WAITING' THEN next_try_at <= now() OR coalesce(claimed_at, created_at) > ${AHEAD}
            OR next_try_at > now() + CASE attempts WHEN 0 THEN ${LONGEST_FIRST} ELSE ${LONGEST_PAUSE} END
          ELSE claimed_at NOT BETWEEN now() - ${CLAIM_VALID} AND ${AHEAD} END
),
room AS MATERIALIZED (
  SELECT kind, channel, recipient, 'SENDING' AS becomes
  FROM (
    -- many recipients of one founder's restaurants hold up no other restaurant (O44); a recipient comes by the first turn of its messages
    SELECT *, row_number() OVER (PARTITION BY kind, channel, coalesce(party, recipient) ORDER BY since) AS place
    FROM (
      SELECT kind, channel, recipient, min(next_try_at) AS since,
        (SELECT coalesce(founded_by, id)::text FROM restaurants WHERE id = (about ->> 'restaurantId')::uuid) AS party
      FROM due WHERE becomes = 'SENDING' GROUP BY kind, channel, recipient, party) AS wanted
    WHERE NOT EXISTS (
        SELECT FROM notifications busy
        WHERE busy.state = 'SENDING' AND busy.claimed_at BETWEEN now() - ${CLAIM_VALID} AND ${AHEAD}
          AND busy.recipient = wanted.recipient AND busy.channel = wanted.channel AND busy.message_kind = wanted.kind)
      AND (SELECT count(*) < 11 AND count(*) FILTER (WHERE ended_at > now() - interval '15 minutes') < 5
                  AND count(*) FILTER (WHERE ended_at > now() - interval '1 minute') < 1
           FROM notifications past
           WHERE past.state = 'SENT' AND past.recipient = wanted.recipient AND past.channel = wanted.channel AND past.message_kind = wanted.kind
             AND ended_at BETWEEN now() - interval '1 hour' AND ${AHEAD})
  ) AS turns
  GROUP BY kind, channel, recipient
  ORDER BY min(place), min(since)
  LIMIT ${BATCH}
),
chosen AS (
  SELECT id, due.state, becomes, why, about FROM (
    SELECT due.*, row_number() OVER (PARTITION BY kind, channel, recipient, becomes ORDER BY next_try_at, id) AS place FROM due
  ) AS due LEFT JOIN room USING (kind, channel, recipient, becomes)
  WHERE becomes <> 'SENDING' OR (room.kind IS NOT NULL AND place <= coalesce(most_rows, place))
)
UPDATE notifications AS message
SET state = becomes, reason = why, claim = CASE becomes WHEN 'SENDING' THEN $1::uuid END,
    claimed_at = CASE becomes WHEN 'SENDING' THEN now() ELSE claimed_at END,
    attempts = attempts + (becomes = 'SENDING')::int, ended_at = CASE WHEN becomes <> 'SENDING' THEN now() END
FROM chosen WHERE message.id = chosen.id AND message.state = chosen.state
RETURNING message.id::text, message.state, message.message_kind AS kind, message.channel, message.recipient, message.user_id::text AS "userId", message.language,
          message.attempts, message.created_at AS "createdAt", message.claim::text, about`,
  );
}
