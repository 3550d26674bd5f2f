import { centsOf, TAKEN_PARTS } from '../../api/amounts.js';
import type { View } from '../../api/client.js';
import type { Query } from '../../api/queries.js';
import { Answer, EmptyState } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { CancelledNote, MoneyLine, useCounts } from '../../design/money.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useTenderName } from '../../i18n/tender.js';
import { useTexts } from './texts.js';

type Statistics = View<'StatisticsView'>;

/** The takings so far, by tender and by what became of the orders. */
export function TakingsPanel({ statistics }: { readonly statistics: Query<Statistics> }) {
  const texts = useTexts();
  return (
    <Panel title={texts.takings} className="takings">
      <Answer query={statistics} lines={10}>
        {({ amounts, amountMismatches, receivedOnAnotherDay, counts }) =>
          amounts.totalCents === 0 && counts.refunds === 0 ? (
            <EmptyState icon="coins" title={texts.noTakings} />
          ) : (
            <>
              <Total amounts={amounts} counts={counts} />
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

function Total({ amounts, counts }: Pick<Statistics, 'amounts' | 'counts'>) {
  const texts = useTexts();
  const countsText = useCounts();
  const { amount } = useFormats();
  const parts = TAKEN_PARTS.filter((part) => centsOf(amounts, part) > 0);
  return (
    <div className="total">
      <p className="total-amount number">
        <span className="unseen">{texts.taken} </span>
        {amount(amounts.takenCents)}
      </p>
      <ul className="total-parts">
        {parts.map((part) => (
          <li key={part} className={`total-part total-${part}`}>
            <b className="number">{amount(centsOf(amounts, part))}</b> {texts.ofWhich[part]}
          </li>
        ))}
      </ul>
      <p className="total-money">
        <MoneyLine of={amounts} />
      </p>
      <p className="fine">{countsText(counts)}</p>
      <CancelledNote of={[amounts]} />
    </div>
  );
}

function Tenders({ amounts }: { readonly amounts: Statistics['amounts'] }) {
  const texts = useTexts();
  const { amount, percent } = useFormats();
  const nameOf = useTenderName(amounts.byTender);
  const tenders = amounts.byTender
    .map(({ cents, cancelledCents, ...tender }) => ({ ...tender, cents: cents - cancelledCents }))
    .filter(({ cents }) => cents > 0);
  return (
    <>
      <h3 className="unseen">{texts.otherTenders}</h3>
      <ul className="tenders">
        {tenders.map(({ cents, ...tender }) => (
          <li key={tender.tenderType}>
            <span className="tender-name">
              <bdi>{nameOf(tender)}</bdi>
            </span>
            <span className="number">{amount(cents)}</span>
            <meter
              className="tender-share"
              min={0}
              max={amounts.takenCents}
              value={cents}
              aria-label={texts.share(percent(cents / amounts.takenCents))}
            />
          </li>
        ))}
      </ul>
    </>
  );
}
