import type { Query } from '../../api/queries.js';
import { useNow } from '../../browser/now.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import type { Refusing } from './queries.js';
import { useTexts } from './texts.js';

/** Restaurants whose POS accepts nothing, with the last error. */
export function RefusingRestaurants({ query }: { readonly query: Query<readonly Refusing[]> }) {
  const texts = useTexts().refusing;
  const { number, relative, dateTime } = useFormats();
  const now = useNow(10_000);
  const columns: Column<Refusing>[] = [
    { key: 'name', header: texts.restaurant, heading: true, cell: ({ name }) => <bdi className="named">{name}</bdi> },
    {
      key: 'since',
      header: texts.since,
      cell: ({ since }) =>
        since && (
          <>
            {relative(since, now)}
            <br />
            <span className="fine">{dateTime(since, 'UTC')}</span>
          </>
        ),
    },
    {
      key: 'delivered',
      header: texts.delivered,
      cell: ({ lastDeliveredAt }) => (lastDeliveredAt ? relative(lastDeliveredAt, now) : texts.never),
    },
    { key: 'attempts', header: texts.attempts, end: true, cell: ({ attempts }) => number(attempts) },
    { key: 'waiting', header: texts.waiting, end: true, cell: ({ waiting }) => number(waiting) },
    {
      key: 'error',
      header: texts.error,
      cell: ({ lastError }) => (
        <bdi className="named" lang="en">
          {lastError}
        </bdi>
      ),
    },
  ];
  return (
    <Panel title={texts.title}>
      <Answer query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="check" title={texts.none}>
              <p>{texts.noneHelp}</p>
            </EmptyState>
          ) : (
            <Table caption={texts.title} columns={columns} rows={rows} rowKey={({ restaurantId }) => restaurantId} />
          )
        }
      </Answer>
    </Panel>
  );
}
