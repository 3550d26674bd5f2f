import { useQuery } from '@tanstack/react-query';
import { readOrder } from '../../api/orders.js';
import { Problem } from '../../api/problem.js';
import { pauseOf } from '../../api/queries.js';
import { Copyable, CopyButton } from '../../design/copy.js';
import { Facts } from '../../design/facts.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Page, Panel } from '../../design/page.js';
import { StateBadge } from '../../design/states.js';
import { useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import { asLeft, usePlace } from '../../router/location.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import type { RestaurantPageProps } from '../page-props.js';
import { Bodies } from './bodies-view.js';
import { CancelOrder } from './cancel.js';
import { EraseOrder, Withheld } from './erase.js';
import { Journey } from './journey.js';
import { Meaning } from './meaning.js';
import { OrderTitle } from './order-title.js';
import { isMoving, type Order, orderBadgeOf, paidOf } from './reading.js';
import { useTexts } from './texts.js';
import './order.css';
import './journey.css';

const MOVING_MS = 3_000;
const SETTLED_MS = 20_000;

/** One order: the meaning of its state, its steps, and what was sent. */
export default function OrderPage({ restaurant, parameters }: RestaurantPageProps) {
  const texts = useTexts();
  const { query } = usePlace();
  // some keys cannot be in a path
  const key = query.get('key') ?? parameters.key ?? '';
  const order = useOrder(restaurant.id, key);
  const isMissing = order.error instanceof Problem && order.error.status === 404;
  return (
    <Page
      title={<OrderTitle order={order.data} keyInAddress={key} />}
      aside={order.data && <States order={order.data} />}
    >
      <p className="order-back">
        <Link to={asLeft(`/r/${restaurant.id}/tonight`)}>
          <Icon name="back" /> {texts.back}
        </Link>
      </p>
      {isMissing ? (
        <EmptyState icon="search" title={texts.missing}>
          <p>{texts.missingHelp}</p>
        </EmptyState>
      ) : (
        <Answer query={order} lines={8}>
          {(known) => <Whole order={known} readAt={order.dataUpdatedAt} restaurant={restaurant} />}
        </Answer>
      )}
    </Page>
  );
}

function useOrder(restaurantId: string, key: string) {
  return useQuery({
    queryKey: ['order', restaurantId, key],
    queryFn: ({ signal }) => readOrder(restaurantId, key, signal),
    refetchInterval: ({ state }) => pauseOf(state.data && isMoving(state.data) ? MOVING_MS : SETTLED_MS),
    refetchIntervalInBackground: false,
  });
}

function States({ order }: { readonly order: Order }) {
  const texts = useTexts();
  return (
    <span className="row">
      <StateBadge badge={orderBadgeOf(order)} />
      {order.test && <StateBadge badge="test" />}
      <CopyButton text={location.href} label={texts.copyLink} icon="link" />
    </span>
  );
}

function Whole({
  order,
  readAt,
  restaurant,
}: {
  readonly order: Order;
  readonly readAt: number;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const formats = useFormats();
  const has = useHas();
  const paid = order.kind === 'REFUND' ? -order.netCents : paidOf(order);
  return (
    <>
      <div className="order-top">
        <Meaning order={order} restaurant={restaurant} />
        <Panel title={texts.sale}>
          <Facts
            facts={[
              ...(order.label === null ? [] : [[texts.label, <bdi key="label">{order.label}</bdi>] as const]),
              [texts.received, formats.dateTime(order.receivedAt, restaurant.timezone)],
              ...(order.transactionDate === null
                ? []
                : [[texts.sold, formats.dateTime(order.transactionDate, restaurant.timezone)] as const]),
              ...(paid === undefined
                ? []
                : [
                    [
                      order.kind === 'REFUND' ? texts.paidBack : texts.paid,
                      <b key="paid" className="number">
                        {formats.amount(paid)}
                      </b>,
                    ] as const,
                  ]),
              [texts.key, <Copyable key="key" text={order.transactionKey} />],
              ...(order.sourceKey === order.transactionKey
                ? []
                : [[texts.sourceKey, <bdi key="source">{order.sourceKey}</bdi>] as const]),
              ...(order.traceId === null
                ? []
                : [[texts.trace, <Copyable key="trace" text={order.traceId} />] as const]),
            ]}
          />
          {order.receivedOnAnotherDay && (
            <p className="order-late">
              <Icon name="clock" /> {texts.anotherDay}
            </p>
          )}
          {order.test && <p className="fine">{texts.test}</p>}
          <Withheld order={order} timezone={restaurant.timezone} />
          <CancelOrder order={order} restaurant={restaurant} />
        </Panel>
      </div>
      {order.warnings.length > 0 && (
        <Panel title={texts.warnings} className="order-warnings">
          <ul className="plain-list" lang="en">
            {order.warnings.map((warning) => (
              <li key={warning}>
                <Icon name="warning" /> <bdi>{warning}</bdi>
              </li>
            ))}
          </ul>
          <p className="fine">{texts.warningsHelp}</p>
        </Panel>
      )}
      <Journey order={order} readAt={readAt} restaurant={restaurant} />
      <Bodies order={order} />
      {has('personal-data') && <EraseOrder order={order} restaurant={restaurant} />}
    </>
  );
}
