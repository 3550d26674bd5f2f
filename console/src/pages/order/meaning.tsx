import { ButtonLink } from '../../design/button.js';
import { type Cause, capitalised, gaveUp, isOfSetup, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { mayAdminister, type OwnRestaurant } from '../../session/restaurants.js';
import { mayHaveArrived } from '../../session/send-one.js';
import { takenBackAt } from './ending.js';
import { Paper } from './paper.js';
import { createJobOf, type Job, type Order, orderBadgeOf } from './reading.js';
import { SendAgain } from './send-again.js';
import { useTexts } from './texts.js';

/** The meaning of the order's state, its cause, and what to do. */
export function Meaning({
  order,
  restaurant,
  readOnly = false,
}: {
  readonly order: Order;
  readonly restaurant: OwnRestaurant;
  /** without what acts on the order */
  readonly readOnly?: boolean;
}) {
  const texts = useTexts();
  const badge = orderBadgeOf(order);
  const job = jobOf(order);
  const isTrouble = badge === 'parked' || badge === 'cancelParked';
  const isWaiting = badge === 'retrying' || badge === 'waiting' || badge === 'cancelling';
  const failed = (isTrouble || isWaiting) && job?.lastError ? job : undefined;
  const tone = isTrouble ? 'bad' : badge === 'delivered' ? 'good' : isWaiting || badge === 'sending' ? 'wait' : 'quiet';
  const remediesOf = useRemedies();
  const remedies = failed ? remediesOf(failed.cause, badge) : [];
  return (
    <Panel title={texts.meaning} className={`meaning meaning-${tone}`}>
      <p className="meaning-words">
        <Words order={order} timezone={restaurant.timezone} />
      </p>
      {failed && <Why job={failed} />}
      {remedies.length > 0 && (
        <>
          <h3>{texts.toDo}</h3>
          {remedies.length === 1 ? (
            <p>{remedies[0]}</p>
          ) : (
            <ol className="remedies">
              {remedies.map((remedy) => (
                <li key={remedy}>{remedy}</li>
              ))}
            </ol>
          )}
        </>
      )}
      {badge === 'parked' && mayHaveArrived(order.jobs) && (
        <p className="meaning-arrived">
          <Icon name="warning" /> {texts.mayHaveArrived}
        </p>
      )}
      {!readOnly && <SendAgain order={order} restaurant={restaurant} />}
      {failed && isOfSetup(failed.cause) && mayAdminister(restaurant.role) && (
        <ButtonLink to={`/r/${restaurant.id}/setup`} icon="sliders">
          {texts.toSetup}
        </ButtonLink>
      )}
      <Paper order={order} restaurant={restaurant} readOnly={readOnly} />
    </Panel>
  );
}

/** The job to explain: the cancel while it is open, else the delivery. */
function jobOf(order: Order) {
  const cancel = order.jobs.find(({ action }) => action === 'CANCEL');
  return cancel && cancel.status !== 'SENT' ? cancel : createJobOf(order);
}

function Words({ order, timezone }: { readonly order: Order; readonly timezone: string }) {
  const { means } = useTexts();
  const formats = useFormats();
  const badge = orderBadgeOf(order);
  const job = createJobOf(order);
  if (badge === 'delivered' && job) {
    const took = Date.parse(job.updatedAt) - Date.parse(order.receivedAt);
    return means.delivered(formats.dateTime(job.updatedAt, timezone), formats.duration(Math.max(0, took)));
  }
  const takenBack = badge === 'cancelled' ? takenBackAt(order.jobs) : undefined;
  if (takenBack) return means.takenBack(formats.dateTime(takenBack, timezone));
  if (badge === 'retrying')
    return job?.nextRunAt ? means.retrying(formats.timeWithSeconds(job.nextRunAt, timezone)) : means.waiting;
  return badge === 'delivered' || badge === 'test' ? '' : means[badge];
}

function Why({ job: { status, attempts, cause, lastError } }: { readonly job: Job }) {
  const texts = useTexts();
  const { causes } = useCauseWords();
  return (
    <div className="cause">
      <p>{capitalised(wordsFor(causes, cause))}:</p>
      <blockquote lang="en">
        <bdi>{lastError}</bdi>
      </blockquote>
      {status === 'DLQ' && gaveUp(cause) && <p>{texts.gaveUp(attempts)}</p>}
    </div>
  );
}

/** What to do about an order, a step in each text. */
function useRemedies(): (cause: Cause, badge: string) => string[] {
  const { remedies } = useTexts();
  const { remedies: ofCauses } = useCauseWords();
  return (cause, badge) => {
    if (badge === 'cancelParked') return [remedies.cancel];
    if (badge !== 'parked') return [isOfSetup(cause) ? remedies.waitingSetup : remedies.waiting];
    return wordsFor(ofCauses, cause).split('\n');
  };
}
