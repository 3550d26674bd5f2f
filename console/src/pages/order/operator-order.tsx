import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { Copyable } from '../../design/copy.js';
import { Facts } from '../../design/facts.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Page, Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import { usePlace } from '../../router/location.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import type { PlatformPageProps } from '../page-props.js';
import { Bodies } from './bodies-view.js';
import { Withheld } from './erase.js';
import { Journey } from './journey.js';
import { Meaning } from './meaning.js';
import { OrderTitle } from './order-title.js';
import { paidOf } from './reading.js';
import { useTexts } from './texts.js';
import './order.css';
import './journey.css';

/** One order of any restaurant, for platform administrators (R37): each reading is audited, and where they may (R9) they send it again. */
export default function OperatorOrder({ session, restaurants }: PlatformPageProps) {
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
        {(known) => (
          <Reading
            order={known}
            restaurantId={ofRestaurant}
            isOwn={restaurants.some(({ id }) => id === ofRestaurant)}
            maySend={session.operatorActions === true}
            readAt={order.dataUpdatedAt}
          />
        )}
      </Answer>
    </Page>
  );
}

function Reading({
  order,
  restaurantId,
  isOwn,
  maySend,
  readAt,
}: {
  readonly order: View<'OperatorOrderView'>;
  readonly restaurantId: string;
  /** whether the operator is one of its people */
  readonly isOwn: boolean;
  readonly maySend: boolean;
  readonly readAt: number;
}) {
  const texts = useTexts();
  const { amount, dateTime } = useFormats();
  const paid = paidOf(order);
  const name = <bdi className="named">{order.restaurantName}</bdi>;
  // operators' pages show UTC; the role allows nothing
  const restaurant = { id: restaurantId, role: 'VIEWER', timezone: 'UTC' } as OwnRestaurant;
  return (
    <>
      <div className="order-top">
        <Meaning order={order} restaurant={restaurant} operator={{ maySend }} />
        <Panel title={texts.sale}>
          <Facts
            facts={[
              [
                texts.restaurant,
                isOwn ? (
                  <Link key="name" to={`/r/${restaurantId}/tonight`}>
                    {name}
                  </Link>
                ) : (
                  name
                ),
              ],
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
              ...order.jobs.map(({ id, action }) => [texts.jobs[action], <Copyable key={id} text={id} />] as const),
              [texts.restaurantId, <Copyable key="restaurant" text={restaurantId} />],
              ...(order.traceId === null
                ? []
                : [[texts.trace, <Copyable key="trace" text={order.traceId} />] as const]),
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
