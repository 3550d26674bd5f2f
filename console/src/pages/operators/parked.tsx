import { lazy, Suspense, useState } from 'react';
import type { View } from '../../api/client.js';
import type { Query } from '../../api/queries.js';
import { useNow } from '../../browser/now.js';
import { Button } from '../../design/button.js';
import { capitalised, wordsFor } from '../../design/cause.js';
import { Copyable } from '../../design/copy.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import type { ParkedCause } from './queries.js';
import { useTexts } from './texts.js';

const Reset = lazy(() => import('./reset.js'));

type Example = View<'CauseExampleView'>;

/** The parked jobs by cause, the largest first: the restaurants, examples, and how to reset them. */
export function Parked({ query, mayReset }: { readonly query: Query<View<'CausesView'>>; readonly mayReset: boolean }) {
  const texts = useTexts().parked;
  const now = useNow(10_000);
  // not in the card of the cause, which leaves the list while the dialog is open
  const [asked, setAsked] = useState<string>();
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
                    <CauseCard cause={cause} now={now} onReset={mayReset ? () => setAsked(cause.cause) : undefined} />
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
          <Reset cause={asked} onClose={() => setAsked(undefined)} />
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
  readonly onReset: (() => void) | undefined;
}) {
  const { parked: texts, reset } = useTexts();
  const { causes } = useSharedTexts();
  const { relative, number } = useFormats();
  const others = cause.restaurantCount - cause.restaurants.length;
  return (
    <article className="cause">
      <h3 className="cause-name">
        <Icon name="stop" />
        <bdi className="mono" lang="en">
          {cause.cause}
        </bdi>
      </h3>
      <p>{capitalised(wordsFor(causes, cause.kind))}</p>
      <p>
        <strong>{texts.count(cause.parked, cause.restaurantCount)}</strong>,{' '}
        {cause.parked === 1
          ? relative(cause.newest, now)
          : texts.since(relative(cause.since, now), relative(cause.newest, now))}
        {cause.cancels > 0 && `; ${texts.cancels(cause.cancels)}`}
      </p>
      {cause.unmappable && (
        <p className="cause-note">
          <Icon name="warning" /> {texts.unmappable}
        </p>
      )}
      <p className="fine">
        {texts.restaurants}:{' '}
        {cause.restaurants.map(({ restaurantId, name, parked }, place) => (
          <span key={restaurantId}>
            {place > 0 && ', '}
            <bdi className="named">{name}</bdi> ({number(parked)})
          </span>
        ))}
        {others > 0 && ` ${texts.others(others)}`}
      </p>
      <details>
        <summary>{texts.examples}</summary>
        <Examples examples={cause.examples} caption={`${texts.examples}: ${cause.cause}`} />
      </details>
      <div className="cause-line">
        <p className="field-label">{texts.line}</p>
        <Copyable text={cause.psql} />
        <p className="field-hint">{texts.lineHelp}</p>
      </div>
      {onReset && (
        <div>
          <Button icon="repeat" onClick={onReset}>
            {reset.button}
          </Button>
        </div>
      )}
    </article>
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
      cell: ({ eventKey, restaurantName }) => (
        <>
          <bdi className="named">{eventKey}</bdi>
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
