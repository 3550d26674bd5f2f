import { useQuery } from '@tanstack/react-query';
import { answerOf, api, type View } from '../../api/client.js';
import { useTyped } from '../../browser/typed.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Panel } from '../../design/page.js';
import { SearchBox } from '../../design/search-box.js';
import { StateBadge } from '../../design/states.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { Link } from '../../router/link.js';
import { setQuery, usePlace } from '../../router/location.js';
import { useTexts } from './texts.js';

type Found = View<'FoundOrderView'>;

/** Finds an order of any restaurant (R37). What is looked for stands in the address. */
export function FindOrder() {
  const texts = useTexts().find;
  const { query } = usePlace();
  const q = (query.get('q') ?? '').trim();
  const [typed, setTyped] = useTyped(q, (text) => setQuery({ q: text }));
  const found = useQuery({
    queryKey: ['operators', 'orders', q],
    queryFn: ({ signal }) => answerOf(api.GET('/admin/orders', { params: { query: { q } }, signal })),
    enabled: q !== '',
  });
  return (
    <Panel title={texts.title}>
      <search className="find-order">
        <SearchBox label={texts.label} value={typed} maxLength={280} onType={setTyped} />
        <p className="field-hint">{texts.hint}</p>
      </search>
      {q !== '' && (
        <Answer query={found} lines={3}>
          {({ data, meta }) =>
            data.length === 0 ? (
              <EmptyState icon="search" title={texts.none(isolated(q))} />
            ) : (
              <>
                <FoundOrders orders={data} />
                {meta.more && <p className="fine">{texts.more}</p>}
              </>
            )
          }
        </Answer>
      )}
    </Panel>
  );
}

function FoundOrders({ orders }: { readonly orders: readonly Found[] }) {
  const texts = useTexts().find;
  const { amount, dateTime } = useFormats();
  const columns: Column<Found>[] = [
    {
      key: 'order',
      header: texts.order,
      heading: true,
      cell: ({ restaurantId, restaurantName, transactionKey, transactionNumber }) => (
        <>
          <Link to={`/operators/order?of=${restaurantId}&key=${encodeURIComponent(transactionKey)}`}>
            <bdi className="named">{transactionNumber ?? transactionKey}</bdi>
          </Link>
          <br />
          <bdi className="named fine">{restaurantName}</bdi>
        </>
      ),
    },
    { key: 'state', header: texts.state, cell: ({ state }) => <StateBadge badge={state} /> },
    { key: 'at', header: texts.received, cell: ({ receivedAt }) => dateTime(receivedAt, 'UTC') },
    { key: 'paid', header: texts.paid, end: true, cell: ({ paidCents }) => amount(paidCents) },
  ];
  return (
    <Table
      caption={texts.title}
      columns={columns}
      rows={orders}
      rowKey={({ restaurantId, transactionKey }) => `${restaurantId} ${transactionKey}`}
    />
  );
}
