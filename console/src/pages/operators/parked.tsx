import { lazy, Suspense, useState } from 'react';
import type { View } from '../../api/client.js';
import type { Query } from '../../api/queries.js';
import { useNow } from '../../browser/now.js';
import { Button } from '../../design/button.js';
import { capitalised, mayBeThere, mayHelpToSend, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Copyable } from '../../design/copy.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { Link } from '../../router/link.js';
import type { ParkedCause } from './queries.js';
import type { ResetOf } from './reset.js';
import { useTexts } from './texts.js';

const Reset = lazy(() => import('./reset.js'));

/** The restaurants of a cause that are shown at once. */
const SHOWN = 3;

type Example = View<'CauseExampleView'>;

/** The parked jobs by cause, the largest first: the restaurants, examples, and how to reset them. */
export function Parked({ query, mayReset }: { readonly query: Query<View<'CausesView'>>; readonly mayReset: boolean }) {
  const texts = useTexts().parked;
  const now = useNow(10_000);
  // not in the card of the cause, which leaves the list while the dialog is open
  const [asked, setAsked] = useState<ResetOf>();
  return (
    <Panel title={texts.title}>
      <Answer query={query} lines={5}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <EmptyState icon="check" title={texts.none}>
              <p>{texts.noneHelp}</p>
            </EmptyState>
          ) : (
            <>
              <p className="fine">{texts.help}</p>
              <ul className="causes">
                {data.map((cause) => (
                  <li key={cause.cause}>
                    <CauseCard cause={cause} now={now} onReset={mayReset ? setAsked : undefined} />
                  </li>
                ))}
              </ul>
              {meta.more && <p className="fine">{texts.more}</p>}
            </>
          )
        }
      </Answer>
      {asked !== undefined && (
        <Suspense fallback={null}>
          <Reset of={asked} onClose={() => setAsked(undefined)} />
        </Suspense>
      )}
    </Panel>
  );
}

function CauseCard({
  cause,
  now,
  onReset,
}: {
  readonly cause: ParkedCause;
  readonly now: number;
  /** undefined: this relay has no reset by the API */
  readonly onReset: ((of: ResetOf) => void) | undefined;
}) {
  const texts = useTexts().parked;
  const words = useCauseWords();
  const { relative } = useFormats();
  const { kind, subject } = cause;
  const { cause: reason, inShort, inCommon } = wordsFor(words, kind, subject);
  const isSendable = mayHelpToSend(kind, subject);
  return (
    <article className="cause">
      <h3 className="cause-name">
        <Icon name="stop" />
        {capitalised(reason)}
      </h3>
      <p className="mono" lang="en">
        <bdi>{cause.cause}</bdi>
      </p>
      <p>
        <strong>{texts.count(cause.parked, cause.restaurantCount)}</strong>,{' '}
        {cause.parked === 1
          ? relative(cause.newest, now)
          : texts.since(relative(cause.since, now), relative(cause.newest, now))}
        {cause.cancels > 0 && `; ${texts.cancels(cause.cancels)}`}
      </p>
      {/* of a cancel the order is in the POS */}
      {cause.cancels < cause.parked && <p>{(cause.common && inCommon) || inShort}</p>}
      <Places cause={cause} onReset={isSendable ? onReset : undefined} />
      <details>
        <summary>{texts.examples}</summary>
        <Examples examples={cause.examples} caption={`${texts.examples}: ${cause.cause}`} />
      </details>
      {isSendable && (
        <details>
          <summary>{texts.line}</summary>
          <Copyable text={cause.psql} />
          <p className="field-hint">{texts.lineHelp}</p>
        </details>
      )}
    </article>
  );
}

/** The restaurants of a cause, each with a button for what was parked since its business day began, and one for what is older. */
function Places({
  cause: { cause, kind, restaurants, restaurantCount },
  onReset,
}: {
  readonly cause: ParkedCause;
  readonly onReset: ((of: ResetOf) => void) | undefined;
}) {
  const { parked: texts, reset } = useTexts();
  const words = useCauseWords();
  const { number } = useFormats();
  const first = mayBeThere(kind) ? wordsFor(words, kind).inShort : undefined;
  const others = restaurantCount - restaurants.length;
  const rows = restaurants.map(({ restaurantId, name, parked, today, dayBegan }) => (
    <li key={restaurantId} className="cause-place">
      <span>
        <bdi className="named">{name}</bdi>: {texts.today(number(today), number(parked - today))}
      </span>
      {onReset && (
        <span className="row">
          {today > 0 && (
            <Button icon="repeat" onClick={() => onReset({ cause, restaurantId, name, since: dayBegan, first })}>
              {reset.today(number(today))}
            </Button>
          )}
          {parked > today && (
            <Button icon="repeat" onClick={() => onReset({ cause, restaurantId, name, since: undefined, first })}>
              {reset.all(number(parked))}
            </Button>
          )}
        </span>
      )}
    </li>
  ));
  return (
    <>
      <p className="field-label">{texts.restaurants}</p>
      <ul className="plain-list">{rows.slice(0, SHOWN)}</ul>
      {rows.length > SHOWN && (
        <details>
          <summary>{texts.others(rows.length - SHOWN + others)}</summary>
          <ul className="plain-list">{rows.slice(SHOWN)}</ul>
        </details>
      )}
      {rows.length <= SHOWN && others > 0 && <p className="fine">{texts.others(others)}</p>}
    </>
  );
}

function Examples({ examples, caption }: { readonly examples: readonly Example[]; readonly caption: string }) {
  const texts = useTexts().parked;
  const { dateTime } = useFormats();
  const columns: Column<Example>[] = [
    {
      key: 'order',
      header: texts.order,
      heading: true,
      cell: ({ eventKey, restaurantId, restaurantName }) => (
        <>
          <Link to={`/operators/order?of=${restaurantId}&key=${encodeURIComponent(eventKey)}`}>
            <bdi className="named">{eventKey}</bdi>
          </Link>
          <br />
          <bdi className="named fine">{restaurantName}</bdi>
        </>
      ),
    },
    {
      key: 'error',
      header: texts.error,
      cell: ({ lastError }) => (
        <bdi className="named" lang="en">
          {lastError}
        </bdi>
      ),
    },
    { key: 'at', header: texts.parkedAt, cell: ({ parkedAt }) => dateTime(parkedAt, 'UTC') },
    { key: 'job', header: texts.job, cell: ({ jobId }) => <code className="job-id">{jobId}</code> },
  ];
  return <Table caption={caption} columns={columns} rows={examples} rowKey={({ jobId }) => jobId} />;
}
