import { remedyKeyOf } from '../../../../src/platform/conditions/remedy.js';
import { en } from '../../../../src/platform/conditions/remedy-steps.en.js';
import { ptBR } from '../../../../src/platform/conditions/remedy-steps.pt-BR.js';
import { mendOf } from '../../../../src/platform/conditions/waiting.js';
import { setupPlace } from '../../api/setup-place.js';
import { ButtonLink } from '../../design/button.js';
import { capitalised, gaveUp, isOfSetup, mayBeThere, mayHelpToSend, topicOf, wordsFor } from '../../design/cause.js';
import { useCauseWords, useWaitingWords } from '../../design/cause-words.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { textsOf } from '../../i18n/texts.js';
import { EnterOne } from '../../session/enter-one.js';
import { useMayMap } from '../../session/order-acts.js';
import { usePause } from '../../session/pause.js';
import { useMayResend } from '../../session/resend.js';
import { mayAdminister, mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { mayHaveArrived } from '../../session/send-one.js';
import { useHas } from '../../session/session.js';
import { numberAtPos } from './acceptances.js';
import { takenBackAt } from './ending.js';
import { MapOrder } from './map-order.js';
import { Paper } from './paper.js';
import { createJobOf, type Job, type Order, orderBadgeOf, orderName } from './reading.js';
import { SendAgain } from './send-again.js';
import { SendAsOperator } from './send-as-operator.js';
import { useTexts } from './texts.js';

const useRemedySteps = textsOf({ en, 'pt-BR': ptBR });

/** The meaning of the order's state, its cause, and what to do. */
export function Meaning({
  order,
  restaurant,
  operator,
}: {
  readonly order: Order;
  readonly restaurant: OwnRestaurant;
  /** for an operator: without what the staff do with the order */
  readonly operator?: { readonly maySend: boolean };
}) {
  const texts = useTexts();
  const badge = orderBadgeOf(order);
  const job = jobOf(order);
  const number = numberAtPos(order);
  const isTrouble = badge === 'parked' || badge === 'cancelParked';
  // a POS that fetches orders and does not acknowledge them holds them nearly always (R65)
  const isHeld = badge === 'sending' && job?.cause === 'lost';
  const isWaiting = isHeld || badge === 'retrying' || badge === 'waiting' || badge === 'cancelling';
  const failed = (isTrouble || isWaiting) && job?.lastError ? job : undefined;
  const tone = isTrouble ? 'bad' : badge === 'delivered' ? 'good' : isWaiting || badge === 'sending' ? 'wait' : 'quiet';
  const isLookedUpFirst = badge === 'parked' && (mayBeThere(failed?.cause ?? null) || mayHaveArrived(order.jobs));
  const stepsOf = useSteps(restaurant, operator?.maySend);
  const mayResend = useMayResend(restaurant.id, operator === undefined).data?.allowed ?? false;
  const pause = usePause(restaurant.id, isWaiting && operator === undefined);
  const { pause: paused } = useSharedTexts();
  const { dateTime } = useFormats();
  const mayMap = useMayMap(restaurant) && mayResend && !operator && !order.erased;
  // the field for the code comes first, unless the till does
  const isMappedFirst = badge === 'parked' && failed?.subject === 'product' && mayMap && !isLookedUpFirst;
  const mapping = !operator && <MapOrder key="map" order={order} restaurant={restaurant} />;
  const remedies = failed ? stepsOf(failed, badge, { mayHaveIt: isLookedUpFirst, isMappedFirst }) : [];
  // sent again in vain it would be parked again (M10)
  const again = badge !== 'refund' && (!failed || mayHelpToSend(failed.cause, failed.subject)) && (
    <SendAgain key="again" order={order} restaurant={restaurant} />
  );
  // the POS has the order of a parked cancel
  const entered = (badge === 'parked' || isWaiting || badge === 'refund') && (
    <EnterOne
      key="entered"
      restaurant={restaurant}
      transactionKey={order.transactionKey}
      name={orderName(order, order.transactionKey)}
      entered={order}
      mayBeThere={isLookedUpFirst}
    />
  );
  return (
    <Panel title={texts.meaning} className={`meaning meaning-${tone}`}>
      <p className="meaning-words">
        <Words order={order} timezone={restaurant.timezone} />
      </p>
      {number !== undefined && badge === 'delivered' && <p>{texts.posSays.acceptedAs(isolated(number))}.</p>}
      {pause && <p>{paused.until(dateTime(pause.until, restaurant.timezone))}</p>}
      {failed && <Why job={failed} />}
      {isMappedFirst && mapping}
      {remedies.length > 0 && (
        <>
          <h3>{isMappedFirst ? texts.otherwise : texts.toDo}</h3>
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
      {!isMappedFirst && mapping}
      {operator?.maySend && <SendAsOperator order={order} restaurantId={restaurant.id} />}
      {/* the key keeps its state: Preact may remount a child without a key when a keyed sibling moves */}
      {!operator && (
        <div key="acts" className="row">
          {isLookedUpFirst ? [entered, again] : [again, entered]}
        </div>
      )}
      {failed && isOfSetup(failed.cause, failed.subject) && mayAdminister(restaurant.role) && (
        <ButtonLink to={setupPlace(restaurant.id, topicOf(failed.cause, failed.subject))} icon="sliders">
          {texts.toSetup}
        </ButtonLink>
      )}
      <Paper order={order} restaurant={restaurant} readOnly={operator !== undefined} />
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
  if (badge === 'parked' && mayHaveArrived(order.jobs)) return means.mayBeThere;
  return badge === 'delivered' || badge === 'test' ? '' : means[badge];
}

function Why({ job: { status, attempts, cause, subject, lastError } }: { readonly job: Job }) {
  const texts = useTexts();
  const words = useCauseWords();
  return (
    <div className="cause">
      <p>{capitalised(wordsFor(words, cause, subject).cause)}:</p>
      <blockquote lang="en">
        <bdi>{lastError}</bdi>
      </blockquote>
      {status === 'DLQ' && gaveUp(cause) && <p>{texts.gaveUp(attempts)}</p>}
    </div>
  );
}

/**
 * What to do about an order, a step in each text: without what this user cannot do here (R36).
 * The function also takes `mayHaveIt`: the POS may have the order, so that somebody looks in the till first; `isMappedFirst`: the field for the code stands above.
 * @param asOperator whether an operator may send it again; undefined: the reader is none
 */
function useSteps(
  restaurant: OwnRestaurant,
  asOperator: boolean | undefined,
): (job: Job, badge: string, at: { readonly mayHaveIt: boolean; readonly isMappedFirst: boolean }) => string[] {
  const { remedies } = useTexts();
  const steps = useRemedySteps();
  const waiting = useWaitingWords();
  const ofStaff = useMayResend(restaurant.id, asOperator === undefined).data?.allowed ?? false;
  const has = useHas();
  const mayMap = useMayMap(restaurant);
  const mayEnter = has('resend') && mayManage(restaurant.role);
  return ({ cause, subject }, badge, { mayHaveIt, isMappedFirst }) => {
    if (badge === 'cancelParked') return [remedies.cancel];
    if (badge === 'cancelling') return [remedies.waiting];
    if (badge !== 'parked') {
      const mend = mendOf(waiting, cause, mayAdminister(restaurant.role));
      const sent = isOfSetup(cause, subject) ? waiting.sent[0] : remedies.waiting;
      return [...(mend ? [mend] : []), sent, waiting.notByHand[0], ...(mayEnter ? [waiting.enteredAnyway] : [])];
    }
    const can = {
      map: ofStaff && asOperator === undefined && mayMap && !isMappedFirst,
      send: asOperator ?? ofStaff,
      entered: mayEnter,
      setup: true,
    };
    const own = steps[remedyKeyOf(cause, subject)];
    // an earlier attempt may have brought it there, whatever the last one was refused for
    const all =
      mayHaveIt && !mayBeThere(cause)
        ? [...steps.lost.slice(0, 2), ...own.filter(({ act }) => act !== 'entered')]
        : own;
    return all.filter(({ act }) => act === undefined || can[act]).map(({ say }) => say);
  };
}
