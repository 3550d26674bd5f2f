import { rolesWith } from '../../domain/role.js';
import { conditionOf, KINDS } from '../../platform/conditions/condition.js';
import type { PrismaService } from '../../platform/database/prisma.service.js';
import { digestOf, newCheckedToken } from '../../platform/secrets/token.js';
import type { MessageKind } from '../channels/message-kind.js';
import { ACKNOWLEDGE_PERMISSIONS, ACKNOWLEDGE_PREFIX, CLOSING_STEP } from './alert.js';
import { messageOf, type ToldAlert } from './message.js';

/** SQL: texts, for IN. */
const listOf = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');

/** SQL: whether the person of the message may still read the alert (G11): a link may have ended while the message waited. */
const MAY_READ = `CASE WHEN restaurant_id IS NULL
  THEN EXISTS (SELECT FROM users WHERE users.id = message.user_id AND users.role = 'ADMIN')
  ELSE EXISTS (SELECT FROM user_restaurants link
               WHERE link.user_id = message.user_id AND link.restaurant_id = alert.restaurant_id AND link.accepted_at IS NOT NULL) END`;

interface About extends ToldAlert {
  readonly step: number;
  /** whether the recipient is a person who may acknowledge the alert (G9) */
  readonly mayAcknowledge: boolean;
}

/** The message that an alert is closed can wait. */
const isUrgent = ({ kind, step }: About) => step !== CLOSING_STEP && conditionOf(kind)?.isUrgent === true;

/**
 * The messages about alerts (G4, G5); `Escalation` and `Reconciler` write them. The message tells the newest alert, urgent kinds before others (G57), and counts the others (G8). To be
 * called when the files of all conditions are imported: messages about alerts of other kinds are left to other processes (G2).
 */
export const alertMessages = (prisma: PrismaService): MessageKind<About> => ({
  name: 'alert',
  select: `
    SELECT CASE WHEN message.step <> ${CLOSING_STEP} AND (closed_at IS NOT NULL OR acknowledged_at IS NOT NULL)
                THEN 'the alert was acknowledged, or is closed'
                WHEN message.user_id IS NOT NULL AND NOT ${MAY_READ} THEN 'the person does not get it any more' END,
           jsonb_build_object('alertId', alert.id, 'step', message.step, 'kind', alert.kind, 'cause', cause, 'count', count, 'details', details,
             'restaurantId', restaurant_id, 'restaurantName', name, 'timezone', timezone, 'currency', currency,
             'mayAcknowledge', message.user_id IS NOT NULL AND (restaurant_id IS NULL OR EXISTS (
               SELECT FROM user_restaurants link WHERE link.user_id = message.user_id AND link.restaurant_id = alert.restaurant_id
                 AND link.role IN (${listOf(rolesWith(...ACKNOWLEDGE_PERMISSIONS))}))))
    FROM alerts alert LEFT JOIN restaurants ON restaurants.id = restaurant_id
    WHERE alert.id = message.alert_id AND alert.kind IN (${listOf(KINDS)})`,
  events: { SENT: 'alert.told', WAITING: 'alert.retry', FAILED: 'alert.not_told' },
  order: (a, b) =>
    Number(isUrgent(b.about)) - Number(isUrgent(a.about)) || b.createdAt.getTime() - a.createdAt.getTime(),
  messageOf: async (first, others) => {
    const { id, claim, about } = first;
    const more = new Set(others.map((each) => each.about.alertId).filter((alertId) => alertId !== about.alertId)).size;
    const token = about.mayAcknowledge ? newCheckedToken(ACKNOWLEDGE_PREFIX) : undefined;
    if (token !== undefined) {
      const kept = await prisma.$executeRaw`
        UPDATE notifications SET token_hash = ${digestOf(token)} WHERE id = ${id}::uuid AND claim = ${claim}::uuid`;
      if (kept === 0) return undefined;
    }
    return messageOf({ ...first, ...about }, more, token);
  },
  lineOf: ({ id, channel, attempts, about: { alertId, step } }, others) => ({
    ...{ notification: id, alert: alertId, channel, step, attempts, folded: others.length },
  }),
});
