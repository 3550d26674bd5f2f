import type { View } from '../../api/client.js';
import { orderPlace } from '../../api/order-place.js';
import { badgeOf } from '../../design/badge.js';
import { capitalised } from '../../design/cause.js';
import { Icon } from '../../design/icons.js';
import { StateBadge } from '../../design/states.js';
import { useWhy } from '../../design/why.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { Link } from '../../router/link.js';
import { OrderActs } from '../../session/order-acts.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useTexts } from './texts.js';

/** An order in one or two lines, which link to its page. */
export function OrderRow({
  order,
  restaurant,
  now,
  maySend,
}: {
  readonly order: View<'OrderView'>;
  readonly restaurant: OwnRestaurant;
  /** in ms */
  readonly now: number;
  /** whether the user may send orders again (R36) */
  readonly maySend: boolean;
}) {
  const texts = useTexts();
  const formats = useFormats();
  const { transactionKey, transactionNumber, receivedAt, netCents, warnings, test } = order;
  const { transactionDate, receivedOnAnotherDay, label } = order;
  const soldOn =
    receivedOnAnotherDay && transactionDate !== null ? dateIn(restaurant.timezone, transactionDate) : undefined;
  const isToday = dateIn(restaurant.timezone, receivedAt) === dateIn(restaurant.timezone, now);
  return (
    <li>
      <Link to={orderPlace(restaurant.id, transactionKey)} className="order-row">
        <span className="order-name">
          <bdi>{transactionNumber === null ? transactionKey : texts.number(isolated(transactionNumber))}</bdi>
          {label !== null && <bdi className="order-label">{label}</bdi>}
          {transactionNumber !== null && <bdi className="order-key mono">{transactionKey}</bdi>}
        </span>
        <span className="order-amount number">{formats.amount(netCents)}</span>
        <time className="order-time quiet number" dateTime={receivedAt}>
          {formats[isToday ? 'time' : 'dateTime'](receivedAt, restaurant.timezone)}
        </time>
        <span className="order-state">
          <StateBadge badge={badgeOf(order)} />
          {test && <StateBadge badge="test" />}
          {soldOn !== undefined && (
            <span className="badge tone-wait">
              <Icon name="clock" />
              {texts.soldOn(formats.shortDay(soldOn))}
            </span>
          )}
          {warnings.length > 0 && (
            <span className="order-warned">
              <Icon name="warning" />
              <span className="unseen">{texts.warned}</span>
            </span>
          )}
        </span>
        <Why order={order} now={now} />
      </Link>
      <div className="order-acts">
        <OrderActs
          restaurant={restaurant}
          transactionKey={transactionKey}
          name={isolated(transactionNumber ?? transactionKey)}
          badge={badgeOf(order)}
          cause={order.cause}
          subject={order.subject}
          entered={order}
          maySend={maySend}
        />
      </div>
    </li>
  );
}

/** Why it is not delivered, and when the next attempt is. */
function Why({ order, now }: { readonly order: View<'OrderView'>; readonly now: number }) {
  const texts = useTexts();
  const { duration } = useFormats();
  const why = useWhy();
  const { status, withdrawn, cause, subject, lastError, nextRunAt, attempts } = order;
  if (withdrawn || status === 'SENT' || !lastError) return null;
  const isRetry = status === 'FAILED' && nextRunAt !== null;
  const ms = isRetry ? Math.max(0, Date.parse(nextRunAt) - now) : 0;
  return (
    <span className="order-why">
      <bdi>{capitalised(why(cause, lastError, subject))}</bdi>
      {isRetry && (
        <span className="quiet number">
          {' '}
          · {texts.attempt(attempts)}, {texts.tryAgainIn(duration(Math.ceil(ms / 1_000) * 1_000))}
        </span>
      )}
    </span>
  );
}
