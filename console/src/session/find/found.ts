import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../../api/client.js';
import { orderPlace } from '../../api/order-place.js';
import { setupPlace } from '../../api/setup-place.js';
import { badgeOf } from '../../design/badge.js';
import type { IconName } from '../../design/icons.js';
import { LOOK_OF_BADGE } from '../../design/states.js';
import { folded } from '../../i18n/folded.js';
import { formatsOf } from '../../i18n/formats.js';
import { isolated } from '../../i18n/isolated.js';
import { LANGUAGE_NAMES, LANGUAGES, setLanguage, useLanguage } from '../../i18n/language.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { navigate, usePlace } from '../../router/location.js';
import { useNavigation } from '../navigation.js';
import { LIGHTS, useLights } from '../overview.js';
import { mayAdminister, mayManage, type OwnRestaurant } from '../restaurants.js';
import { type Session, signOut, useHas } from '../session.js';
import { useTopics } from '../setup-topics.js';
import { useTexts } from './texts.js';

/** What can be found, and chosen. */
export interface Found {
  readonly key: string;
  readonly icon: IconName;
  /** of its icon */
  readonly tone?: string;
  readonly label: string;
  /** beside the label */
  readonly fine?: string;
  readonly choose: () => void;
}

type Group = 'restaurants' | 'pages' | 'acts' | 'orders';

/** Who searches, and where. */
export interface Searcher {
  readonly session: Session;
  readonly restaurants: readonly OwnRestaurant[];
  readonly current: OwnRestaurant | undefined;
}

/** The orders that are found at once. */
const ORDERS = 6;
/** The worst first. */
const BY_LIGHT = Object.keys(LIGHTS);

const wordsOf = (text: string) =>
  folded(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

/**
 * What a text finds (N44): of restaurants, pages and acts those whose name has words that begin with all of its words; of orders those of R43, in the current restaurant.
 * @param search of orders: the text once somebody pauses
 */
export function useFound(searcher: Searcher, text: string, search: string): (readonly [Group, readonly Found[]])[] {
  const words = wordsOf(text);
  const isFound = ({ label }: Found) => {
    const own = wordsOf(label);
    return words.every((word) => own.some((each) => each.startsWith(word)));
  };
  const groups: (readonly [Group, readonly Found[]])[] = [
    ['restaurants', useRestaurantItems(searcher).filter(isFound)],
    ['pages', usePageItems(searcher).filter(isFound)],
    ['acts', useActs(searcher).filter(isFound)],
    // they come last: what comes late moves nothing
    ['orders', useOrderItems(searcher, search)],
  ];
  return groups.filter(([, items]) => items.length > 0);
}

/** The user's restaurants, those that need somebody first. */
function useRestaurantItems({ restaurants, current }: Searcher): Found[] {
  const texts = useTexts();
  const { nav } = useSharedTexts();
  const { path } = usePlace();
  const isAlone = restaurants.length < 2;
  const lights = useLights(!isAlone);
  if (isAlone) return [];
  // the same page of the other restaurant; an order has none there
  const page = /^\/r\/[^/]+\/(tonight|alerts|takings|setup.*|audit)$/.exec(path)?.[1] ?? 'tonight';
  const rankOf = ({ id }: OwnRestaurant) => BY_LIGHT.indexOf(lights?.get(id) ?? 'idle');
  const sorted = restaurants.toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name));
  return [
    { key: 'all', icon: 'list' as const, label: nav.allRestaurants, choose: () => navigate('/restaurants') },
    ...sorted
      .filter(({ id }) => id !== current?.id || path === '/restaurants')
      .map(({ id, name }) => {
        const light = lights?.get(id);
        const [icon, tone] = LIGHTS[light ?? 'idle'];
        const fine = light ? { fine: texts.lights[light] } : {};
        return { key: id, icon, tone, label: name, ...fine, choose: () => navigate(`/r/${id}/${page}`) };
      }),
  ];
}

function usePageItems({ session, current }: Searcher): Found[] {
  const texts = useTexts();
  const { nav } = useSharedTexts();
  const has = useHas();
  const to = (place: string, icon: IconName, label: string): Found => ({
    key: place,
    icon,
    label,
    choose: () => navigate(place),
  });
  // without a restaurant none is shown
  const topics = useTopics(current ?? { role: 'VIEWER' });
  const pages = useNavigation(session, current).map((item) => to(item.to, item.icon, item.label));
  if (current) {
    const here = `/r/${current.id}`;
    if (has('days')) pages.push(to(`${here}/days`, 'book', texts.closedDays));
    if (has('codes') && mayManage(current.role)) pages.push(to(`${here}/products`, 'list', texts.products));
    if (has('terminal-files')) pages.push(to(`${here}/terminal-files`, 'list', texts.terminalFiles));
    for (const topic of topics) pages.push(to(setupPlace(current.id, topic), 'sliders', texts.topics[topic]));
  }
  return [...pages, to('/account', 'person', nav.account)];
}

function useActs({ current }: Searcher): Found[] {
  const texts = useTexts();
  const { nav } = useSharedTexts();
  const has = useHas();
  const language = useLanguage();
  const acts: Found[] = [];
  const add = (key: string, icon: IconName, label: string, choose: () => void) =>
    acts.push({ key, icon, label, choose });
  if (current && mayAdminister(current.role))
    add('test', 'flask', texts.testSale, () => navigate(setupPlace(current.id, 'terminals')));
  if (current && has('tickets')) add('print', 'printer', texts.printAll, () => navigate(`/r/${current.id}/tickets`));
  add('new', 'sliders', texts.newRestaurant, () => navigate('/new'));
  for (const other of LANGUAGES)
    if (other !== language) add(other, 'repeat', texts.language(LANGUAGE_NAMES[other]), () => setLanguage(other));
  // a failure leaves the page as it is, and the menu says why
  add('out', 'back', nav.signOut, () => void signOut().catch(() => {}));
  return acts;
}

/** The orders of the restaurant that R43 finds, and the way to those of all restaurants. */
function useOrderItems({ session, current }: Searcher, search: string): Found[] {
  const texts = useTexts();
  const { states } = useSharedTexts();
  const language = useLanguage();
  const isWanted = current !== undefined && search !== '';
  const { data } = useQuery({
    queryKey: ['orders', current?.id ?? '', { q: search, limit: ORDERS }],
    queryFn: ({ signal }) => {
      const params = { path: { restaurantId: current?.id ?? '' }, query: { q: search, limit: ORDERS } };
      return answerOf(api.GET('/restaurants/{restaurantId}/orders', { params, signal }));
    },
    enabled: isWanted,
  });
  const formats = formatsOf(language, current?.currency ?? null);
  const orders = (isWanted && data ? data.data : []).map((order) => {
    const { transactionKey, transactionNumber, netCents, receivedAt } = order;
    const badge = badgeOf(order);
    return {
      key: transactionKey,
      ...LOOK_OF_BADGE[badge],
      label: isolated(transactionNumber === null ? transactionKey : texts.number(transactionNumber)),
      fine: [formats.amount(netCents), formats.dateTime(receivedAt, current?.timezone ?? 'UTC'), states[badge]].join(
        ' · ',
      ),
      choose: () => navigate(orderPlace(current?.id ?? '', transactionKey)),
    };
  });
  if (search === '' || session.user.role !== 'ADMIN') return orders;
  const everywhere: Found = {
    key: 'everywhere',
    icon: 'search',
    label: texts.everywhere(isolated(search)),
    choose: () => navigate(`/operators?${new URLSearchParams({ q: search })}`),
  };
  return [...orders, everywhere];
}
