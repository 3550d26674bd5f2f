import { Button } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import type { Difference, useDecide } from './queries.js';
import { useTexts } from './texts.js';

/** What a person has decided about a row, and the way back. */
export function Decided({
  row: { decision, decidedBy, decidedAt, note, refusedSales, line, cents },
  decide,
  isDeciding,
  when,
  timezone,
}: {
  readonly row: Difference;
  /** undefined: nobody decides here */
  readonly decide: ReturnType<typeof useDecide>['mutate'] | undefined;
  readonly isDeciding: boolean;
  /** the time of the row, in words */
  readonly when: string;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const { amount, dateTime } = useFormats();
  if (decision === null && refusedSales === 0) return null;
  return (
    <div className="pair-decided">
      {decision !== null && (
        <span>
          <Icon name="check" /> {texts.decisions[decision]}
          {note && (
            <>
              : <bdi className="named">{note}</bdi>
            </>
          )}
        </span>
      )}
      {decision === null && <span className="fine">{texts.refused(refusedSales)}</span>}
      {decidedAt && (
        <bdi className="fine">{texts.enteredBy(decidedBy ?? texts.somebody, dateTime(decidedAt, timezone))}</bdi>
      )}
      {decide && line !== null && (
        <div className="not-printed">
          <Button kind="quiet" icon="back" busy={isDeciding} onClick={() => decide({ act: 'undo', line })}>
            {texts.undo}
            <span className="unseen">: {texts.enter.what(amount(cents ?? 0), when)}</span>
          </Button>
        </div>
      )}
    </div>
  );
}
