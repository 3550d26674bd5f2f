import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { KINDS } from '../../platform/conditions/condition.js';
import { within } from '../../platform/database/deadline.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import { type Language } from '../../platform/http/fields/languages.js';
import { digestOf, newCheckedToken } from '../../platform/secrets/token.js';
import { Log } from '../../platform/telemetry/log.js';
import { type Channel, Channels, type Recipient, type Sent } from '../channels/channel.js';
import { ACKNOWLEDGE_PREFIX } from './alert.js';
import { messageOf, type ToldAlert } from './message.js';
import { CLAIM_NOTIFICATIONS } from './notifications.sql.js';

/** The most tries of a message, and the pause after the first, in seconds; it doubles. */
const MOST_TRIES = 5;
const FIRST_PAUSE_S = 30;
/** A stop waits this time, in ms, for the messages that are being sent. */
const STOP_LIMIT_MS = 5_000;

/** A notification that this process sends now. */
export interface ClaimedNotification extends ToldAlert {
  readonly id: string;
  readonly step: number;
  readonly channel: Channel;
  readonly recipient: string;
  readonly userId: string | null;
  readonly language: Language;
  readonly attempts: number;
  readonly createdAt: Date;
  /** whether the recipient is a person who may acknowledge the alert (G9) */
  readonly mayAcknowledge: boolean;
}

/** Sends the notifications that are due (G5, G8). */
@Injectable()
export class Notifier implements BeforeApplicationShutdown {
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly prisma: PrismaService,
    private readonly channels: Channels,
    private readonly log: Log,
  ) {}

  /**
   * Claims what is due, and sends one message to each recipient over each channel. A message that was being sent when its process ended is
   * claimed again: it may arrive twice, and its row says so.
   * @throws the database's error; a message whose result was not written is claimed again after 60 s
   */
  async send(): Promise<void> {
    const claim = uuidV7();
    const claimed = await this.prisma.prepared<ClaimedNotification>(CLAIM_NOTIFICATIONS, [claim, KINDS]);
    const groups = new Map<string, ClaimedNotification[]>();
    for (const each of claimed) {
      const key = `${each.channel} ${each.recipient}`;
      groups.set(key, [...(groups.get(key) ?? []), each]);
    }
    this.sending = Promise.allSettled([...groups.values()].map((group) => this.sendGroup(claim, group)));
    for (const result of (await this.sending) as PromiseSettledResult<void>[])
      if (result.status === 'rejected') throw result.reason;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await within(STOP_LIMIT_MS, this.sending).catch(() => {});
  }

  /** The newest alert is told, the others are folded into its message. */
  private async sendGroup(claim: string, group: readonly ClaimedNotification[]): Promise<void> {
    const [first, ...others] = group.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime()) as [
      ClaimedNotification,
    ];
    const more = new Set(others.map(({ alertId }) => alertId).filter((id) => id !== first.alertId)).size;
    const token = first.mayAcknowledge ? newCheckedToken(ACKNOWLEDGE_PREFIX) : undefined;
    if (!(await this.keepToken(claim, first.id, token))) return;
    const sent = await this.channels.send(recipientOf(first), messageOf(first, more, token));
    await this.settle(claim, first, others, sent);
  }

  /** @returns false when another process has claimed the notification */
  private async keepToken(claim: string, id: string, token: string | undefined): Promise<boolean> {
    if (token === undefined) return true;
    return (
      (await this.prisma.$executeRaw`
        UPDATE notifications SET token_hash = ${digestOf(token)} WHERE id = ${id}::uuid AND claim = ${claim}::uuid`) > 0
    );
  }

  private async settle(
    claim: string,
    first: ClaimedNotification,
    others: readonly ClaimedNotification[],
    sent: Sent,
  ): Promise<void> {
    const { id, alertId, channel, attempts, step } = first;
    const retries = sent.outcome === 'RETRY' && attempts < MOST_TRIES;
    const state = sent.outcome === 'SENT' ? 'SENT' : retries ? 'WAITING' : 'FAILED';
    const reason = sent.outcome === 'SENT' ? null : sent.reason.slice(0, 500);
    const pauseMs = FIRST_PAUSE_S * 1_000 * 2 ** (attempts - 1);
    const waitMs = Math.round(Math.max(pauseMs, sent.outcome === 'RETRY' ? (sent.afterMs ?? 0) : 0));
    await this.prisma.$executeRaw`
      UPDATE notifications
      SET state = CASE WHEN ${state} = 'SENT' AND id <> ${id}::uuid THEN 'FOLDED' ELSE ${state} END,
          claim = NULL, reason = coalesce(${reason}::text, reason),
          ended_at = CASE WHEN ${retries} THEN NULL ELSE now() END,
          next_try_at = CASE WHEN ${retries} THEN now() + ${waitMs}::float8 * interval '1 millisecond' ELSE next_try_at END
      WHERE id = ANY (${[id, ...others.map((each) => each.id)]}::uuid[]) AND claim = ${claim}::uuid`;
    const line = { notification: id, alert: alertId, channel, step, attempts, folded: others.length };
    if (sent.outcome === 'SENT') this.log.info({ event: 'alert.told', ...line });
    else this.log.warn({ event: retries ? 'alert.retry' : 'alert.not_told', ...line, reason });
  }
}

function recipientOf({ channel, userId, restaurantId }: ClaimedNotification): Recipient {
  return channel === 'webhook' || userId === null ? { channel: 'webhook', restaurantId } : { channel, userId };
}
