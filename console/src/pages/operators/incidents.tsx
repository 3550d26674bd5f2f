import { useMutation, useQueryClient } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import type { Query } from '../../api/queries.js';
import { setupPlace } from '../../api/setup-place.js';
import { Button } from '../../design/button.js';
import { capitalised, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { Link } from '../../router/link.js';
import { useTexts as useKeyTexts } from '../../sender-keys/texts.js';
import { CommonCause } from './common-cause.js';
import type { Incident, ParkedCause } from './queries.js';
import { useTexts } from './texts.js';

/** The incidents that stand open at once; the others are behind a line. */
const SHOWN = 4;

/** The most restaurants of an incident that are named without unfolding. */
const NAMED = 2;

/** What needs the operator, grouped over all restaurants (R60, R22). */
export function Incidents({
  query,
  parked,
  mayReset,
}: {
  readonly query: Query<readonly Incident[]>;
  /** the parked jobs by cause */
  readonly parked: readonly ParkedCause[] | undefined;
  readonly mayReset: boolean;
}) {
  const texts = useTexts().incidents;
  const words = useCauseWords();
  const common = (parked ?? []).filter((one) => one.common && wordsFor(words, one.kind, one.subject).inCommon);
  const cards = (found: readonly Incident[]) => (
    <ul className="causes">
      {found.map((incident) => (
        <li key={`${incident.kind} ${incident.cause} ${incident.answer} ${incident.key?.keyId}`}>
          <IncidentCard incident={incident} mayReset={mayReset} />
        </li>
      ))}
    </ul>
  );
  return (
    <Panel title={texts.title}>
      <Answer query={query} lines={2}>
        {(found) =>
          found.length + common.length === 0 ? (
            <EmptyState icon="check" title={texts.none}>
              <p>{texts.noneHelp}</p>
            </EmptyState>
          ) : (
            <>
              {found.length > 0 && cards(found.slice(0, SHOWN))}
              {common.length > 0 && (
                <ul className="causes">
                  {common.map((cause) => (
                    <li key={cause.cause}>
                      <CommonCause cause={cause} />
                    </li>
                  ))}
                </ul>
              )}
              {found.length > SHOWN && (
                <details>
                  <summary>{texts.more(found.length - SHOWN)}</summary>
                  {cards(found.slice(SHOWN))}
                </details>
              )}
            </>
          )
        }
      </Answer>
    </Panel>
  );
}

function IncidentCard({ incident, mayReset }: { readonly incident: Incident; readonly mayReset: boolean }) {
  const texts = useTexts().incidents;
  const words = useCauseWords();
  const { dateTime } = useFormats();
  const { kind, cause, answer, since, affected } = incident;
  // the messages say what a vendor answers
  const help = incident.help ?? (cause === null ? null : wordsFor(words, cause).inShort);
  const jobIds = affected.flatMap(({ jobId }) => jobId ?? []);
  return (
    <article className="incident">
      <h3 className="cause-name">
        <Icon name="warning" />
        <IncidentTitle incident={incident} />
      </h3>
      <p className="fine">
        {kind !== 'SIGN_IN' && cause !== null && `${capitalised(wordsFor(words, cause).cause)}. `}
        {since !== null && texts.since(dateTime(since, 'UTC'))}
      </p>
      {answer !== null && kind !== 'VENDOR_DOWN' && (
        <p className="mono" lang="en">
          <bdi>{answer}</bdi>
        </p>
      )}
      {help !== null && <p>{help}</p>}
      {mayReset && jobIds.length > 0 && <Probe jobIds={jobIds} />}
      {affected.length > 0 && <Affected incident={incident} />}
    </article>
  );
}

function IncidentTitle({ incident }: { readonly incident: Incident }) {
  const texts = useTexts().incidents;
  const { reasons } = useKeyTexts();
  const { duration } = useFormats();
  const { kind, title, restaurants, orders, minutes, databaseMs, key } = incident;
  if (kind === 'NOTHING_SENT') return <>{title ?? kind}</>;
  if (kind === 'BACKLOG') return <>{texts.backlog(orders, minutes)}</>;
  if (kind === 'DATABASE_SLOW') return <>{texts.slow(duration(databaseMs ?? 0))}</>;
  if (kind === 'SENDER_REFUSED')
    return (
      <>{key && texts.refused(`${isolated(key.name)} (${key.keyId})`, key.count, reasons[key.reason], key.keys)}</>
    );
  return <>{texts.groups[kind](restaurants, orders)}</>;
}

/** Sends the oldest waiting order of each named restaurant again, at once: the first delivery ends the outage. */
function Probe({ jobIds }: { readonly jobIds: readonly string[] }) {
  const texts = useTexts().incidents;
  const queries = useQueryClient();
  const probe = useMutation({
    mutationFn: () => answerOf(api.POST('/admin/jobs/reset', { body: { jobIds: [...jobIds] } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['operators'] }),
  });
  return (
    <div className="row">
      <Button icon="repeat" busy={probe.isPending} onClick={() => probe.mutate()}>
        {texts.probe}
      </Button>
      <Outcome done={probe.isSuccess ? texts.probed(jobIds.length) : undefined} error={probe.error} />
    </div>
  );
}

function Affected({ incident: { affected, more, kind } }: { readonly incident: Incident }) {
  const texts = useTexts().incidents;
  const { time } = useFormats();
  const named = (
    <ul className="plain-list">
      {affected.map(({ restaurantId, name, orders, since }) => (
        <li key={restaurantId}>
          <Link to={setupPlace(restaurantId, kind === 'SENDER_REFUSED' ? 'terminals' : 'pos')}>
            <bdi className="named">{name}</bdi>
          </Link>
          {kind !== 'SENDER_REFUSED' && ` ${texts.place(orders, time(since, 'UTC'))}`}
        </li>
      ))}
    </ul>
  );
  const all = affected.length + more;
  if (all <= NAMED) return named;
  return (
    <details>
      <summary>{texts.affected(all)}</summary>
      {named}
      {more > 0 && <p className="fine">{texts.others(more)}</p>}
    </details>
  );
}
