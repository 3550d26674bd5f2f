import type { Language } from '../../platform/http/fields/languages.js';

/** How a person or a system is reached (G20). */
export const CHANNELS = ['push', 'mail', 'webhook'] as const;
export type Channel = (typeof CHANNELS)[number];

/** A text for one recipient, in the recipient's language. */
export interface Message {
  /** UUID; the same for each retry of the message: Message-ID of a mail, `webhook-id` of a webhook */
  readonly id: string;
  /** what it is about: a push service replaces an undelivered message of the same topic */
  readonly topic: string;
  /** one line */
  readonly title: string;
  /** lines, without markup */
  readonly text: string;
  /** path of a page of the console, for example `/console/r/<id>/alerts`; the channel adds PUBLIC_URL */
  readonly path: string;
  /** what a mail links to, the most important first; default: `path` alone. Paths as in `path` */
  readonly links?: readonly { readonly label: string; readonly path: string }[];
  /** what else a webhook carries beside `text`, and the data of a notification */
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Who receives a message: all confirmed devices of a user, the address of a user, or the webhook of a restaurant or of the platform. `isToAccount`: the
 * address need not be confirmed.
 */
export type Recipient =
  | { readonly channel: 'push'; readonly userId: string }
  | { readonly channel: 'mail'; readonly userId: string; readonly isToAccount?: boolean }
  | { readonly channel: 'webhook'; readonly restaurantId: string | null };

/** What became of one try. `reason` is for people: it has no secret and no address of a device. */
export type Sent =
  | { readonly outcome: 'SENT' }
  /** to retry; `afterMs`: what the other side asked for (Retry-After), in ms */
  | { readonly outcome: 'RETRY'; readonly reason: string; readonly afterMs?: number }
  | { readonly outcome: 'FAILED'; readonly reason: string };

/** How a user wants to be notified. Times of day are HH:MM by the clock of the restaurant of an alert; null: no quiet hours. */
export interface Preferences {
  readonly userId: string;
  /** the channels that are switched on and confirmed (G21) */
  readonly channels: readonly Channel[];
  readonly language: Language;
  /** told as if OWNER or MANAGER, whatever the role */
  readonly always: boolean;
  readonly quiet: { readonly from: string; readonly until: string } | null;
}

/** Sends messages. The one who calls decides who gets which message, and when. */
export abstract class Channels {
  /** Preferences of these users; users who can be reached on no channel are left out. */
  abstract preferencesOf(userIds: readonly string[]): Promise<Preferences[]>;
  /** @param restaurantId null: the platform's. @returns whether there is a webhook that was confirmed */
  abstract hasWebhook(restaurantId: string | null): Promise<boolean>;
  /** One try, within 15 s. Never rejects. */
  abstract send(recipient: Recipient, message: Message): Promise<Sent>;
}
