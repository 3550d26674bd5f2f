import { useQuery } from '@tanstack/react-query';
import { Button } from '../../design/button.js';
import { useWaitingWords } from '../../design/cause-words.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Page } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import { asLeft } from '../../router/location.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import type { RestaurantPageProps } from '../page-props.js';
import { mayBePrinted } from './reading.js';
import { Slip } from './slip.js';
import { useTexts } from './texts.js';
import { readWaiting, type Waiting } from './waiting.js';
import './ticket.css';

/** The tickets of all orders of the business day that wait or are parked, each on a page of its own (K10). */
export default function TicketsPage({ restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const waiting = useQuery({
    queryKey: ['tickets', restaurant.id],
    queryFn: ({ signal }) => readWaiting(restaurant.id, signal),
    // read once: what is printed must be what was shown
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  return (
    <Page title={texts.allTitle}>
      <p className="ticket-back not-printed">
        <Link to={asLeft(`/r/${restaurant.id}/tonight`)}>
          <Icon name="back" /> {texts.backToTonight}
        </Link>
      </p>
      <Answer query={waiting} lines={6}>
        {(known) => (
          <AllTickets
            waiting={known}
            restaurant={restaurant}
            isReading={waiting.isFetching}
            readAgain={() => waiting.refetch()}
          />
        )}
      </Answer>
    </Page>
  );
}

function AllTickets({
  waiting: { orders, hasMore, now },
  restaurant,
  isReading,
  readAgain,
}: {
  readonly waiting: Waiting;
  readonly restaurant: OwnRestaurant;
  readonly isReading: boolean;
  readonly readAgain: () => void;
}) {
  const texts = useTexts();
  const { onPaper } = useWaitingWords();
  const { time } = useFormats();
  const again = (
    <Button icon="repeat" busy={isReading} onClick={readAgain}>
      {texts.readAgain}
    </Button>
  );
  if (orders.length === 0)
    return (
      <EmptyState icon="check" title={texts.none}>
        <p>{texts.noneHelp}</p>
        {again}
      </EmptyState>
    );
  return (
    <>
      <div className="ticket-actions not-printed">
        <p>
          {texts.count(orders.length)} {texts.readAt(time(now, restaurant.timezone))}
        </p>
        {hasMore && (
          <p className="ticket-warning">
            <Icon name="warning" /> {texts.more}
          </p>
        )}
        {orders.some(mayBePrinted) && (
          <p className="ticket-warning">
            <Icon name="warning" /> {texts.repeatAmong}
          </p>
        )}
        {orders.some(({ state }) => state === 'waiting') && (
          <p className="ticket-warning">
            <Icon name="warning" /> {onPaper}
          </p>
        )}
        <div className="row">
          <Button kind="primary" icon="printer" onClick={() => window.print()}>
            {texts.print}
          </Button>
          {again}
        </div>
        <p className="fine">
          {texts.fresh} {texts.paper}
        </p>
      </div>
      <div className="slips">
        {orders.map((order) => (
          <Slip key={order.transactionKey} order={order} standing="needed" restaurant={restaurant} />
        ))}
      </div>
    </>
  );
}
