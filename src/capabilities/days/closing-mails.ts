import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { within } from '../../platform/database/deadline.js';
import { isDatabaseAway, reasonOf } from '../../platform/database/errors.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import { Log } from '../../platform/telemetry/log.js';
import { vendorOf } from '../../pos/vendors.js';
import { Channels, type Preferences, type Sent } from '../channels/channel.js';
import { CLAIM_MAILS, type ClaimedMail } from './closing-mails.sql.js';
import { messageOf, type ToldClosing } from './closing-message.js';

/** The most tries of a mail, and the pause after the first, in seconds; it doubles (L106). */
const MOST_TRIES = 5;
const FIRST_PAUSE_S = 30;
/** A stop waits this time, in ms, for the mails that are being sent. */
const STOP_LIMIT_MS = 5_000;

/** Mails the closings, with the head of the chain, to the OWNERs who want it (B12). */
@Injectable()
export class ClosingMails implements BeforeApplicationShutdown {
  private sending: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly prisma: PrismaService,
    private readonly channels: Channels,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /**
   * Claims the mails that are due, and sends one to each person.
   * @throws the database's error, unless the database is away; a mail whose result was not written is not sent again
   */
  async send(): Promise<void> {
    try {
      const claim = uuidV7();
      const claimed = await this.prisma.prepared<ClaimedMail>(CLAIM_MAILS, [claim]);
      if (claimed.length === 0) return;
      const preferences = await this.channels.preferencesOf([...new Set(claimed.map(({ userId }) => userId))]);
      const people = new Map<string, ClaimedMail[]>();
      for (const mail of claimed) people.set(mail.userId, [...(people.get(mail.userId) ?? []), mail]);
      this.sending = Promise.allSettled(
        [...people].map(([userId, mails]) =>
          this.sendTo(
            claim,
            preferences.find((each) => each.userId === userId),
            mails,
          ),
        ),
      );
      for (const result of (await this.sending) as PromiseSettledResult<void>[])
        if (result.status === 'rejected') throw result.reason;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      this.log.debug({ event: 'days.mails_left_out', error: reasonOf(error) });
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await within(STOP_LIMIT_MS, this.sending).catch(() => {});
  }

  /** @param preferences undefined: no channel reaches the person any more */
  private async sendTo(
    claim: string,
    preferences: Preferences | undefined,
    mails: readonly ClaimedMail[],
  ): Promise<void> {
    const { userId } = mails[0] as ClaimedMail;
    const isReached = preferences?.channels.includes('mail') ?? false;
    const wanted = mails.filter((mail) => isReached && mail.isWanted);
    const [first, ...others] = wanted.filter((mail) => mail.content !== null).toSorted(byNumber) as ToldClosing[];
    const unwanted = mails.filter((mail) => !wanted.includes(mail) || mail.content === null);
    await this.settle(claim, unwanted, 'SKIPPED', 'the person does not get it any more, or the closing was removed');
    if (!first || !preferences) return;
    const message = messageOf([first, ...others], preferences.language, vendorOf(this.config.pos));
    const sent = await this.channels.send({ channel: 'mail', userId }, message);
    const told = wanted.filter((mail) => mail.content !== null);
    await this.settle(claim, told, sent.outcome, sent.outcome === 'SENT' ? null : sent.reason, sent);
  }

  private async settle(
    claim: string,
    mails: readonly ClaimedMail[],
    outcome: Sent['outcome'] | 'SKIPPED',
    reason: string | null,
    sent?: Sent,
  ): Promise<void> {
    if (mails.length === 0) return;
    const attempts = Math.max(...mails.map((mail) => mail.attempts));
    const retries = outcome === 'RETRY' && attempts < MOST_TRIES;
    const state = retries ? 'WAITING' : outcome === 'RETRY' ? 'FAILED' : outcome;
    const pauseMs = FIRST_PAUSE_S * 1_000 * 2 ** (attempts - 1);
    const waitMs = Math.round(Math.max(pauseMs, sent?.outcome === 'RETRY' ? (sent.afterMs ?? 0) : 0));
    await this.prisma.$executeRaw`
      UPDATE closing_mails
      SET state = ${state}, claim = NULL, reason = ${reason?.slice(0, 500) ?? null}, ended_at = CASE WHEN ${retries} THEN NULL ELSE now() END,
          next_try_at = CASE WHEN ${retries} THEN now() + ${waitMs}::float8 * interval '1 millisecond' ELSE next_try_at END
      WHERE claim = ${claim}::uuid AND id = ANY (${mails.map(({ id }) => id)}::uuid[])`;
    const line = { mails: mails.map(({ id }) => id), user: mails[0]?.userId, attempts };
    if (state === 'SENT') this.log.info({ event: 'day.mailed', ...line });
    else if (state === 'SKIPPED') this.log.debug({ event: 'day.mail_skipped', ...line });
    else this.log.warn({ event: retries ? 'day.mail_retry' : 'day.not_mailed', ...line, reason });
  }
}

/** The oldest first, so that the id of a mail stays the same for each retry. */
function byNumber(a: ClaimedMail, b: ClaimedMail): number {
  return a.number - b.number || (a.restaurantId < b.restaurantId ? -1 : 1);
}
