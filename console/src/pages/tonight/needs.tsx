import { lazy, type ReactNode, Suspense } from 'react';
import type { View } from '../../api/client.js';
import { orderPlace } from '../../api/order-place.js';
import { setupPlace } from '../../api/setup-place.js';
import { useNow } from '../../browser/now.js';
import { ButtonLink } from '../../design/button.js';
import { isOfSetup, topicOf } from '../../design/cause.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { Link } from '../../router/link.js';
import { MapLink, OrderActs, useMayMap } from '../../session/order-acts.js';
import { Resume } from '../../session/pause.js';
import { useMayResend, WhoMayResend } from '../../session/resend.js';
import { mayAdminister, mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { actsOf, BADGE, useNeedWords } from './need-words.js';
import { SendCause } from './send-cause.js';
import { useTexts } from './texts.js';
import { TryNow } from './try-now.js';
import type { Need } from './verdict.js';
import './needs.css';

/** Only for those who have orders of earlier days: the first load has a limit. */
const ResolveEarlier = lazy(() => import('./resolve-earlier.js'));

type Order = Need['orders'][number];

/** What the list of orders can show. */
const LISTED: ReadonlySet<Need['kind']> = new Set([
  'ORDER_PARKED',
  'CANCEL_PARKED',
  'PAUSED',
  'POS_REFUSES',
  'ORDER_LATE',
]);

/** Everything that needs somebody, a card for each cause, with its orders and the buttons that help (R67). */
export function Needs({
  state,
  readAt,
  restaurant,
}: {
  readonly state: View<'StateView'>;
  /** when the state was read, by this device's clock, in ms */
  readonly readAt: number;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const isCounting = state.needs.some(({ kind }) => kind === 'POS_REFUSES');
  const now = Date.parse(state.now) + Math.max(0, useNow(isCounting ? 1_000 : undefined) - readAt);
  if (state.needs.length === 0) return null;
  return (
    <ul className="needs" aria-label={texts.needs.label}>
      {state.needs.map((need) => (
        <Card
          key={`${need.kind} ${need.cause} ${need.subject} ${need.name}`}
          need={need}
          state={state}
          now={now}
          restaurant={restaurant}
          isAlone={state.needs.length === 1}
        />
      ))}
    </ul>
  );
}

function Card({
  need,
  state,
  now,
  restaurant,
  isAlone,
}: {
  readonly need: Need;
  readonly state: View<'StateView'>;
  /** in ms */
  readonly now: number;
  readonly restaurant: OwnRestaurant;
  /** beside others it shows its newest order and folds the rest, so that a phone shows each cause at once */
  readonly isAlone: boolean;
}) {
  const texts = useTexts().needs;
  const { tone, title, help, warning, countdown } = useNeedWords(restaurant)(need, state, now);
  const more = need.count - need.orders.length;
  const isSingle = need.count === 1 && need.orders.length === 1;
  const filter =
    need.kind === 'PAUSED' || need.kind === 'POS_REFUSES' || need.kind === 'ORDER_LATE' ? 'waiting' : 'parked';
  const isFolded = !isAlone && need.orders.length > 1;
  const orders = (some: readonly Order[], withActs = true) =>
    some.length > 0 && (
      <ul className="need-orders">
        {some.map((order) => (
          <OrderOf key={order.transactionKey} order={order} need={need} restaurant={restaurant} withActs={withActs}>
            {isSingle && <Acts need={need} restaurant={restaurant} />}
          </OrderOf>
        ))}
      </ul>
    );
  return (
    <li className={`need need-${tone}`}>
      <p className="need-title">
        <Icon name={tone === 'bad' ? 'stop' : 'clock'} />
        <span>
          {title}
          {countdown && <span className="light-countdown number">, {countdown}</span>}
        </span>
      </p>
      {help && <p className="need-help">{help}</p>}
      {warning && <p className="need-warning">{warning}</p>}
      {isFolded ? orders(ofEachError(need.orders), false) : orders(need.orders)}
      <div className="need-acts">
        {!isSingle && <Acts need={need} restaurant={restaurant} />}
        {isFolded && (
          <details className="need-each">
            <summary>{texts.each}</summary>
            {orders(need.orders)}
          </details>
        )}
        {more > 0 && LISTED.has(need.kind) && (
          <Link to={`/r/${restaurant.id}/tonight?state=${filter}`}>
            {need.orders.length > 0 ? texts.more(more) : texts.all}
          </Link>
        )}
      </div>
    </li>
  );
}

/** The newest order of each thing that the POS says, two at most. */
function ofEachError(orders: readonly Order[]): readonly Order[] {
  return orders
    .filter(({ lastError }, place) => orders.findIndex((other) => other.lastError === lastError) === place)
    .slice(0, 2);
}

/** An order of a card: table and amount, what the POS says, and what can be done about this order. */
function OrderOf({
  order,
  need,
  restaurant,
  withActs,
  children,
}: {
  readonly order: Order;
  readonly need: Need;
  readonly restaurant: OwnRestaurant;
  readonly withActs: boolean;
  /** what can be done about the whole card */
  readonly children: ReactNode;
}) {
  const texts = useTexts();
  const { amount, time } = useFormats();
  const maySend = useMayResend(restaurant.id).data?.allowed ?? false;
  const badge = BADGE[need.kind];
  const { transactionKey, transactionNumber, label, cents, receivedAt, lastError, triedAgainAt } = order;
  const name = isolated(transactionNumber ?? transactionKey);
  return (
    <li>
      <Link to={orderPlace(restaurant.id, transactionKey)} className="need-order">
        <span className="need-name">
          <bdi>{transactionNumber === null ? transactionKey : texts.number(name)}</bdi>
          {label !== null && <bdi className="order-label">{label}</bdi>}
        </span>
        <span className="number">{amount(cents)}</span>
        <time className="quiet number" dateTime={receivedAt}>
          {time(receivedAt, restaurant.timezone)}
        </time>
        {lastError !== null && (
          <bdi className="need-said" lang="en">
            {lastError}
          </bdi>
        )}
        {triedAgainAt !== null && (
          <span className="need-tried">{texts.needs.triedAgain(time(triedAgainAt, restaurant.timezone))}</span>
        )}
      </Link>
      <div className="need-acts">
        {children}
        {withActs && badge && (
          <OrderActs
            restaurant={restaurant}
            transactionKey={transactionKey}
            name={name}
            badge={badge}
            cause={need.cause}
            subject={need.subject}
            maySend={maySend}
            isInCard
          />
        )}
      </div>
    </li>
  );
}

/** What can be done about all of a card. */
function Acts({ need, restaurant }: { readonly need: Need; readonly restaurant: OwnRestaurant }) {
  const texts = useTexts();
  const has = useHas();
  const may = useMayResend(restaurant.id);
  const mayMap = useMayMap(restaurant);
  const can = actsOf(need);
  const here = `/r/${restaurant.id}`;
  const { kind, cause, subject, count, orders } = need;
  const isOrders = kind === 'ORDER_PARKED';
  const setUp = (isOrders || kind === 'POS_REFUSES') && isOfSetup(cause, subject) && mayAdminister(restaurant.role);
  return (
    <>
      {setUp && (
        <ButtonLink to={setupPlace(restaurant.id, topicOf(cause, subject))} icon="sliders" kind="primary">
          {texts.checkSetup}
        </ButtonLink>
      )}
      {isOrders && count > 1 && can.includes('map') && mayMap && orders[0] && (
        <MapLink restaurant={restaurant} transactionKey={orders[0].transactionKey} kind="primary" />
      )}
      {isOrders && count > 1 && can.includes('send') && may.data?.allowed && (
        <SendCause need={need} restaurant={restaurant} />
      )}
      {isOrders && can.includes('send') && may.data && !may.data.allowed && <WhoMayResend may={may.data} />}
      {kind === 'PAUSED' && <Resume restaurant={restaurant} />}
      {kind === 'POS_REFUSES' && <TryNow restaurantId={restaurant.id} />}
      {kind === 'KEY_REUSED' && (
        <ButtonLink to={`${here}/${has('alerts') ? 'alerts' : 'refused-sales'}`} icon="arrow">
          {texts.showRefused}
        </ButtonLink>
      )}
      {(kind === 'SENDER_REFUSED' || kind === 'SENDER_SILENT') && mayAdminister(restaurant.role) && (
        <ButtonLink to={setupPlace(restaurant.id, 'terminals')} icon="sliders">
          {texts.checkSetup}
        </ButtonLink>
      )}
      {kind === 'EARLIER_PARKED' && has('resend') && mayManage(restaurant.role) && (
        <Suspense fallback={null}>
          <ResolveEarlier restaurantId={restaurant.id} />
        </Suspense>
      )}
    </>
  );
}
