import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { within } from '../../platform/database/deadline.js';
import type { PreparedStatement } from '../../platform/database/prepared.js';
import { PrismaService } from '../../platform/database/prisma.service.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import { Rounds } from '../../platform/schedule/rounds.js';
import { Log } from '../../platform/telemetry/log.js';
import { Channels, type Recipient } from './channel.js';
import type { Claimed, MessageKind } from './message-kind.js';
import { claiming } from './outgoing.sql.js';

/** Time between two rounds, in ms. */
const ROUND_MS = 15_000;
/** The most tries of a message, and the pause after the first, in seconds; it doubles (L106). */
const MOST_TRIES = 5;
const FIRST_PAUSE_S = 30;
/** A stop waits this time, in ms, for the messages that are being sent. */
const STOP_LIMIT_MS = 5_000;

/**
 * The one queue of messages (G5, G8, decisions/088): claims the rows of `notifications` that are due, sends them through the channels, and settles
 * them. Other modules write the rows, and add their kinds.
 */
@Injectable()
export class Outgoing implements OnModuleInit, BeforeApplicationShutdown {
  private readonly kinds = new Map<string, MessageKind>();
  private statement: PreparedStatement | undefined;
  /** ends with the last round that was asked for; never rejects */
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly prisma: PrismaService,
    private readonly channels: Channels,
    private readonly rounds: Rounds,
    private readonly log: Log,
  ) {}

  /** Adds a kind of messages. To be called before the first round: the claim statement is made once. */
  add<About>(kind: MessageKind<About>): void {
    this.kinds.set(kind.name, kind as MessageKind);
  }

  onModuleInit(): void {
    const run = () => this.send();
    this.rounds.add({ name: 'channels.outgoing', everyMs: ROUND_MS, on: 'workers', waitsForDatabase: true, run });
  }

  /**
   * Claims what is due, and sends one message of each kind to each recipient over each channel. Calls run one after the other.
   * @throws the database's error; a message whose result was not written is claimed again after 60 s, or has failed then if its kind is sent at most
   * once
   */
  send(): Promise<void> {
    const sent = this.last.then(() => this.sendDue());
    this.last = sent.catch(() => {});
    return sent;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await within(STOP_LIMIT_MS, this.last).catch(() => {});
  }

  private async sendDue(): Promise<void> {
    if (this.kinds.size === 0) return;
    this.statement ??= claiming([...this.kinds.values()]);
    const groups = new Map<string, Claimed[]>();
    for (const row of await this.prisma.prepared<Claimed>(this.statement, [uuidV7()])) {
      const key = [row.state, row.kind, row.channel, row.recipient].join(' ');
      groups.set(key, [...(groups.get(key) ?? []), row]);
    }
    for (const result of await Promise.allSettled([...groups.values()].map((group) => this.sendGroup(group))))
      if (result.status === 'rejected') throw result.reason;
  }

  private async sendGroup(rows: readonly Claimed[]): Promise<void> {
    const kind = this.kinds.get(rows[0]?.kind as string) as MessageKind;
    const [first, ...others] = rows.toSorted(kind.order) as [Claimed, ...Claimed[]];
    const line = kind.lineOf(first, others);
    if (first.state === 'SKIPPED' && kind.events.SKIPPED) this.log.debug({ event: kind.events.SKIPPED, ...line });
    if (first.state !== 'SENDING') return;
    const message = await kind.messageOf(first, others);
    if (!message) return;
    const sent = await this.channels.send(recipientOf(first, kind), message);
    const retries = sent.outcome === 'RETRY' && first.attempts < MOST_TRIES;
    const state = sent.outcome === 'SENT' ? 'SENT' : retries ? 'WAITING' : 'FAILED';
    const reason = sent.outcome === 'SENT' ? null : sent.reason.slice(0, 500);
    const pauseMs = FIRST_PAUSE_S * 1_000 * 2 ** (first.attempts - 1);
    const waitMs = Math.round(Math.max(pauseMs, sent.outcome === 'RETRY' ? (sent.afterMs ?? 0) : 0));
    // unless another process has claimed the rows meanwhile
    await this.prisma.$executeRaw`
      UPDATE notifications
      SET state = CASE WHEN ${state} = 'SENT' AND id <> ${first.id}::uuid THEN 'FOLDED' ELSE ${state} END,
          claim = NULL, reason = coalesce(${reason}::text, reason),
          ended_at = CASE WHEN ${retries} THEN NULL ELSE now() END,
          next_try_at = CASE WHEN ${retries} THEN now() + ${waitMs}::float8 * interval '1 millisecond' ELSE next_try_at END
      WHERE id = ANY (${rows.map(({ id }) => id)}::uuid[]) AND claim = ${first.claim}::uuid`;
    const event = kind.events[state];
    if (state === 'SENT') this.log.info({ event, ...line });
    else this.log.warn({ event, ...line, reason });
  }
}

function recipientOf({ channel, recipient }: Claimed, { isToAccount = false }: MessageKind): Recipient {
  const id = recipient.slice(recipient.indexOf(':') + 1);
  if (channel === 'webhook') return { channel, restaurantId: id === 'platform' ? null : id };
  return channel === 'mail' ? { channel, userId: id, isToAccount } : { channel, userId: id };
}
