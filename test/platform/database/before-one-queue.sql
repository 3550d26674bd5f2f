-- What instances of the version before the one queue of messages (decisions/088) do with notifications and closing_mails.

-- claims notifications
WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(hashtextextended('alerts.notifications', 0)) AS mine),
due AS MATERIALIZED (
  SELECT each.id, channel, recipient, state, each.step <> -1 AND (closed_at IS NOT NULL OR acknowledged_at IS NOT NULL) AS is_over
  FROM notifications each JOIN alerts ON alerts.id = alert_id
  WHERE state IN ('WAITING', 'SENDING') AND (SELECT mine FROM turn)
    AND alerts.kind = ANY ($2::text[])
    AND CASE state
          WHEN 'WAITING' THEN next_try_at <= now() OR coalesce(claimed_at, each.created_at) > now() + interval '10 seconds'
            OR next_try_at > now() + CASE attempts WHEN 0 THEN interval '25 hours' ELSE interval '75 minutes' END
          ELSE claimed_at NOT BETWEEN now() - interval '60 seconds' AND now() + interval '10 seconds' END
),
skipped AS (
  UPDATE notifications SET state = 'SKIPPED', claim = NULL, ended_at = now() WHERE id IN (SELECT id FROM due WHERE is_over)
),
room AS MATERIALIZED (
  SELECT channel, recipient FROM (SELECT DISTINCT channel, recipient FROM due WHERE NOT is_over) AS wanted
  WHERE NOT EXISTS (
      SELECT FROM notifications busy
      WHERE busy.state = 'SENDING' AND busy.claimed_at BETWEEN now() - interval '60 seconds' AND now() + interval '10 seconds'
        AND busy.recipient = wanted.recipient AND busy.channel = wanted.channel)
    AND (SELECT count(*) < 11 AND count(*) FILTER (WHERE ended_at > now() - interval '15 minutes') < 5
                AND count(*) FILTER (WHERE ended_at > now() - interval '1 minute') < 1
         FROM notifications past
         WHERE past.state = 'SENT' AND past.recipient = wanted.recipient AND past.channel = wanted.channel
           AND ended_at BETWEEN now() - interval '1 hour' AND now() + interval '10 seconds')
  LIMIT 50
)
UPDATE notifications AS told
SET state = 'SENDING', claim = $1::uuid, claimed_at = now(), attempts = attempts + 1,
    reason = CASE WHEN due.state = 'SENDING' THEN 'a process ended while it sent this: it may have arrived twice' END
FROM due JOIN room USING (channel, recipient), alerts LEFT JOIN restaurants ON restaurants.id = alerts.restaurant_id
WHERE told.id = due.id AND NOT due.is_over AND alerts.id = told.alert_id
RETURNING told.id::text, told.step, told.channel, told.recipient, told.user_id::text AS "userId", told.language, told.attempts,
          told.created_at AS "createdAt", alerts.id::text AS "alertId", alerts.kind, alerts.cause, alerts.count, alerts.details,
          alerts.restaurant_id::text AS "restaurantId", restaurants.name AS "restaurantName", restaurants.timezone;

-- acknowledges by a token
UPDATE notifications told SET token_hash = NULL
FROM alerts, users
WHERE token_hash = $1 AND alerts.id = told.alert_id AND users.id = told.user_id
  AND told.claimed_at > now() - $2::int * interval '1 hour' AND alerts.closed_at IS NULL
  AND CASE WHEN alerts.restaurant_id IS NULL THEN users.role = 'ADMIN' ELSE EXISTS (
        SELECT FROM user_restaurants link
        WHERE link.user_id = users.id AND link.restaurant_id = alerts.restaurant_id AND accepted_at IS NOT NULL
          AND link.role::text = ANY ($3::text[])) END
RETURNING alerts.id::text AS "alertId", users.id::text AS "userId", users.email, kind, count, details, restaurant_id::text AS "restaurantId";

-- lists alerts
SELECT alert.id::text, (SELECT coalesce(json_agg(told ORDER BY at DESC), '[]') FROM (
    SELECT channel, state, users.name AS recipient, reason, coalesce(ended_at, next_try_at) AS at, attempts
    FROM notifications LEFT JOIN users ON users.id = user_id
    WHERE alert_id = alert.id AND state <> 'SKIPPED' ORDER BY notifications.created_at DESC LIMIT 50
  ) AS told) AS told
FROM alerts AS alert LEFT JOIN users acknowledger ON acknowledger.id = acknowledged_by;

-- writes the messages that an alert is closed
INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, language)
SELECT gen_random_uuid(), alert_id, -1, channel, recipient, user_id, language
FROM (
  SELECT DISTINCT ON (alert_id, recipient) alert_id, channel, recipient, user_id, language
  FROM notifications WHERE alert_id = $1 AND state IN ('SENT', 'FOLDED')
  ORDER BY alert_id, recipient, channel = 'push' DESC, created_at DESC
) AS recipients;

-- writes the mails of a closing
WITH forgotten AS (DELETE FROM closing_mails WHERE restaurant_id = $1::uuid AND number < $2::int - 100)
INSERT INTO closing_mails (restaurant_id, number, user_id, id, next_try_at)
SELECT restaurants.id, $2::int, link.user_id, gen_random_uuid(), now() + interval '1 minute'
FROM restaurants
JOIN user_restaurants link ON link.restaurant_id = restaurants.id
JOIN notification_preferences preferences ON preferences.user_id = link.user_id
WHERE restaurants.id = $1::uuid AND link.role = 'OWNER' AND link.accepted_at IS NOT NULL
  AND preferences.closings AND preferences.mail AND preferences.mail_confirmed_at IS NOT NULL
ON CONFLICT DO NOTHING;

-- claims the mails
WITH lost AS (
  UPDATE closing_mails
  SET state = 'FAILED', claim = NULL, ended_at = now(), reason = 'a process ended while it sent this: it may have arrived'
  WHERE state = 'SENDING' AND claimed_at NOT BETWEEN now() - interval '60 seconds' AND now() + interval '10 seconds'
),
due AS MATERIALIZED (
  SELECT restaurant_id, number, user_id FROM closing_mails
  WHERE state = 'WAITING' AND next_try_at <= now() ORDER BY next_try_at, restaurant_id, number LIMIT 50 FOR UPDATE SKIP LOCKED
)
UPDATE closing_mails AS mail
SET state = 'SENDING', claim = $1::uuid, claimed_at = now(), attempts = attempts + 1
FROM due
WHERE mail.restaurant_id = due.restaurant_id AND mail.number = due.number AND mail.user_id = due.user_id
RETURNING mail.id::text;
