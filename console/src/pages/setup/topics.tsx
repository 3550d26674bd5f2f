import { type SetupTopic, setupPlace } from '../../api/setup-place.js';
import { Icon } from '../../design/icons.js';
import { Link } from '../../router/link.js';
import { mayAdminister, mayManage, type OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { useAlertWebhook } from './alert-webhook.js';
import { usePeople } from './people-api.js';
import { usePrinters } from './printers.js';
import { fetches, isPushed } from './pulling-api.js';
import type { Step } from './steps.js';
import { usePullingTexts, useTopicTexts } from './texts.js';

/** The topics with their states, as links; beside them the page of the products. */
export function TopicIndex({
  restaurant,
  topics,
  current,
  left,
}: {
  readonly restaurant: OwnRestaurant;
  readonly topics: readonly SetupTopic[];
  readonly current: SetupTopic | undefined;
  /** what the set-up lacks */
  readonly left: readonly Step[];
}) {
  const texts = useTopicTexts();
  const has = useHas();
  return (
    <nav className="setup-index" aria-label={texts.index}>
      <ul>
        {topics.map((topic) => (
          <li key={topic}>
            <Link to={setupPlace(restaurant.id, topic)} aria-current={topic === current ? 'page' : undefined}>
              <span className="setup-topic-name">{texts.topics[topic]}</span>
              <StateOf topic={topic} restaurant={restaurant} left={left} />
            </Link>
          </li>
        ))}
        {has('codes') && mayManage(restaurant.role) && (
          <li>
            <Link to={`/r/${restaurant.id}/products`}>
              <span className="setup-topic-name">{texts.products}</span>
            </Link>
          </li>
        )}
      </ul>
    </nav>
  );
}

interface Of {
  readonly restaurant: OwnRestaurant;
  readonly left: readonly Step[];
}

/** How a topic stands, in a few words; nothing while it is not known, or for a role that may not change it. */
function StateOf({ topic, ...of }: Of & { readonly topic: SetupTopic }) {
  if (topic === 'people') return <PeopleState {...of} />;
  if (!mayAdminister(of.restaurant.role)) return null;
  if (topic === 'printers') return <PrintersState {...of} />;
  return topic === 'alerts' ? <WebhookState {...of} /> : <OwnState topic={topic} {...of} />;
}

function State({ isMissing = false, children }: { readonly isMissing?: boolean; readonly children: string }) {
  return (
    <span className={isMissing ? 'setup-state setup-missing' : 'setup-state'}>
      {isMissing && <Icon name="warning" />} {children}
    </span>
  );
}

/** What stands in the restaurant itself. */
function OwnState({ topic, restaurant, left }: Of & { readonly topic: 'restaurant' | 'pos' | 'terminals' }) {
  const { states } = useTopicTexts();
  const { codeStorePos, posIdPartner, hasPosSecret, currency } = restaurant;
  if (topic === 'restaurant' && fetches(restaurant) && currency === null)
    return <State isMissing>{states.noCurrency}</State>;
  if (topic === 'restaurant' && fetches(restaurant) && codeStorePos === null) return null;
  if (topic === 'restaurant')
    return codeStorePos === null ? (
      <State isMissing>{states.noCode}</State>
    ) : (
      <State>{states.code(codeStorePos)}</State>
    );
  if (topic === 'terminals')
    return left.includes('firstSale') ? <State isMissing>{states.noSale}</State> : <State>{states.sales}</State>;
  if (fetches(restaurant)) return <PullingState restaurant={restaurant} left={left} />;
  const isHalf = (posIdPartner === null) === hasPosSecret;
  if (isHalf || left.includes('credentials')) return <State isMissing>{states.noCredentials}</State>;
  return <State>{hasPosSecret ? states.own : states.shared}</State>;
}

/** Of a POS that fetches its orders. */
function PullingState({ restaurant, left }: Of) {
  const { states } = useTopicTexts();
  const { push } = usePullingTexts();
  if (left.includes('credentials')) return <State isMissing>{states.noCredentials}</State>;
  if (left.includes('firstPoll')) return <State isMissing>{states.noPoll}</State>;
  return <State>{isPushed(restaurant) ? push.state : states.fetches}</State>;
}

function PrintersState({ restaurant }: Of) {
  const { states } = useTopicTexts();
  const { data } = usePrinters(restaurant.id);
  if (!data) return null;
  const away = data.filter((printer) => printer.away).length;
  return away > 0 ? <State isMissing>{states.away(away)}</State> : <State>{states.printers(data.length)}</State>;
}

function PeopleState({ restaurant }: Of) {
  const { states } = useTopicTexts();
  const { data } = usePeople(restaurant);
  return data ? <State>{states.people(data.length)}</State> : null;
}

function WebhookState({ restaurant }: Of) {
  const { states } = useTopicTexts();
  const { data, isSuccess } = useAlertWebhook(restaurant.id);
  if (!isSuccess) return null;
  if (!data) return <State>{states.noWebhook}</State>;
  return data.confirmed ? <State>{states.webhook}</State> : <State isMissing>{states.webhookFails}</State>;
}
