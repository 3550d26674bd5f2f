import type { View } from '../../api/client.js';
import { setupPlace } from '../../api/setup-place.js';
import { useTyped } from '../../browser/typed.js';
import { Button } from '../../design/button.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { CancelledNote, MoneyLine, useCounts } from '../../design/money.js';
import { Page } from '../../design/page.js';
import { Pager } from '../../design/pager.js';
import { SearchBox } from '../../design/search-box.js';
import { type Column, Table } from '../../design/table.js';
import { Currency, dateIn, formatsOf, useFormats } from '../../i18n/formats.js';
import { useLanguage } from '../../i18n/language.js';
import { Link } from '../../router/link.js';
import { setQuery, usePlace } from '../../router/location.js';
import { LIGHTS, useOverview } from '../../session/overview.js';
import { useTexts } from './texts.js';
import './restaurants.css';

type Row = View<'RestaurantOverviewView'>;

/** All restaurants of the user at a glance (N23). */
export default function Restaurants() {
  const texts = useTexts();
  const { query } = usePlace();
  const search = (query.get('q') ?? '').trim();
  const after = query.get('after') ?? undefined;
  const overview = useOverview(search, after);
  return (
    <Page title={texts.title}>
      <section className="panel restaurants">
        <Search value={search} />
        <Answer query={overview} lines={8}>
          {({ data, meta }) => (
            <>
              {data.length === 0 ? (
                <EmptyState icon="search" title={texts.foundNone}>
                  <Button onClick={() => setQuery({ q: undefined, after: undefined })}>{texts.clearSearch}</Button>
                </EmptyState>
              ) : (
                <Rows rows={data} />
              )}
              <Pager
                isFirst={after === undefined}
                next={meta.next === null ? undefined : () => setQuery({ after: meta.next ?? undefined })}
                first={() => setQuery({ after: undefined })}
              />
            </>
          )}
        </Answer>
      </section>
    </Page>
  );
}

function Search({ value }: { readonly value: string }) {
  const texts = useTexts();
  const [typed, setTyped] = useTyped(value, (q) => setQuery({ q: q === '' ? undefined : q, after: undefined }));
  return (
    <search>
      <SearchBox label={texts.search} value={typed} maxLength={200} onType={setTyped} />
    </search>
  );
}

function Rows({ rows }: { readonly rows: readonly Row[] }) {
  const texts = useTexts();
  const countsText = useCounts();
  const columns: readonly Column<Row>[] = [
    {
      key: 'name',
      header: texts.name,
      heading: true,
      cell: ({ id, name }) => (
        <Link to={`/r/${id}/tonight`}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    { key: 'light', header: texts.light, cell: ({ light }) => <Light light={light} /> },
    { key: 'orders', header: texts.orders, end: true, cell: ({ counts }) => countsText(counts) },
    { key: 'taken', header: texts.taken, end: true, cell: (row) => <Taken row={row} /> },
    { key: 'open', header: texts.notInPos, end: true, cell: (row) => <NotInPos row={row} /> },
    { key: 'last', header: texts.lastSale, end: true, cell: (row) => <LastSale row={row} /> },
    { key: 'setup', header: texts.setup, end: true, cell: (row) => <SetupLeft row={row} /> },
  ];
  return (
    <>
      <Table caption={texts.list} columns={columns} rows={rows} rowKey={({ id }) => id} />
      <CancelledNote of={rows} />
    </>
  );
}

function Light({ light }: { readonly light: Row['light'] }) {
  const { lights } = useTexts();
  const [icon, tone] = LIGHTS[light];
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {lights[light]}
    </span>
  );
}

function Taken({ row }: { readonly row: Row }) {
  return (
    <Currency value={row.currency}>
      <MoneyLine of={row} />
    </Currency>
  );
}

function NotInPos({ row: { id, notInPos, notInPosCents, earlierParked, currency } }: { readonly row: Row }) {
  const texts = useTexts();
  const { amount, number } = formatsOf(useLanguage(), currency);
  return (
    <span className="restaurants-open">
      {notInPos === 0 ? (
        <span className="quiet">{texts.everything}</span>
      ) : (
        <span>
          {amount(notInPosCents)} ({texts.orderCount(notInPos)})
        </span>
      )}
      {earlierParked > 0 && (
        <Link to={`/r/${id}/tonight?state=parked`} className="restaurants-earlier">
          {texts.earlier(number(earlierParked))}
        </Link>
      )}
    </span>
  );
}

function LastSale({ row: { lastSaleAt, timezone, day } }: { readonly row: Row }) {
  const texts = useTexts();
  const { time, dateTime } = useFormats();
  if (lastSaleAt === null) return <span className="quiet">{texts.noSale}</span>;
  const isToday = dateIn(timezone, lastSaleAt) === day;
  return <time dateTime={lastSaleAt}>{(isToday ? time : dateTime)(lastSaleAt, timezone)}</time>;
}

function SetupLeft({ row: { id, setup } }: { readonly row: Row }) {
  const texts = useTexts();
  if (setup.length === 0) return <span className="quiet">{texts.isDone}</span>;
  return <Link to={setupPlace(id)}>{texts.stepsLeft(setup.length)}</Link>;
}
