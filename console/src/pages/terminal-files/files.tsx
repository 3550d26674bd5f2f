import { ButtonLink } from '../../design/button.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Page, Panel } from '../../design/page.js';
import { Pager } from '../../design/pager.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import { setQuery, usePlace } from '../../router/location.js';
import { mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import type { RestaurantPageProps } from '../page-props.js';
import { countsOf, openOf } from './answers.js';
import { useDays } from './days-of.js';
import { type TerminalFile, useFiles } from './queries.js';
import { useTexts } from './texts.js';
import { Upload } from './upload.js';
import './terminal-files.css';

/** The files of the payment provider, and the way to bring a new one (N29). */
export default function TerminalFiles({ restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const { id, role } = restaurant;
  const after = usePlace().query.get('after') ?? undefined;
  const files = useFiles(id, after);
  return (
    <Page
      title={texts.title}
      aside={
        <ButtonLink to={`/r/${id}/takings`} icon="coins">
          {texts.toTakings}
        </ButtonLink>
      }
    >
      <div className="stack">
        <Upload restaurantId={id} mayUpload={mayManage(role)} />
        <Answer query={files} lines={5}>
          {({ data, meta }) => (
            <Panel title={texts.list.title}>
              {data.length === 0 ? (
                <EmptyState title={texts.list.none}>
                  <p>{texts.list.noneHelp}</p>
                </EmptyState>
              ) : (
                <FileTable files={data} restaurant={restaurant} />
              )}
              <Pager
                isFirst={after === undefined}
                next={meta.next === null ? undefined : () => setQuery({ after: meta.next ?? undefined })}
                first={() => setQuery({ after: undefined })}
              />
            </Panel>
          )}
        </Answer>
      </div>
    </Page>
  );
}

function FileTable({
  files,
  restaurant: { id, timezone },
}: {
  readonly files: readonly TerminalFile[];
  readonly restaurant: OwnRestaurant;
}) {
  const { list: texts } = useTexts();
  const { dateTime } = useFormats();
  const daysOf = useDays();
  const columns: Column<TerminalFile>[] = [
    {
      ...{ key: 'file', header: texts.file, heading: true },
      cell: (file) => (
        <Link to={`/r/${id}/terminal-files/${file.id}`}>
          <bdi className="named">{file.name}</bdi>
        </Link>
      ),
    },
    { key: 'days', header: texts.days, cell: ({ days }) => days && daysOf(days) },
    { key: 'result', header: texts.result, cell: (file) => <Result file={file} /> },
    {
      ...{ key: 'uploaded', header: texts.uploaded },
      cell: ({ uploadedAt, uploadedBy }) => (
        <bdi className="fine">{texts.by(uploadedBy ?? texts.somebody, dateTime(uploadedAt, timezone))}</bdi>
      ),
    },
  ];
  return <Table caption={texts.title} columns={columns} rows={files} rowKey={(file) => file.id} />;
}

function Result({ file: { state, summary } }: { readonly file: TerminalFile }) {
  const { list: texts } = useTexts();
  if (state === 'UPLOADED') return <span className="badge tone-wait">{texts.waits}</span>;
  const countOf = countsOf(summary);
  const open = openOf(summary);
  const tone = countOf('MISSING_HERE') > 0 ? 'bad' : open > 0 ? 'wait' : 'good';
  return <span className={`badge tone-${tone}`}>{open > 0 ? texts.needs(open) : texts.fine}</span>;
}
