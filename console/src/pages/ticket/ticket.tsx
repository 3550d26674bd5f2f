import { useQuery } from '@tanstack/react-query';
import { orderPlace } from '../../api/order-place.js';
import { readOrder, readState } from '../../api/orders.js';
import { Problem } from '../../api/problem.js';
import { every } from '../../api/queries.js';
import { Button } from '../../design/button.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Page } from '../../design/page.js';
import { isolated } from '../../i18n/isolated.js';
import { Link } from '../../router/link.js';
import { usePlace } from '../../router/location.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import type { RestaurantPageProps } from '../page-props.js';
import { mayBePrinted, type Order, standingOf } from './reading.js';
import { Slip } from './slip.js';
import { useTexts } from './texts.js';
import './ticket.css';

/** An order that lies on paper may reach the POS: the page says so soon. */
const ORDER_MS = 10_000;

/** The ticket of one order, for paper of 80 mm (K10). */
export default function TicketPage({ restaurant, parameters }: RestaurantPageProps) {
  const texts = useTexts();
  const { query } = usePlace();
  // some keys cannot be in a path
  const key = query.get('key') ?? parameters.key ?? '';
  const { id } = restaurant;
  const order = useQuery({
    queryKey: ['order', id, key],
    queryFn: ({ signal }) => readOrder(id, key, signal),
    ...every(ORDER_MS),
  });
  const state = useQuery({ queryKey: ['state', id], queryFn: ({ signal }) => readState(id, signal) });
  const { transactionNumber } = order.data?.event ?? {};
  const name = typeof transactionNumber === 'string' && transactionNumber !== '' ? transactionNumber : key;
  const isMissing = order.error instanceof Problem && order.error.status === 404;
  return (
    <Page title={texts.title(isolated(name))}>
      <p className="ticket-back not-printed">
        <Link to={orderPlace(id, key)}>
          <Icon name="back" /> {texts.backToOrder}
        </Link>
      </p>
      {isMissing ? (
        <EmptyState icon="search" title={texts.missing}>
          <p>{texts.missingHelp}</p>
        </EmptyState>
      ) : (
        <Answer query={order} lines={6}>
          {(known) => (
            <Answer query={state} lines={6}>
              {({ today }) => <OneTicket order={known} dayBegan={today.from} restaurant={restaurant} />}
            </Answer>
          )}
        </Answer>
      )}
    </Page>
  );
}

function OneTicket({
  order,
  dayBegan,
  restaurant,
}: {
  readonly order: Order;
  readonly dayBegan: string;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const standing = standingOf(order, dayBegan);
  return (
    <>
      <div className="ticket-actions not-printed">
        {standing !== 'needed' && (
          <p className="ticket-warning">
            <Icon name="warning" /> {texts.notNeeded[standing]}
          </p>
        )}
        {mayBePrinted(order) && (
          <p className="ticket-warning">
            <Icon name="warning" /> {texts.repeatHelp}
          </p>
        )}
        <Button kind="primary" icon="printer" onClick={() => window.print()}>
          {texts.print}
        </Button>
        <p className="fine">{texts.paper}</p>
      </div>
      <div className="slips">
        <Slip order={order} standing={standing} restaurant={restaurant} />
      </div>
    </>
  );
}
