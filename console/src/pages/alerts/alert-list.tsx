import { orderPlace } from '../../api/order-place.js';
import { setupPlace } from '../../api/setup-place.js';
import { useNow } from '../../browser/now.js';
import { Button, ButtonLink } from '../../design/button.js';
import { capitalised, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Answer, EmptyState, ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Page, Panel } from '../../design/page.js';
import { Pager } from '../../design/pager.js';
import { useFormats } from '../../i18n/formats.js';
import { RefusedSales } from '../../refused-sales/refused-sales.js';
import { Link } from '../../router/link.js';
import { setQuery, usePlace } from '../../router/location.js';
import { useHas, useSession } from '../../session/session.js';
import { type Alert, useAcknowledge, useAlerts } from './queries.js';
import { useTexts } from './texts.js';
import { Told } from './told.js';
import './alerts.css';

const MINUTE_MS = 60_000;

/** Of a restaurant, or of the platform. */
interface Of {
  /** undefined: of the platform */
  readonly restaurantId?: string;
  readonly timezone: string;
  readonly mayAcknowledge: boolean;
}

/** The open alerts, with who was notified and a button that takes care of one; then the closed ones. */
export function AlertList({ title, ...of }: Of & { readonly title: string }) {
  const texts = useTexts();
  const { query } = usePlace();
  const after = query.get('after') ?? undefined;
  const alerts = useAlerts(of.restaurantId, after);
  return (
    <Page title={title}>
      <Answer query={alerts} lines={6}>
        {({ data, meta }) => {
          const open = data.filter(({ closedAt }) => closedAt === null);
          const past = data.filter(({ closedAt }) => closedAt !== null);
          const moreAreOpen = past.length === 0 && meta.next !== null;
          return (
            <>
              {(after === undefined || open.length > 0) && (
                <Panel title={texts.open}>
                  {open.length === 0 && (
                    <EmptyState icon="check" title={texts.none}>
                      <p>{texts.noneHelp}</p>
                    </EmptyState>
                  )}
                  <ul className="plain-list alerts">
                    {open.map((alert) => (
                      <OpenAlert key={alert.id} alert={alert} of={of} />
                    ))}
                  </ul>
                  <p>
                    <Link to="/account">{texts.setUp}</Link>
                  </p>
                </Panel>
              )}
              {!moreAreOpen && (
                <Panel title={texts.past}>
                  {past.length === 0 && <p className="quiet">{texts.nonePast}</p>}
                  <ul className="plain-list alerts">
                    {past.map((alert) => (
                      <PastAlert key={alert.id} alert={alert} of={of} />
                    ))}
                  </ul>
                </Panel>
              )}
              <Pager
                isFirst={after === undefined}
                next={meta.next === null ? undefined : () => setQuery({ after: meta.next ?? undefined })}
                first={() => setQuery({ after: undefined })}
              />
            </>
          );
        }}
      </Answer>
    </Page>
  );
}

function OpenAlert({ alert, of }: { readonly alert: Alert; readonly of: Of }) {
  const texts = useTexts();
  const { time, dateTime } = useFormats();
  const { openedAt, nextStepAt, told } = alert;
  const acknowledging = useAcknowledge(of.restaurantId);
  const { data: session } = useSession();
  // it is shown as taken at once; a refusal takes that back
  const { acknowledgedAt, acknowledgedBy } = acknowledging.isPending
    ? { acknowledgedAt: new Date().toISOString(), acknowledgedBy: session?.user.name }
    : alert;
  return (
    <li className="alert alert-open">
      <h3>
        <Icon name="warning" /> <bdi>{alert.title}</bdi>
      </h3>
      <Reason alert={alert} of={of} />
      <p className="fine">{texts.since(dateTime(openedAt, of.timezone))}</p>
      {acknowledgedAt ? (
        <p className="alert-taken">
          <Icon name="check" />{' '}
          <bdi>{texts.acknowledged(acknowledgedBy ?? texts.somebody, time(acknowledgedAt, of.timezone))}</bdi>
        </p>
      ) : of.mayAcknowledge ? (
        <div className="row">
          <Button kind="primary" icon="check" onClick={() => acknowledging.mutate(alert.id)}>
            {texts.acknowledge}
          </Button>
          <p className="fine">{texts.acknowledgeHelp}</p>
        </div>
      ) : (
        <p className="fine">{texts.mayNot}</p>
      )}
      {acknowledging.error && <ErrorText error={acknowledging.error} />}
      {nextStepAt && !acknowledgedAt && told.length > 0 && (
        <p className="fine">{texts.next(time(nextStepAt, of.timezone))}</p>
      )}
      <Told alert={alert} timezone={of.timezone} />
    </li>
  );
}

