import { useEffect, useState } from 'react';
import { type SetupTopic, setupPlace } from '../../api/setup-place.js';
import { useWide } from '../../browser/wide.js';
import { ButtonLink } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { Page } from '../../design/page.js';
import { Link } from '../../router/link.js';
import { navigate } from '../../router/location.js';
import { SenderKeysPanel } from '../../sender-keys/sender-keys.js';
import { mayAdminister, mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { useTopics } from '../../session/setup-topics.js';
import type { RestaurantPageProps } from '../page-props.js';
import { AlertWebhookPanel } from './alert-webhook.js';
import { CataloguePanel } from './catalogue.js';
import { ChecksPanel } from './checks.js';
import { CredentialsPanel } from './credentials-form.js';
import { EraseOldPanel } from './erase-old.js';
import { OwnershipPanel } from './ownership.js';
import { PausePanel } from './pause.js';
import { PeoplePanel } from './people.js';
import { PosKindPanel } from './pos-kind.js';
import { PrintersPanel } from './printers.js';
import { fetches } from './pulling-api.js';
import { RestaurantPanel } from './restaurant-form.js';
import { focusStep, type Step, StepsPanel, TOPIC_OF, useStepsLeft } from './steps.js';
import { TestSalePanel } from './test-sale.js';
import { useTexts, useTopicTexts } from './texts.js';
import { TopicIndex } from './topics.js';
import './setup.css';
import './topics.css';

/**
 * The set-up of a restaurant and its people, by topics (N34): on a desk all of them beside their index, on a phone the index, and each topic
 * by itself. Roles that may change nothing see no buttons.
 */
export default function SetUp({ session, restaurant, parameters }: RestaurantPageProps) {
  const texts = { ...useTexts(), ...useTopicTexts() };
  const { id, role } = restaurant;
  const has = useHas();
  const isWide = useWide();
  const topics = useTopics(restaurant);
  const asked = topics.find((each) => each === parameters.topic);
  const topic = topics.length === 1 ? topics[0] : asked;
  const left = useStepsLeft(restaurant);
  const go = useWay(restaurant, asked, isWide);
  const isNew = useWasNew(id, left.length > 0);
  const steps = mayAdminister(role) && isNew && <StepsPanel restaurant={restaurant} left={left} onGo={go} />;
  const index = topics.length > 1 && <TopicIndex restaurant={restaurant} topics={topics} current={asked} left={left} />;
  const isTopic = !isWide && topic !== undefined;
  const mounted = useMounted(isWide ? topics : topics.filter((each) => each === topic));
  return (
    <Page place={topic} title={isTopic && index ? texts.topics[topic] : texts.title}>
      {isTopic && index && (
        <p className="setup-back">
          <Link to={setupPlace(id)}>
            <Icon name="back" /> {texts.back}
          </Link>
        </p>
      )}
      {!isTopic && steps}
      {/* one tree at every width: what a topic holds, such as a secret that is shown once, survives the turn of a screen */}
      <div className={index ? 'setup setup-indexed' : 'setup'}>
        {!isTopic && index}
        <div className="setup-topics">
          {topics
            .filter((each) => mounted.has(each))
            .map((each) => (
              <section
                key={each}
                id={`setup-${each}`}
                tabIndex={-1}
                aria-label={texts.topics[each]}
                hidden={!isWide && each !== topic}
              >
                <Topic topic={each} restaurant={restaurant} userId={session.user.id} isNew={left.length > 0} />
              </section>
            ))}
          {!isTopic && mayAdminister(role) && has('personal-data') && <EraseOldPanel restaurantId={id} />}
          {!isTopic && role === 'OWNER' && (
            <p className="setup-end">
              <ButtonLink to="/new" icon="sliders">
                {texts.create.another}
              </ButtonLink>
            </p>
          )}
        </div>
      </div>
      {isTopic && steps}
    </Page>
  );
}

/** The topics that have been shown: they stay on the page, hidden, until it is left. @param shown those that are shown now */
function useMounted(shown: readonly SetupTopic[]): ReadonlySet<SetupTopic> {
  const [before, setMounted] = useState<ReadonlySet<SetupTopic>>(new Set());
  if (shown.every((topic) => before.has(topic))) return before;
  const mounted = new Set([...before, ...shown]);
  setMounted(mounted);
  return mounted;
}

/** Whether the set-up lacks a step, or did when the page was opened: who waits for the last tick sees it. */
function useWasNew(restaurantId: string, lacks: boolean): boolean {
  const [was, setWas] = useState<string>();
  if (lacks && was !== restaurantId) setWas(restaurantId);
  return lacks || was === restaurantId;
}

/** Goes to the topic of the address on a desk. @returns goes to the fields of a step */
function useWay({ id }: OwnRestaurant, topic: SetupTopic | undefined, isWide: boolean): (step: Step) => void {
  const [wanted, setWanted] = useState<Step>();
  useEffect(() => {
    if (!isWide || topic === undefined) return;
    const section = document.getElementById(`setup-${topic}`);
    section?.scrollIntoView();
    // after the turn of a screen a field keeps the focus
    if (!section?.contains(document.activeElement)) section?.focus({ preventScroll: true });
  }, [isWide, topic]);
  useEffect(() => {
    // on a phone its fields are shown once its topic is
    if (wanted && (isWide || topic === TOPIC_OF[wanted]) && focusStep(wanted)) setWanted(undefined);
  });
  return (step) => {
    setWanted(step);
    if (topic !== TOPIC_OF[step]) navigate(setupPlace(id, TOPIC_OF[step]));
  };
}

function Topic({
  topic,
  restaurant,
  userId,
  isNew,
}: {
  readonly topic: SetupTopic;
  readonly restaurant: OwnRestaurant;
  readonly userId: string;
  /** whether the set-up lacks a step: then the check is not the first thing to do */
  readonly isNew: boolean;
}) {
  const has = useHas();
  const { id, role, timezone } = restaurant;
  return (
    <div className={`setup-topic setup-topic-${topic}`}>
      {topic === 'restaurant' && (
        <>
          <RestaurantPanel restaurant={restaurant} />
          {mayManage(role) && <PausePanel restaurant={restaurant} />}
        </>
      )}
      {topic === 'pos' && (
        <>
          {has('open-delivery') && <PosKindPanel restaurant={restaurant} />}
          {!fetches(restaurant) && <CredentialsPanel restaurant={restaurant} />}
          {has('codes') && <CataloguePanel restaurant={restaurant} />}
          {has('doctor') && <ChecksPanel key={restaurant.updatedAt} restaurant={restaurant} isFirst={!isNew} />}
        </>
      )}
      {topic === 'terminals' && (
        <>
          <SenderKeysPanel restaurantId={id} timezone={timezone} />
          <div id="setup-test-sale">
            <TestSalePanel restaurant={restaurant} />
          </div>
        </>
      )}
      {topic === 'printers' && <PrintersPanel restaurant={restaurant} />}
      {topic === 'people' && (
        <>
          <PeoplePanel restaurant={restaurant} userId={userId} />
          {role === 'OWNER' && <OwnershipPanel restaurant={restaurant} userId={userId} />}
        </>
      )}
      {topic === 'alerts' && <AlertWebhookPanel restaurant={restaurant} />}
    </div>
  );
}
