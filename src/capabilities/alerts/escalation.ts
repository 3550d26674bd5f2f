import { Injectable } from '@nestjs/common';
import { type ConditionDetails, conditionOf, KINDS, urgentKinds } from '../../platform/conditions/condition.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { Log } from '../../platform/telemetry/log.js';
import { type Channel, Channels, type Preferences } from '../channels/channel.js';
import { stepsOf } from './alert.js';

/** The most alerts that one call moves on. */
const BATCH = 100;

/** An alert whose next step is due. */
interface DueAlert {
  readonly id: string;
  readonly kind: string;
  readonly details: ConditionDetails;
  readonly restaurantId: string | null;
  readonly step: number;
  readonly firstStep: number;
  /** whether its newest order is of the present business day */
  readonly isOfToday: boolean;
  /** of the restaurant, accepted links only (W32); of the platform: its administrators, as OWNER */
  readonly people: readonly { readonly userId: string; readonly role: string }[];
}

interface Told {
  readonly channel: Channel;
  readonly recipient: string;
  readonly userId?: string;
  readonly language: string;
  readonly quietFrom?: string | undefined;
  readonly quietUntil?: string | undefined;
}

/** Decides who is notified of an alert, and when (G4): writes a notification for each of them. */
@Injectable()
export class Escalation {
  constructor(
    private readonly prisma: PrismaService,
    private readonly channels: Channels,
    private readonly log: Log,
  ) {}

  /**
   * Takes the due steps. Instances may do so at the same time: the step is part of the statement's condition.
   * @throws the database's error; the steps that were not taken stay due
   */
  async advance(): Promise<void> {
    for (const alert of await this.dueAlerts()) await this.take(alert);
  }

  /** The restaurants of one founder take turns as one (O44). */
  private dueAlerts(): Promise<DueAlert[]> {
    return this.prisma.$queryRaw<DueAlert[]>`
      SELECT alert.id::text, kind, details, restaurant_id::text AS "restaurantId", step, first_step AS "firstStep",
             coalesce(business_day(least((details->>'receivedAt')::timestamptz, now()), timezone, day_closes_at)
                      = business_day(now(), timezone, day_closes_at), true) AS "isOfToday",
             (SELECT coalesce(json_agg(json_build_object('userId', user_id, 'role', role)), '[]') FROM (
                SELECT user_id, role::text FROM user_restaurants link
                WHERE link.restaurant_id = alert.restaurant_id AND accepted_at IS NOT NULL
                UNION ALL
                SELECT id, 'OWNER' FROM users WHERE role = 'ADMIN' AND alert.restaurant_id IS NULL) AS linked) AS people
      FROM alerts alert LEFT JOIN restaurants ON restaurants.id = restaurant_id
      WHERE dedup_key IS NOT NULL AND next_step_at <= now() AND kind = ANY (${KINDS}::text[])
      ORDER BY kind = ANY (${urgentKinds()}::text[]) DESC,
               row_number() OVER (PARTITION BY kind = ANY (${urgentKinds()}::text[]), coalesce(founded_by, restaurant_id, alert.id) ORDER BY next_step_at),
               next_step_at
      LIMIT ${BATCH}::int`;
  }

  private async take(alert: DueAlert): Promise<void> {
    const { id, kind, details, restaurantId, step, firstStep } = alert;
    const { nextAfterS = null } = stepsOf(kind, details)[step - firstStep] ?? {};
    const told = await this.recipientsOf(alert);
    const moved = await this.prisma.$queryRaw<{ added: number }[]>`
      WITH moved AS (
        UPDATE alerts
        SET step = step + 1, next_step_at = now() + ${nextAfterS}::int * interval '1 second',
            covered_until = CASE WHEN ${nextAfterS}::int IS NULL THEN now() ELSE covered_until END
        WHERE id = ${id}::uuid AND step = ${step}::int AND next_step_at <= now() AND closed_at IS NULL
        RETURNING id, restaurant_id
      ),
      added AS (
        INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, language, next_try_at, reason)
        SELECT gen_random_uuid(), moved.id, ${step}::int, told.channel, told.recipient, told."userId", told.language,
               coalesce(quiet.ends_at, now()), CASE WHEN quiet.ends_at IS NOT NULL THEN 'quiet hours' END
        FROM moved
        CROSS JOIN jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
          AS told(channel text, recipient text, "userId" uuid, language text, "quietFrom" text, "quietUntil" text)
        LEFT JOIN restaurants ON restaurants.id = moved.restaurant_id
        CROSS JOIN LATERAL (SELECT quiet_until(now(), timezone, told."quietFrom", told."quietUntil") AS ends_at) AS quiet
        ON CONFLICT DO NOTHING
        RETURNING id
      )
      SELECT (SELECT count(*) FROM added)::int AS added FROM moved`;
    if (moved.length === 0) return;
    const line = { alert: id, kind, restaurantId, step: step - firstStep, messages: moved[0]?.added };
    if (told.length > 0) this.log.info({ event: 'alert.step', ...line });
    else this.log.warn({ event: 'alert.nobody_to_tell', ...line });
  }

  private async recipientsOf(alert: DueAlert): Promise<Told[]> {
    const { kind, details, restaurantId, step, firstStep, isOfToday, people } = alert;
    const { push, mail, webhook } = stepsOf(kind, details)[step - firstStep] ?? {};
    const preferences = await this.channels.preferencesOf(people.map(({ userId }) => userId));
    const held = !conditionOf(kind)?.isUrgent || !isOfToday;
    const roles = new Map(people.map(({ userId, role }) => [userId, role]));
    const told = (channel: Channel, to: readonly Preferences[]): Told[] =>
      to
        .filter(({ channels }) => channels.includes(channel))
        .map(({ userId, language, quiet }) => ({
          ...{ channel, recipient: `user:${userId}`, userId, language },
          ...(held && quiet && { quietFrom: quiet.from, quietUntil: quiet.until }),
        }));
    const owners = preferences.filter(({ userId }) => roles.get(userId) === 'OWNER');
    const concerned = preferences.filter(
      ({ userId, always }) => always || ['OWNER', 'MANAGER'].includes(roles.get(userId) ?? ''),
    );
    const byMail = {
      people: concerned,
      owners,
      'people without push': concerned.filter(({ channels }) => !channels.includes('push')),
    };
    const hasWebhook = webhook === true && (await this.channels.hasWebhook(restaurantId));
    return [
      ...(push ? told('push', concerned) : []),
      ...(mail ? told('mail', byMail[mail]) : []),
      ...(hasWebhook
        ? [{ channel: 'webhook', recipient: `webhook:${restaurantId ?? 'platform'}`, language: 'en' } as const]
        : []),
    ];
  }
}
