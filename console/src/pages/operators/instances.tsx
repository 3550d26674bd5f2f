import type { Query } from '../../api/queries.js';
import { useNow } from '../../browser/now.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import type { Instance } from './queries.js';
import { useTexts } from './texts.js';

/** The processes of the relay, with the time they were last seen. */
export function Instances({ query }: { readonly query: Query<readonly Instance[]> }) {
  const texts = useTexts().instances;
  const { relative, duration, number, dateTime } = useFormats();
  const now = useNow(5_000);
  const columns: Column<Instance>[] = [
    { key: 'id', header: texts.id, heading: true, cell: ({ id }) => <bdi className="mono">{id}</bdi> },
    {
      key: 'state',
      header: texts.state,
      cell: ({ alive }) => (
        <span className={`badge tone-${alive ? 'good' : 'bad'}`}>
          <Icon name={alive ? 'check' : 'stop'} />
          {alive ? texts.alive : texts.silent}
        </span>
      ),
    },
    { key: 'seen', header: texts.seen, cell: ({ secondsSinceSeen }) => relative(now - secondsSinceSeen * 1_000, now) },
    { key: 'version', header: texts.version, cell: ({ version }) => version },
    {
      key: 'started',
      header: texts.started,
      cell: ({ startedAt }) => (
        <>
          {dateTime(startedAt, 'UTC')} <span className="fine">({duration(now - Date.parse(startedAt))})</span>
        </>
      ),
    },
    {
      key: 'delivers',
      header: texts.delivers,
      cell: ({ workerEnabled, pace }) => (workerEnabled ? texts.pace[pace] : texts.httpOnly),
    },
    { key: 'processing', header: texts.processing, end: true, cell: ({ processing }) => number(processing) },
  ];
  return (
    <Panel title={texts.title}>
      <Answer query={query} lines={2}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="clock" title={texts.none} />
          ) : (
            <>
              <Table caption={texts.title} columns={columns} rows={rows} rowKey={({ id }) => id} />
              {new Set(rows.filter(({ alive }) => alive).map(({ version }) => version)).size > 1 && (
                <p className="fine">{texts.other}</p>
              )}
            </>
          )
        }
      </Answer>
    </Panel>
  );
}
