import type { ReactNode } from 'react';
import { useNow } from '../../browser/now.js';
import { Icon, type IconName } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { dateIn, useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { type Acceptance, LOOK_OF } from './acceptances.js';
import { useAttemptWords } from './attempt-words.js';
import { useCanceller } from './canceller.js';
import type { Attempt, Job, Order } from './reading.js';
import { useTexts } from './texts.js';

type Tone = 'good' | 'wait' | 'bad' | 'quiet';

interface Step {
  readonly key: string;
  /** ISO 8601; undefined: not yet */
  readonly at: string | undefined;
  readonly icon: IconName;
  readonly tone: Tone;
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  /** it is under way */
  readonly isLive?: boolean;
  /** what shows that it was so: behind a press */
  readonly evidence?: Evidence;
}

interface Evidence {
  /** `Attempt 2 · took 414 ms` */
  readonly summary: string;
  readonly text: ReactNode;
}

/** Up to this many steps stand side by side on a desk. */
const IN_A_LINE = 5;
/** Of more steps than this only the first and the last are shown at once. */
const MANY = 8;
const FIRST = 2;
const LAST = 4;

/** The steps of the order by time, and the next one. */
export function Journey({
  order,
  readAt,
  restaurant,
}: {
  readonly order: Order;
  readonly readAt: number;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const attemptStep = useAttemptStep();
  const acceptanceStep = useAcceptanceStep();
  const canceller = useCanceller(order, restaurant);
  const waiting = order.jobs.find(
    ({ status, nextRunAt }) => (status === 'FAILED' || status === 'PENDING') && nextRunAt,
  );
  const now = useNow(waiting ? 1_000 : undefined);
  const nextStep = useNextStep(restaurant.timezone, Math.max(now, readAt));
  const received: Step = {
    key: 'received',
    at: order.receivedAt,
    icon: 'arrow',
    tone: 'quiet',
    title: texts.steps.received,
  };
  const ofJobs = order.jobs.flatMap((job) => stepsOf(job, texts, attemptStep, canceller));
  const steps = [received, ...ofJobs, ...order.acceptances.map(acceptanceStep)].toSorted((a, b) =>
    (a.at ?? '9').localeCompare(b.at ?? '9'),
  );
  const next = order.jobs.map(nextStep).filter((step) => step !== undefined);
  const all = [...steps, ...next];
  const isLong = all.length > MANY + 2;
  const [first, middle, last] = isLong
    ? [all.slice(0, FIRST + 1), all.slice(FIRST + 1, -LAST), all.slice(-LAST)]
    : [all, [], []];
  return (
    <Panel title={texts.journey}>
      <Steps steps={first} order={order} timezone={restaurant.timezone} isLine={all.length <= IN_A_LINE} />
      {middle.length > 0 && (
        <details className="timeline-more">
          <summary>{texts.steps.more(middle.length)}</summary>
          <Steps steps={middle} order={order} timezone={restaurant.timezone} />
        </details>
      )}
      {last.length > 0 && <Steps steps={last} order={order} timezone={restaurant.timezone} />}
    </Panel>
  );
}

function stepsOf(
  job: Job,
  texts: ReturnType<typeof useTexts>,
  attemptStep: (job: Job, attempt: Attempt) => Step,
  canceller: string | undefined,
): Step[] {
  const { steps } = texts;
  const told = job.history.map((attempt) => attemptStep(job, attempt));
  if (job.action === 'CANCEL') {
    const title = canceller === undefined ? steps.cancelRequested : steps.cancelRequestedBy(isolated(canceller));
    told.unshift({ key: job.id, at: job.createdAt, icon: 'cross', tone: 'quiet', title });
    if (job.status === 'SENT' && job.history.length === 0)
      told.push({
        key: `${job.id} end`,
        at: job.updatedAt,
        icon: 'check',
        tone: 'quiet',
        title: steps.nothingToCancel,
      });
  }
  if (job.withdrawn)
    told.push({ key: 'withdrawn', at: job.updatedAt, icon: 'cross', tone: 'quiet', title: steps.withdrawn });
  return told;
}

function useAttemptStep(): (job: Job, attempt: Attempt) => Step {
  const texts = useTexts();
  const { number, duration } = useFormats();
  const words = useAttemptWords();
  return (job, attempt) => {
    const { outcome, startedAt, durationMs, httpStatus, errorCode } = attempt;
    const name = (job.action === 'CANCEL' ? texts.cancelAttempt : texts.attempt)(number(attempt.number));
    const tone = outcome === 'SENT' ? 'good' : outcome === 'DLQ' ? 'bad' : 'wait';
    const code = httpStatus === null ? errorCode : `HTTP ${httpStatus}`;
    return {
      key: `${job.id} ${attempt.number} ${startedAt}`,
      at: startedAt,
      icon: outcome === 'SENT' ? 'check' : outcome === 'DLQ' ? 'stop' : 'repeat',
      tone,
      title: words(job, attempt),
      evidence: {
        summary: [name, texts.took(duration(durationMs))].join(' · '),
        text: attempt.error ? <bdi>{attempt.error}</bdi> : code,
      },
    };
  };
}

function useAcceptanceStep(): (acceptance: Acceptance) => Step {
  const { posSays } = useTexts();
  return ({ state, at, number, reason, preparationMinutes }) => ({
    key: `${state} ${at}`,
    at,
    ...LOOK_OF[state],
    title: state === 'ACCEPTED' && number !== null ? posSays.acceptedAs(isolated(number)) : posSays[state],
    detail: (
      <>
        {reason && <bdi className="step-error">{reason}</bdi>}
        {preparationMinutes !== null && <span className="fine">{posSays.preparation(preparationMinutes)}</span>}
      </>
    ),
  });
}

/** The step that is under way or comes next. @param now in ms */
function useNextStep(timezone: string, now: number): (job: Job) => Step | undefined {
  const { steps } = useTexts();
  const formats = useFormats();
  return (job) => {
    if (job.status === 'PROCESSING')
      return { key: `${job.id} now`, at: undefined, icon: 'arrow', tone: 'wait', title: steps.sending, isLive: true };
    if ((job.status !== 'PENDING' && job.status !== 'FAILED') || !job.nextRunAt) return undefined;
    const ms = Date.parse(job.nextRunAt) - now;
    const soon =
      ms < 1_000 ? steps.now : steps.inTime(formats.duration(ms < 60_000 ? Math.ceil(ms / 1_000) * 1_000 : ms));
    const title =
      job.status === 'PENDING' && job.attempts === 0
        ? steps.due
        : steps.next(formats.timeWithSeconds(job.nextRunAt, timezone));
    return {
      key: `${job.id} next`,
      at: undefined,
      icon: 'clock',
      tone: 'wait',
      title,
      detail: <span className="number">{soon}</span>,
    };
  };
}

function Steps({
  steps,
  order,
  timezone,
  isLine = false,
}: {
  readonly steps: readonly Step[];
  readonly order: Order;
  readonly timezone: string;
  readonly isLine?: boolean;
}) {
  const formats = useFormats();
  const day = dateIn(timezone, order.receivedAt);
  return (
    <ol className={isLine ? 'timeline timeline-line' : 'timeline'}>
      {steps.map(({ key, at, icon, tone, title, detail, evidence, isLive }, n) => (
        <li key={key} className={`step step-${tone} ${isLive ? 'step-live' : ''}`}>
          <span className="step-icon">
            <Icon name={icon} />
          </span>
          <span className="step-time number">
            {at && (
              <time dateTime={at}>
                {dateIn(timezone, at) === day ? formats.timeWithSeconds(at, timezone) : formats.dateTime(at, timezone)}
              </time>
            )}
            <Lapse from={steps[n - 1]?.at} to={at} />
          </span>
          <div className="step-words">
            <span className="step-title">{title}</span>
            {detail}
            {evidence && (
              <details className="step-evidence">
                <summary>{evidence.summary}</summary>
                <p>{evidence.text}</p>
              </details>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** The time between two steps; nothing where one of them is missing. @param from ISO 8601 @param to ISO 8601 */
function Lapse({ from, to }: { readonly from: string | undefined; readonly to: string | undefined }) {
  const { duration } = useFormats();
  const ms = from && to ? Date.parse(to) - Date.parse(from) : 0;
  return ms > 0 && <span className="step-lapse">+{duration(ms)}</span>;
}
