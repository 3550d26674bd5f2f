import { useId, useState } from 'react';
import type { View } from '../../api/client.js';
import { orderPlace } from '../../api/order-place.js';
import { useNow } from '../../browser/now.js';
import { Announcer } from '../../design/announcer.js';
import { Button, ButtonLink } from '../../design/button.js';
import { isOfSetup, wordsFor } from '../../design/cause.js';
import { useCauseWords } from '../../design/cause-words.js';
import { Icon, type IconName } from '../../design/icons.js';
import { isolated } from '../../i18n/isolated.js';
import { mayAdminister, mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { Details, hasDetails } from './details.js';
import { ResolveEarlier } from './resolve-earlier.js';
import { SendAll } from './send-all.js';
import { useSentence } from './sentence.js';
import { useTexts } from './texts.js';
import { TryNow } from './try-now.js';
import { type Lamp, lampOf, type Verdict, verdictsOf } from './verdict.js';

const LAMPS: readonly (readonly [Exclude<Lamp, 'idle'>, IconName])[] = [
  ['bad', 'stop'],
  ['wait', 'clock'],
  ['good', 'check'],
];

/** The traffic light: a lamp, a sentence, and what to do. */
export function Light({
  state,
  readAt,
  restaurant,
}: {
  readonly state: View<'StateView'>;
  /** when the state was read, by this device's clock, in ms */
  readonly readAt: number;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const [verdict, ...others] = verdictsOf(state);
  const lamp = lampOf(verdict);
  const isCounting = [verdict, ...others].some(({ kind }) => kind === 'failing');
  // the device's clock may be wrong: only the time since the answer is taken from it
  const now = Date.parse(state.now) + Math.max(0, useNow(isCounting ? 1_000 : undefined) - readAt);
  const sentenceOf = useSentence(restaurant.timezone);
  const { sentence, countdown } = sentenceOf(verdict, now);
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const has = useHas();
  return (
    <section className={`light light-${lamp}`} aria-label={texts.light}>
      <div className="light-housing" aria-hidden="true">
        {LAMPS.map(([each, icon]) => (
          <span key={each} className={`light-lamp light-lamp-${each} ${each === lamp ? 'is-lit' : ''}`}>
            {each === lamp && <Icon name={icon} />}
          </span>
        ))}
      </div>
      <div className="light-words">
        <p className="light-sentence" data-testid="verdict">
          {sentence}
          {countdown && <span className="light-countdown number">, {countdown}</span>}
        </p>
        {others.length > 0 && (
          <ul className="light-also">
            {others.map((other) => {
              const also = sentenceOf(other, now);
              return (
                <li key={other.kind} className={`light-also-${lampOf(other)}`}>
                  <Icon name={lampOf(other) === 'bad' ? 'stop' : 'clock'} />
                  <span>
                    {also.sentence}
                    {also.countdown && <span className="light-countdown number">, {also.countdown}</span>}
                  </span>
                  {other.kind === 'refused' && (
                    <ButtonLink to={`/r/${restaurant.id}/${has('alerts') ? 'alerts' : 'refused-sales'}`} icon="arrow">
                      {texts.showRefused}
                    </ButtonLink>
                  )}
                  {other.kind === 'earlier' && has('resend') && mayManage(restaurant.role) && (
                    <ResolveEarlier restaurantId={restaurant.id} />
                  )}
                </li>
              );
            })}
          </ul>
        )}
        <Help verdict={verdict} />
        <div className="row">
          <Actions verdict={verdict} state={state} restaurant={restaurant} />
          {hasDetails(state) && (
            <Button
              kind="quiet"
              aria-expanded={isOpen}
              aria-controls={isOpen ? detailsId : undefined}
              onClick={() => setOpen(!isOpen)}
            >
              {texts.details}
            </Button>
          )}
        </div>
        {isOpen && <Details id={detailsId} state={state} restaurantId={restaurant.id} />}
      </div>
      {/* without the countdown: it would be read every second */}
      <Announcer text={[verdict, ...others].map((each) => sentenceOf(each, now).sentence).join('. ')} />
    </section>
  );
}

function Help({ verdict }: { readonly verdict: Verdict }) {
  const texts = useTexts();
  const { inShort } = useCauseWords();
  switch (verdict.kind) {
    case 'parked':
      return <p className="quiet">{wordsFor(inShort, verdict.causes[0] ?? null)}</p>;
    case 'cancelParked':
      return <p className="quiet">{texts.cancelHelp}</p>;
    case 'late':
      return <p className="quiet">{texts.lateHelp}</p>;
    case 'failing':
      return <p className="quiet">{isOfSetup(verdict.failure.cause) ? texts.setupHelp : texts.failingHelp}</p>;
    default:
      return null;
  }
}

function Actions({
  verdict,
  state,
  restaurant,
}: {
  readonly verdict: Verdict;
  readonly state: View<'StateView'>;
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const here = `/r/${restaurant.id}`;
  const isParked = verdict.kind === 'parked' || verdict.kind === 'cancelParked';
  const cause = state.parked.causes.find(({ action }) => action === (verdict.kind === 'parked' ? 'CREATE' : 'CANCEL'));
  if (!isParked && verdict.kind !== 'failing' && verdict.kind !== 'late') return null;
  return (
    <>
      {isParked && verdict.parked === 1 && cause && (
        <ButtonLink to={orderPlace(restaurant.id, cause.transactionKey)} icon="arrow" kind="primary">
          <span className="light-order">
            {texts.openExample(isolated(cause.transactionNumber ?? cause.transactionKey))}
            {cause.label !== null && (
              <>
                {' '}
                · <bdi>{cause.label}</bdi>
              </>
            )}
          </span>
        </ButtonLink>
      )}
      {isParked && verdict.parked > 1 && (
        <ButtonLink to={`${here}/tonight?state=parked`} icon="list" kind="primary">
          {texts.showParked}
        </ButtonLink>
      )}
      {isParked && <SendAll state={state} restaurant={restaurant} />}
      {!isParked && (
        <ButtonLink to={`${here}/tonight?state=waiting`} icon="list">
          {texts.showWaiting}
        </ButtonLink>
      )}
      {verdict.kind === 'failing' && <TryNow restaurantId={restaurant.id} />}
      {verdict.kind === 'failing' && mayAdminister(restaurant.role) && (
        <ButtonLink to={`${here}/setup`} icon="sliders">
          {texts.checkSetup}
        </ButtonLink>
      )}
    </>
  );
}
