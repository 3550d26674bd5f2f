import { lazy, Suspense } from 'react';
import type { View } from '../../api/client.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useTenderName } from '../../i18n/tender.js';
import { useTexts } from './texts.js';

const HoursChart = lazy(() => import('./hours-chart.js'));

type Statistics = View<'StatisticsView'>;
const PARTS = ['delivered', 'waiting', 'parked', 'cancelled'] as const;

/** The evening by the hour; nothing before the first sale, which the takings say already. */
export function Hours({
  statistics,
  timezone,
}: {
  readonly statistics: Statistics | undefined;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const hours = statistics?.amounts.byHour ?? [];
  if (hours.length === 0) return null;
  return (
    <Panel title={texts.chart} className="hours">
      <Suspense fallback={<div className="chart" />}>
        <HoursChart hours={hours} timezone={timezone} />
      </Suspense>
    </Panel>
  );
}

/** What was taken so far, by tender and by what became of it. */
export function Takings({
  statistics,
}: {
  readonly statistics: { data: Statistics | undefined; error: Error | null; refetch: () => unknown };
}) {
  const texts = useTexts();
  return (
    <Panel title={texts.takings} className="takings">
      <Answer query={statistics} lines={4}>
        {({ amounts, amountMismatches }) =>
          amounts.totalCents === 0 ? (
            <EmptyState icon="coins" title={texts.noTakings} />
          ) : (
            <>
              <Total amounts={amounts} />
              <Tenders amounts={amounts} />
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
  const parts = PARTS.filter((part) => amounts[`${part}Cents`] > 0);
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
