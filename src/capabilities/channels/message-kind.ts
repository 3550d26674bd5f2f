import type { Language } from '../../platform/http/fields/languages.js';
import type { Channel, Message } from './channel.js';

/** A row of `notifications` that this process sends now, or has ended. */
export interface Claimed<About = unknown> {
  readonly id: string;
  readonly state: 'SENDING' | 'SKIPPED' | 'FAILED';
  readonly kind: string;
  readonly channel: Channel;
  /** `user:` and an id, `webhook:` and the id of a restaurant, or `webhook:platform` */
  readonly recipient: string;
  readonly userId: string | null;
  readonly language: Language;
  readonly attempts: number;
  readonly createdAt: Date;
  readonly claim: string;
  /** what the kind has selected */
  readonly about: About;
}

/** A kind of messages. Its module writes rows of `notifications` with its name; `Outgoing` sends them. */
export interface MessageKind<About = unknown> {
  /** the column `message_kind`: lower case */
  readonly name: string;
  /**
   * SQL that selects, for the row `message` of `notifications`: why nobody needs the message any more (text, else NULL), and `About` (jsonb): its
   * `restaurantId` says whose turn it is (O44). Without a row the message is left to other processes.
   */
  readonly select: string;
  /** a message whose process ended while it sent it has failed; absent: it is sent again */
  readonly isAtMostOnce?: boolean;
  /** it goes to the address of the account, confirmed or not: only what the owner of the account asked for */
  readonly isToAccount?: boolean;
  /** the most rows of one message; absent: all that are due for a recipient */
  readonly mostRows?: number;
  /** the log line of each end of a try; without SKIPPED, a message that nobody needs has none */
  readonly events: Readonly<Record<'SENT' | 'WAITING' | 'FAILED', string> & { SKIPPED?: string }>;
  /** The order of the rows of one message: the first row gives the message its id, and the tries of the first row count. */
  order(a: Claimed<About>, b: Claimed<About>): number;
  /**
   * The message for the rows of one recipient that were claimed together.
   * @returns undefined when another process has claimed the row meanwhile: nothing is sent
   */
  messageOf(first: Claimed<About>, others: readonly Claimed<About>[]): Message | Promise<Message | undefined>;
  /** the fields of a log line */
  lineOf(first: Claimed<About>, others: readonly Claimed<About>[]): Record<string, unknown>;
}
