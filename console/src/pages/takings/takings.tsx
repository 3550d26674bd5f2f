import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { answerOf, api } from '../../api/client.js';
import { every } from '../../api/queries.js';
import { useNow } from '../../browser/now.js';
import { ButtonLink } from '../../design/button.js';
import { Answer, Loading } from '../../design/feedback.js';
import { Page } from '../../design/page.js';
import { Hours } from '../../hours/hours-panel.js';
import { useFormats } from '../../i18n/formats.js';
import { setQuery, usePlace } from '../../router/location.js';
import { usePermissions } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import type { RestaurantPageProps } from '../page-props.js';
import { Compared } from './compared.js';
import { type CountedBy, Counting } from './counting.js';
import { CsvLinks } from './csv-links.js';
import { DayPicker } from './day-picker.js';
import { DayTotal } from './day-takings.js';
import { currentDay, type Day, daysAfter, isDay } from './days.js';
import { ByTender } from './tenders.js';
import { useTexts } from './texts.js';
import './takings.css';

const DayByDay = lazy(() => import('./day-by-day.js'));

/** Today's sums change; those of another day only when an order does. */
const TODAY_MS = 5_000;
const OTHER_MS = 60_000;
/** The days of the chart, and of the larger file. */
const DAYS = 30;

/** The takings of a business day by means of payment and by state, and the days before it. */
export default function Takings({ restaurant }: RestaurantPageProps) {
  const texts = useTexts();
  const { day: dayText, shortDay } = useFormats();
  const { id, timezone, dayClosesAt } = restaurant;
  const today = currentDay(timezone, dayClosesAt, useNow(60_000));
  const { query } = usePlace();
  const asked = query.get('day');
  const day = isDay(asked) ? asked : today;
  const isToday = day === today;
  const show = (chosen: Day) => setQuery({ day: chosen === today ? undefined : chosen });
  const from = daysAfter(day, 1 - DAYS);
  const by: CountedBy = query.get('by') === 'sale' ? 'sale' : 'receipt';
  const may = usePermissions(restaurant);
  const has = useHas();
  const ofDay = useQuery({
    queryKey: ['takings', id, day, by],
    queryFn: ({ signal }) => statistics(id, { day, by }, signal),
    ...every(isToday ? TODAY_MS : OTHER_MS),
  });
  const ofDays = useQuery({
    queryKey: ['takings', id, from, day, by],
    queryFn: ({ signal }) => statistics(id, { from, to: day, by }, signal),
    ...every(OTHER_MS),
  });
  return (
    <Page title={texts.title} aside={<DayPicker day={day} today={today} onChange={show} />}>
      <div className="takings">
        {/* only on paper, which has no header */}
        <p className="printed">
          <bdi>{restaurant.name}</bdi>
        </p>
        <h2 className="takings-day">{dayText(day)}</h2>
        {by === 'sale' && <p className="fine">{texts.bySaleHelp}</p>}
        <Answer query={ofDay} lines={6}>
          {(found) => (
            <>
              <DayTotal statistics={found} restaurantId={id} isToday={isToday}>
                {ofDays.data && <Compared byDay={ofDays.data.amounts.byDay} day={day} isToday={isToday} />}
              </DayTotal>
              {found.amounts.byTender.length > 0 && <ByTender amounts={found.amounts} />}
              <Hours statistics={found} restaurantId={id} by={by} isRunning />
            </>
          )}
        </Answer>
        <Counting
          by={by}
          statistics={ofDay.data}
          onChange={(chosen) => setQuery({ by: chosen === 'sale' ? chosen : undefined })}
        />
        <Answer query={ofDays} lines={5}>
          {(found) => (
            <Suspense fallback={<Loading lines={5} />}>
              <DayByDay
                rows={found.amounts.byDay}
                totalCents={found.amounts.takenCents}
                day={day}
                title={`${shortDay(from)} – ${shortDay(day)}`}
                onChoose={show}
              />
            </Suspense>
          )}
        </Answer>
        {may.data?.includes('view_reports') && (has('days') || has('terminal-files')) && (
          <div className="row not-printed">
            {has('days') && (
              <ButtonLink to={`/r/${id}/days`} icon="book">
                {texts.closedDays}
              </ButtonLink>
            )}
            {has('terminal-files') && (
              <ButtonLink to={`/r/${id}/terminal-files`} icon="list">
                {texts.terminalFile}
              </ButtonLink>
            )}
          </div>
        )}
        {may.data?.includes('view_reports') && <CsvLinks restaurantId={id} from={from} day={day} by={by} />}
      </div>
    </Page>
  );
}

function statistics(
  restaurantId: string,
  query: { day?: Day; from?: Day; to?: Day; by: CountedBy },
  signal: AbortSignal,
) {
  const params = { path: { restaurantId }, query };
  return answerOf(api.GET('/restaurants/{restaurantId}/statistics', { params, signal }));
}
