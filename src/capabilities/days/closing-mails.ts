import type { PosVendor } from '../../pos/vendor.js';
import type { Claimed, MessageKind } from '../channels/message-kind.js';
import { CLOSING_OF_MESSAGE } from './closing-mails.sql.js';
import { messageOf, type ToldClosing } from './closing-message.js';

/** The most closings of one mail (L105). */
const MOST_ROWS = 50;
type About = Omit<ToldClosing, 'id'>;
const told = ({ id, about }: Claimed<About>): ToldClosing => ({ id, ...about });

/**
 * The mails about closings, with the head of the chain, to the OWNERs who want them (B12). A mail is sent at most once: a mail whose process ended
 * may have arrived, and the next closing has a newer head.
 */
export const closingMails = (vendor: Pick<PosVendor, 'tenderName'>): MessageKind<About> => ({
  name: 'closing',
  select: CLOSING_OF_MESSAGE,
  isAtMostOnce: true,
  mostRows: MOST_ROWS,
  events: { SENT: 'day.mailed', WAITING: 'day.mail_retry', FAILED: 'day.not_mailed', SKIPPED: 'day.mail_skipped' },
  // the oldest first, so that the id of a mail stays the same for each retry
  order: ({ about: a }, { about: b }) => a.number - b.number || (a.restaurantId < b.restaurantId ? -1 : 1),
  messageOf: (first, others) => messageOf([told(first), ...others.map(told)], first.language, vendor),
  lineOf: ({ id, userId, attempts }, others) => ({
    mails: [id, ...others.map((each) => each.id)],
    user: userId,
    attempts,
  }),
});
