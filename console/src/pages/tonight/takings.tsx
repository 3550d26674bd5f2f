import { lazy, Suspense } from 'react';
import { AMOUNT_PARTS } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import type { Query } from '../../api/queries.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useTenderName } from '../../i18n/tender.js';
import { useTexts } from './texts.js';

const HoursChart = lazy(() => import('./hours-chart.js'));

type Statistics = View<'StatisticsView'>;

/** The evening by the hour; nothing before the first sale. */
export function Hours({
  statistics,
  restaurantId,
  timezone,
}: {
  readonly statistics: Statistics | undefined;
  readonly restaurantId: string;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const hours = statistics?.amounts.byHour ?? [];
  const day = statistics?.amounts.byDay[0]?.day;
  if (!statistics || !day || hours.length === 0) return null;
  return (
    <Panel title={texts.chart} className="hours">
      <Suspense fallback={<div className="chart" />}>
        <HoursChart
          restaurantId={restaurantId}
          day={day}
          statistics={{ from: statistics.from, hours }}
          timezone={timezone}
        />
      </Suspense>
    </Panel>
  );
}

/** The takings so far, by tender and by what became of the orders. */
export function TakingsPanel({ statistics }: { readonly statistics: Query<Statistics> }) {
  const texts = useTexts();
  return (
    <Panel title={texts.takings} className="takings">
      <Answer query={statistics} lines={4}>
        {({ amounts, amountMismatches, receivedOnAnotherDay }) =>
          amounts.totalCents === 0 && amounts.refunds === 0 ? (
            <EmptyState icon="coins" title={texts.noTakings} />
          ) : (
            <>
              <Total amounts={amounts} />
              <Tenders amounts={amounts} />
              {receivedOnAnotherDay > 0 && (
                <p className="field-hint">
                  <Icon name="clock" /> {texts.anotherDay(receivedOnAnotherDay)}
                </p>
              )}
              {amountMismatches > 0 && (
                <p className="field-hint">
                  <Icon name="warning" /> {texts.mismatches(amountMismatches)}
                </p>
              )}
            </>
          )
        }
      </Answer>
    </Panel>
  );
}

function Total({ amounts }: { readonly amounts: Statistics['amounts'] }) {
  const texts = useTexts();
  const { amount } = useFormats();
  const parts = AMOUNT_PARTS.filter((part) => amounts[`${part}Cents`] > 0);
  return (
    <div className="total">
      <p className="total-amount number">
        <span className="unseen">{texts.taken} </span>
        {amount(amounts.totalCents)}
      </p>
      <ul className="total-parts">
        {parts.map((part) => (
          <li key={part} className={`total-part total-${part}`}>
            <b className="number">{amount(amounts[`${part}Cents`])}</b> {texts.ofWhich[part]}
          </li>
        ))}
      </ul>
      {amounts.refunds > 0 && (
        <p className="total-refunds">
          {texts.refunds(amounts.refunds)}: <b className="number">{amount(-amounts.refundCents)}</b>,{' '}
          {texts.afterRefunds} <b className="number">{amount(amounts.netCents)}</b>
        </p>
      )}
    </div>
  );
}

function Tenders({ amounts }: { readonly amounts: Statistics['amounts'] }) {
  const texts = useTexts();
  const { amount, percent } = useFormats();
  const nameOf = useTenderName(amounts.byTender);
  return (
    <>
      <h3 className="unseen">{texts.otherTenders}</h3>
      <ul className="tenders">
        {amounts.byTender.map(({ cents, ...tender }) => (
          <li key={tender.tenderType}>
            <span className="tender-name">
              <bdi>{nameOf(tender)}</bdi>
            </span>
            <span className="number">{amount(cents)}</span>
            <meter
              className="tender-share"
              min={0}
              max={amounts.totalCents}
              value={cents}
              aria-label={texts.share(percent(cents / amounts.totalCents))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