function PastAlert({ alert, of }: { readonly alert: Alert; readonly of: Of }) {
  const texts = useTexts();
  const { dateTime, time } = useFormats();
  const { title, openedAt, closedAt, acknowledgedBy, acknowledgedAt } = alert;
  return (
    <li className="alert">
      <details>
        <summary>
          <bdi>{title}</bdi>{' '}
          <span className="fine">
            {texts.during(dateTime(openedAt, of.timezone), time(closedAt ?? openedAt, of.timezone))}
            {alert.details.solved === false && ` · ${texts.notSolved}`}
          </span>
        </summary>
        <Reason alert={alert} of={of} />
        {acknowledgedAt && (
          <p className="fine">
            <bdi>{texts.acknowledged(acknowledgedBy ?? texts.somebody, time(acknowledgedAt, of.timezone))}</bdi>
          </p>
        )}
        <Told alert={alert} timezone={of.timezone} />
      </details>
    </li>
  );
}

/** Why, and the newest order of it. */
function Reason({ alert, of }: { readonly alert: Alert; readonly of: Of }) {
  const texts = useTexts();
  const words = useCauseWords();
  const { amount, time } = useFormats();
  const has = useHas();
  const { cause, details } = alert;
  const { transactionKey, transactionNumber, paidCents, receivedAt, name, fileId, answer, names = [] } = details;
  if (alert.kind === 'KEY_REUSED' && of.restaurantId !== undefined)
    return <RefusedSales restaurantId={of.restaurantId} timezone={of.timezone} />;
  return (
    <>
      {cause && <p>{capitalised(wordsFor(words, cause).cause)}.</p>}
      {answer !== undefined && (
        <p lang="en">
          <bdi className="mono">{answer}</bdi>
        </p>
      )}
      {names.length > 0 && (
        <p>
          <bdi>{names.join(', ')}</bdi>
        </p>
      )}
      {alert.kind === 'KEY_EXPIRES' || alert.kind === 'SENDER_REFUSED' ? (
        <Key alert={alert} of={of} />
      ) : (
        name &&
        !alert.title.includes(name) && (
          <p>
            <code>{name}</code>
          </p>
        )
      )}
      {fileId !== undefined && of.restaurantId !== undefined && has('terminal-files') && (
        <p>
          <Link to={`/r/${of.restaurantId}/terminal-files/${fileId}`}>{texts.showFile}</Link>
        </p>
      )}
      {transactionKey !== undefined && of.restaurantId !== undefined && (
        <p className="row">
          <Link to={orderPlace(of.restaurantId, transactionKey)}>
            {texts.newest}: <bdi>{transactionNumber || transactionKey}</bdi>
          </Link>
          {paidCents !== undefined && <span className="amount">{amount(paidCents)}</span>}
          {receivedAt !== undefined && <span className="quiet">{time(receivedAt, of.timezone)}</span>}
          {alert.count > 1 && alert.closedAt === null && (
            <ButtonLink to={`/r/${of.restaurantId}/tonight`} icon="arrow">
              {texts.show}
            </ButtonLink>
          )}
        </p>
      )}
    </>
  );
}

/** The sender key that an alert is about, and the way to its list. */
function Key({ alert, of }: { readonly alert: Alert; readonly of: Of }) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const now = useNow(MINUTE_MS);
  const { name, keyId, expiresAt, restaurant } = alert.details;
  const isOver = hasExpired(alert, now);
  const isRefused = alert.kind === 'SENDER_REFUSED';
  return (
    <>
      <p>
        <bdi className="named">{name}</bdi> <code className="mono">{keyId}</code>
        {of.restaurantId === undefined && restaurant && (
          <>
            {' · '}
            <bdi className="named">{restaurant}</bdi>
          </>
        )}
        {expiresAt !== undefined && (
          <span className="quiet">
            {' · '}
            {(isOver ? texts.expired : texts.expires)(dateTime(expiresAt, of.timezone))}
          </span>
        )}
      </p>
      {alert.closedAt === null && (
        <p>
          <Link to={of.restaurantId === undefined ? '/operators' : setupPlace(of.restaurantId, 'terminals')}>
            {isRefused ? texts.showKeys : isOver ? texts.newKey : texts.replaceKey}
          </Link>
        </p>
      )}
    </>
  );
}

function hasExpired({ details: { expiresAt } }: Alert, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}
