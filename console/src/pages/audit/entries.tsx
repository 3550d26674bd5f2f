import { orderPlace } from '../../api/order-place.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon, type IconName } from '../../design/icons.js';
import { Page, Panel } from '../../design/page.js';
import { Pager } from '../../design/pager.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useSharedTexts } from '../../i18n/shared.js';
import { Link } from '../../router/link.js';
import { setQuery, usePlace } from '../../router/location.js';
import { useRestaurants } from '../../session/restaurants.js';
import { useActions } from './actions.js';
import { AuditFilters, ClearFilters } from './filters.js';
import { phrasesOf } from './phrases.js';
import { type Action, type Entry, useAudit } from './queries.js';
import { useTexts } from './texts.js';
import { beginningOf, endOf } from './zone-days.js';
import './audit.css';

/** The icon of an entry, by the prefix of its action. */
const ICONS: readonly (readonly [prefix: string, icon: IconName])[] = [
  ['auth.sign_in_failed', 'warning'],
  ['auth.', 'person'],
  ['user.', 'person'],
  ['ownership.', 'person'],
  ['order.', 'cross'],
  ['jobs.', 'repeat'],
  ['restaurant.', 'sliders'],
];

/** The audit entries of a restaurant or of the platform, newest first. */
export function AuditEntries({
  title,
  restaurantId,
  timezone,
}: {
  readonly title: string;
  /** undefined: of the whole platform */
  readonly restaurantId?: string;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const { zone } = useFormats();
  const actions = useActions();
  const { query } = usePlace();
  const after = query.get('after') ?? undefined;
  const filter = {
    action: actions.find((known) => known === query.get('action')),
    actor: query.get('actor')?.trim() || undefined,
    from: beginningOf(query.get('from'), timezone),
    to: endOf(query.get('to'), timezone),
  };
  const isNarrowed = Object.values(filter).some((value) => value !== undefined);
  const entries = useAudit(restaurantId, { ...filter, after });
  return (
    <Page title={title} aside={<p className="fine">{zone(timezone)}</p>}>
      <Panel title={texts.list} className="audit-list">
        <p className="fine">{texts.intro}</p>
        <AuditFilters />
        <Answer query={entries} lines={8}>
          {({ data, meta }) => (
            <>
              {data.length > 0 ? (
                <EntryTable entries={data} timezone={timezone} isOfAll={restaurantId === undefined} />
              ) : isNarrowed ? (
                <EmptyState icon="search" title={texts.noneFound}>
                  <p>{texts.noneFoundHelp}</p>
                  <ClearFilters />
                </EmptyState>
              ) : (
                <EmptyState title={texts.none}>
                  <p>{texts.noneHelp}</p>
                </EmptyState>
              )}
              <Pager
                isFirst={after === undefined}
                next={meta.next === null ? undefined : () => setQuery({ after: meta.next ?? undefined })}
                first={() => setQuery({ after: undefined })}
              />
            </>
          )}
        </Answer>
      </Panel>
    </Page>
  );
}

function EntryTable({
  entries,
  timezone,
  isOfAll,
}: {
  readonly entries: readonly Entry[];
  readonly timezone: string;
  readonly isOfAll: boolean;
}) {
  const texts = useTexts();
  const { roles } = useSharedTexts();
  const formats = useFormats();
  const { data: restaurants = [] } = useRestaurants();
  const where: Column<Entry> = {
    ...{ key: 'where', header: texts.where },
    cell: ({ restaurantId, restaurantName }) =>
      restaurantId === null ? (
        <span className="fine entry-where">{texts.nobody}</span>
      ) : (
        <bdi className="named entry-where">{restaurantName ?? restaurantId}</bdi>
      ),
  };
  // the relay shows orders only to users of their restaurant
  const isLinked = ({ restaurantId }: Entry) => restaurants.some(({ id }) => id === restaurantId);
  const columns: Column<Entry>[] = [
    {
      key: 'what',
      header: texts.what,
      heading: true,
      cell: (entry) => {
        const phrases = phrasesOf(entry, { texts, roles, formats, timezone });
        return (
          <div className="entry-what">
            <p>
              <Icon name={iconOf(entry.action)} /> {texts.actions[entry.action] ?? entry.action}
              {entry.target && (
                <>
                  : <Target entry={entry} isLinked={isLinked(entry)} />
                </>
              )}
            </p>
            {phrases.length > 0 && (
              <p className="fine">
                <bdi>{phrases.join('; ')}</bdi>
              </p>
            )}
          </div>
        );
      },
    },
    {
      key: 'who',
      header: texts.who,
      cell: ({ actorEmail, actorId }) => <bdi className="named entry-who">{actorEmail ?? actorId}</bdi>,
    },
    {
      key: 'when',
      header: texts.when,
      cell: ({ at }) => (
        <time dateTime={at} title={formats.timeWithSeconds(at, timezone)} className="entry-when">
          {formats.dateTime(at, timezone)}
        </time>
      ),
    },
    ...(isOfAll ? [where] : []),
    {
      key: 'request',
      header: texts.request,
      cell: ({ requestId }) =>
        requestId && (
          <code className="request-id" title={requestId}>
            {requestId}
          </code>
        ),
    },
  ];
  return <Table caption={texts.list} columns={columns} rows={entries} rowKey={({ id }) => id} />;
}

/** The target of an entry; an order links to its page. */
function Target({ entry, isLinked }: { readonly entry: Entry; readonly isLinked: boolean }) {
  const { action, target, restaurantId } = entry;
  const name = <bdi className="named">{target}</bdi>;
  if (!isLinked || !action.startsWith('order.') || restaurantId === null || target === null) return name;
  return <Link to={orderPlace(restaurantId, target)}>{name}</Link>;
}

function iconOf(action: Action): IconName {
  return ICONS.find(([prefix]) => action.startsWith(prefix))?.[1] ?? 'list';
}
