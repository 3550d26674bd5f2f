import { ticketPlace } from '../../api/order-place.js';
import { ButtonLink } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { type Order, orderBadgeOf } from './reading.js';
import { useTexts } from './texts.js';

type Ticket = NonNullable<Order['ticket']>;

/** The badges of an order that the POS does not have. */
const NEEDS_PAPER: ReadonlySet<string> = new Set(['parked', 'waiting', 'sending', 'retrying']);

/** What became of the ticket in the kitchen (K8); the way to the page for paper while the POS does not have the order. */
export function Paper({
  order,
  restaurant,
  readOnly,
}: {
  readonly order: Order;
  readonly restaurant: OwnRestaurant;
  readonly readOnly: boolean;
}) {
  const { paper: texts } = useTexts();
  const wordsOf = useTicketWords(restaurant.timezone);
  const has = useHas();
  const { ticket } = order;
  const isNeeded = !readOnly && NEEDS_PAPER.has(orderBadgeOf(order));
  if (!has('tickets') || (!ticket && !isNeeded)) return null;
  return (
    <div className="order-paper">
      {ticket && (
        <p>
          <Icon name={ticket.state === 'FAILED' ? 'warning' : 'printer'} /> {wordsOf(ticket)}
        </p>
      )}
      {isNeeded && (
        <ButtonLink to={ticketPlace(restaurant.id, order.transactionKey)} icon="printer">
          {texts.open}
        </ButtonLink>
      )}
    </div>
  );
}

function useTicketWords(timezone: string): (ticket: Ticket) => string {
  const { paper: texts } = useTexts();
  const { time, dateTime } = useFormats();
  return ({ state, printer, printedAt, failure }) => {
    // a printer that was removed has no name
    const at = printer === null ? '' : texts.on(isolated(printer));
    switch (state) {
      case 'PRINTED': {
        if (printedAt === null) return texts.printed(at);
        const isToday = dateIn(timezone, printedAt) === dateIn(timezone, Date.now());
        return texts.printedAt((isToday ? time : dateTime)(printedAt, timezone), at);
      }
      case 'WAITING':
        return texts.waits;
      case 'OFFERED':
        return texts.offered(at);
      case 'FAILED':
        return texts.failed(at, failureWords(texts.failures, failure));
      case 'EXPIRED':
        return texts.expired;
    }
  };
}

/** @param failure `paper`, `cover`, `unconfirmed`, or the printer's code: `code 511` */
function failureWords(words: Readonly<Record<string, string>>, failure: string | null): string {
  return (Object.hasOwn(words, failure ?? '') ? words[failure ?? ''] : undefined) ?? isolated(failure ?? '?');
}
