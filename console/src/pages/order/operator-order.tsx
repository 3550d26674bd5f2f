import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { Copyable } from '../../design/copy.js';
import { Facts } from '../../design/facts.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Page, Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import { usePlace } from '../../router/location.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { Bodies } from './bodies-view.js';
import { Withheld } from './erase.js';
import { Journey } from './journey.js';
import { Meaning } from './meaning.js';
import { OrderTitle } from './order-title.js';
import { type Order, paidOf } from './reading.js';
import { useTexts } from './texts.js';
import './order.css';
import './journey.css';

/** One order of any restaurant, for platform administrators (R37). It only reads, and each reading is audited. */
export default function OperatorOrder() {
  const texts = useTexts();
  const { query } = usePlace();
  const [ofRestaurant, key] = [query.get('of') ?? '', query.get('key') ?? ''];
  const order = useQuery({
    queryKey: ['operators', 'order', ofRestaurant, key],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/orders/{ofRestaurant}/{transactionKey}', {
          params: { path: { ofRestaurant, transactionKey: 'key' }, query: { key } },
          signal,
        }),
      ),
    // each reading is audited
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={<OrderTitle order={order.data} keyInAddress={key} />}>
      <p className="order-back">
        <Link to="/operators">
          <Icon name="back" /> {texts.toOperators}
        </Link>
      </p>
      <p className="fine">{texts.readByOperator}</p>
      <Answer query={order} lines={8}>
        {(known) => <Reading order={known} restaurantId={ofRestaurant} readAt={order.dataUpdatedAt} />}
      </Answer>
    </Page>
  );
}

function Reading({
  order,
  restaurantId,
  readAt,
}: {
  readonly order: Order;
  readonly restaurantId: string;
  readonly readAt: number;
}) {
  const texts = useTexts();
  const { amount, dateTime } = useFormats();
  const paid = paidOf(order);
  // operators' pages show UTC; the role allows nothing
  const restaurant = { id: restaurantId, role: 'VIEWER', timezone: 'UTC' } as OwnRestaurant;
  return (
    <>
      <div className="order-top">
        <Meaning order={order} restaurant={restaurant} readOnly />
        <Panel title={texts.sale}>
          <Facts
            facts={[
              [texts.received, dateTime(order.receivedAt, 'UTC')],
              ...(paid === undefined
                ? []
                : [
                    [
                      texts.paid,
                      <b key="paid" className="number">
                        {amount(paid)}
                      </b>,
                    ] as const,
                  ]),
              [texts.key, <Copyable key="key" text={order.transactionKey} />],
            ]}
          />
          <Withheld order={order} timezone="UTC" />
        </Panel>
      </div>
      <Journey order={order} readAt={readAt} restaurant={restaurant} />
      <Bodies order={order} />
    </>
  );
}
