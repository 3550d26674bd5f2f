import type { Prisma } from '../../platform/database/generated/client.js';

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
      DELETE FROM notifications WHERE message_kind = 'closing' AND subject = ${restaurantId}::uuid AND number < ${number}::int - ${KEPT}::int
    )
    INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, language, next_try_at)
    SELECT gen_random_uuid(), 'closing', restaurants.id, ${number}::int, 'mail', 'user:' || link.user_id, link.user_id, preferences.language,
           now() + interval '1 minute'
    FROM restaurants
    JOIN user_restaurants link ON link.restaurant_id = restaurants.id
    JOIN notification_preferences preferences ON preferences.user_id = link.user_id
    WHERE restaurants.id = ${restaurantId}::uuid AND link.role = 'OWNER' AND link.accepted_at IS NOT NULL
      AND preferences.closings AND preferences.mail AND preferences.mail_confirmed_at IS NOT NULL
      AND (${day}::date + 2 + day_closes_at::time) AT TIME ZONE timezone + interval '2 hours' > now()
    ON CONFLICT DO NOTHING`;
}

/**
 * SQL of the kind of messages (`MessageKind`): the closing, and the number of the last closing that was sent to the person. The mail is needed
 * while the person is an OWNER who gets the closings.
 */
export const CLOSING_OF_MESSAGE = `
  SELECT CASE WHEN told.content IS NULL THEN 'the person does not get it any more, or the closing was removed' END,
         jsonb_build_object('restaurantId', message.subject, 'number', message.number, 'restaurantName', told.name, 'content', told.content,
           'hash', told.hash,
           'toldBefore', (SELECT max(past.number) FROM notifications past
                          WHERE past.message_kind = 'closing' AND past.subject = message.subject AND past.recipient = message.recipient
                            AND past.number < message.number AND past.state IN ('SENT', 'FOLDED')))
  FROM (SELECT) AS always LEFT JOIN LATERAL (
    SELECT restaurants.name, content, hash
    FROM business_days closing
    JOIN restaurants ON restaurants.id = closing.restaurant_id
    JOIN user_restaurants link ON link.restaurant_id = restaurants.id AND link.user_id = message.user_id
    JOIN notification_preferences preferences ON preferences.user_id = link.user_id
    WHERE closing.restaurant_id = message.subject AND closing.number = message.number AND deleted_at IS NULL AND link.role = 'OWNER'
      AND accepted_at IS NOT NULL AND closings AND mail AND mail_confirmed_at IS NOT NULL
    OFFSET 0
  ) AS told ON true`;
