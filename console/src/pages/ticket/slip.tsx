import { readTicket } from '../../../../src/capabilities/tickets/rules/ticket.js';
import { useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { isRefund, mayBePrinted, type Order, type Standing } from './reading.js';
import { useTexts } from './texts.js';

/** One ticket as the paper shows it, without prices (K6). */
export function Slip({
  order,
  standing,
  restaurant,
}: {
  readonly order: Order;
  readonly standing: Standing;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const { number, soldAt, items, notes, isPaid } = readTicket(order.event, new Date(order.receivedAt));
  const isRepeat = mayBePrinted(order);
  return (
    <article className="slip" aria-label={texts.number(number)}>
      {isRepeat && <p className="slip-repeat">{texts.repeat}</p>}
      <p className="slip-restaurant">
        <bdi>{restaurant.name}</bdi>
      </p>
      <h2 className={number.length > LONG_NUMBER ? 'slip-number slip-number-long' : 'slip-number'}>
        <bdi>{number}</bdi>
      </h2>
      {order.label !== null && (
        <p className="slip-label">
          <bdi>{order.label}</bdi>
        </p>
      )}
      <p className="slip-time">
        <time dateTime={soldAt.toISOString()}>{dateTime(soldAt, restaurant.timezone)}</time>
      </p>
      <p className="slip-state">{texts.standing[standing]}</p>
      <p className="slip-paid">{isPaid ? texts.paid : texts.notPaid}</p>
      {order.test && <p className="slip-paid">{texts.test}</p>}
      {isRefund(order) && <p className="slip-paid">{texts.refund}</p>}
      {items.length === 0 ? (
        <p className="slip-items">{texts.noItems}</p>
      ) : (
        <ul className="slip-items">
          {items.map(({ quantity, name, options, notes: ofItem }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the items of a sale never change, and may be alike
            <li key={index}>
              <span className="slip-quantity">{quantity} ×</span>
              <span>
                <bdi>{name}</bdi>
                {options.map((option, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: the options of a sale never change, and may be alike
                  <span key={at} className="slip-option">
                    + <bdi>{option}</bdi>
                  </span>
                ))}
                <Notes notes={ofItem} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <Notes notes={notes} />
      {isRepeat && <p className="slip-repeat">{texts.repeat}</p>}
    </article>
  );
}

/** A number of more characters, such as a key, is written smaller. */
const LONG_NUMBER = 10;

function Notes({ notes }: { readonly notes: readonly string[] }) {
  return notes.map((note) => (
    <span key={note} className="slip-note">
      <bdi>{note}</bdi>
    </span>
  ));
}
