import type { View } from '../../api/client.js';
import { Button, ButtonLink } from '../../design/button.js';
import { Choices } from '../../design/choices.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Panel } from '../../design/page.js';
import { Pager } from '../../design/pager.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { setQuery, usePlace } from '../../router/location.js';
import { useMayResend } from '../../session/resend.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { OrderRow } from './order-row.js';
import { FILTERS, type Filter, useOrders } from './queries.js';
import { Search } from './search.js';
import { useTexts } from './texts.js';

/** The orders with their state, live; found by what somebody types, filtered by state. What is chosen stands in the address. */
export function Orders({
  restaurant,
  state,
  readAt,
}: {
  readonly restaurant: OwnRestaurant;
  readonly state: View<'StateView'> | undefined;
  readonly readAt: number;
}) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const { query } = usePlace();
  const filter = FILTERS.find((known) => known === query.get('state')) ?? 'all';
  const search = (query.get('q') ?? '').trim();
  const isEarlier = query.has('earlier');
  const after = query.get('after') ?? undefined;
  // what waits or is parked needs somebody whatever its day; the rest is of today, unless earlier days are wanted
  const isOfAnyDay = filter === 'waiting' || filter === 'parked' || isEarlier;
  const wanted = { filter, search, after, from: isOfAnyDay ? undefined : state?.today.from };
  const orders = useOrders(restaurant.id, wanted, state !== undefined);
  const maySend = useMayResend(restaurant.id).data?.allowed ?? false;
  const has = useHas();
  const counts = state && countsNow(state, isEarlier);
  const now = state ? Date.parse(state.now) + Math.max(0, Date.now() - readAt) : Date.now();
  return (
    <Panel
      title={texts.orders}
      className="orders"
      aside={
        state &&
        has('tickets') &&
        needsPaper(state) && (
          <ButtonLink to={`/r/${restaurant.id}/tickets`} icon="printer">
            {texts.printAll}
          </ButtonLink>
        )
      }
    >
      <Search value={search} />
      <Filters filter={filter} counts={counts} />
      <Answer query={orders} lines={8}>
        {({ data: rows }) =>
          rows.length > 0 ? (
            <ul className={`order-list ${orders.isPlaceholderData ? 'is-old' : ''}`}>
              {rows.map((order) => (
                <OrderRow
                  key={order.transactionKey}
                  order={order}
                  restaurant={restaurant}
                  now={now}
                  maySend={maySend}
                />
              ))}
            </ul>
          ) : (
            <Nothing filter={filter} search={search} isEarlier={isEarlier} />
          )
        }
      </Answer>
      {search && orders.data?.meta.searchedFrom && (
        <p className="fine">{texts.searchedFrom(dateTime(orders.data.meta.searchedFrom, restaurant.timezone))}</p>
      )}
      {!search && orders.data && (
        <Pager
          isFirst={after === undefined}
          next={nextOf(orders.data.meta.next)}
          first={() => setQuery({ after: undefined })}
        />
      )}
      {!search && after === undefined && filter !== 'waiting' && filter !== 'parked' && (
        <div className="order-days">
          <Button kind="quiet" onClick={() => setQuery({ earlier: isEarlier ? undefined : '1', after: undefined })}>
            {isEarlier ? texts.onlyToday : texts.earlier}
          </Button>
        </div>
      )}
    </Panel>
  );
}

/** Whether orders of the current business day wait or are parked. */
function needsPaper({ today, parked }: View<'StateView'>): boolean {
  return today.waiting > 0 || parked.orders > parked.earlier.orders;
}

const nextOf = (next: string | null) => (next === null ? undefined : () => setQuery({ after: next }));

/** A number of today, and beside it that of earlier days, so that the numbers of today add up (R42). */
interface Count {
  readonly today: number;
  readonly earlier: number;
}
type Counts = Partial<Record<Filter, Count>>;

const ofToday = (today: number): Count => ({ today, earlier: 0 });

/** The relay's own counts; of earlier days nobody has counted those that are done. */
function countsNow({ today, waiting, parked }: View<'StateView'>, isEarlier: boolean): Counts {
  const earlier = parked.earlier.orders + parked.earlier.cancels;
  const attention = {
    waiting: { today: today.waiting, earlier: Math.max(0, waiting.orders - today.waiting) },
    parked: { today: parked.orders + parked.cancels - earlier, earlier },
  };
  if (isEarlier) return attention;
  return {
    ...attention,
    all: ofToday(today.orders + today.refunds),
    delivered: ofToday(today.delivered),
    cancelled: ofToday(today.cancelled),
  };
}

function Filters({ filter, counts }: { readonly filter: Filter; readonly counts: Counts | undefined }) {
  const texts = useTexts();
  const { number } = useFormats();
  const written = ({ today, earlier }: Count) =>
    earlier > 0 ? texts.andEarlier(number(today), number(earlier)) : number(today);
  const choices = FILTERS.map((value) => {
    const count = counts?.[value];
    return { value, label: texts.filters[value], count: count && written(count) };
  });
  return (
    <Choices
      label={texts.filter}
      choices={choices}
      value={filter}
      onChange={(value) => setQuery({ state: value === 'all' ? undefined : value, after: undefined })}
    />
  );
}

function Nothing({
  filter,
  search,
  isEarlier,
}: {
  readonly filter: Filter;
  readonly search: string;
  readonly isEarlier: boolean;
}) {
  const texts = useTexts();
  if (search)
    return (
      <EmptyState icon="search" title={texts.foundNone(isolated(search))}>
        <p>{texts.foundNoneHelp}</p>
        <Button onClick={() => setQuery({ q: undefined, state: undefined })}>{texts.clearSearch}</Button>
      </EmptyState>
    );
  const isGood = filter === 'waiting' || filter === 'parked';
  return (
    <EmptyState icon={isGood ? 'check' : 'clock'} title={texts.none[filter]}>
      {filter === 'all' && !isEarlier && <p>{texts.noneHelp}</p>}
    </EmptyState>
  );
}
