import { lazy, Suspense } from 'react';
import type { View } from '../api/client.js';
import { Panel } from '../design/page.js';
import { hoursTaken } from './hours.js';
import { useTexts } from './texts.js';
import './hours.css';

const HoursChart = lazy(() => import('./hours-chart.js'));

/** The hours of a business day, as bars or as a curve of their sums; nothing before its first sale. */
export function Hours({
  statistics,
  restaurantId,
  by = 'receipt',
  isRunning = false,
}: {
  /** of one day; undefined: not known yet */
  readonly statistics: View<'StatisticsView'> | undefined;
  readonly restaurantId: string;
  /** the time that decides the hour of a sale (R29) */
  readonly by?: 'receipt' | 'sale';
  readonly isRunning?: boolean;
}) {
  const texts = useTexts();
  const hours = hoursTaken(statistics?.amounts.byHour ?? null);
  const day = statistics?.amounts.byDay[0]?.day;
  if (!statistics || !day || hours.length === 0) return null;
  return (
    <Panel title={isRunning ? texts.running : texts.chart} className="hours">
      <Suspense fallback={<div className="chart" />}>
        <HoursChart
          restaurantId={restaurantId}
          day={day}
          statistics={{ from: statistics.from, hours }}
          timezone={statistics.timezone}
          by={by}
          isRunning={isRunning}
        />
      </Suspense>
    </Panel>
  );
}
