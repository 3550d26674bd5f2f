import type { View } from '../../api/client.js';
import { Choices } from '../../design/choices.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** The time by which a sale counts: its receipt, or the terminal's date (R29). */
const COUNTED_BY = ['receipt', 'sale'] as const;
export type CountedBy = (typeof COUNTED_BY)[number];

/** Which sales the page counts: below the sums, which people come for. */
export function Counting({
  by,
  statistics,
  onChange,
}: {
  readonly by: CountedBy;
  /** of the day; undefined: not known yet */
  readonly statistics: View<'StatisticsView'> | undefined;
  readonly onChange: (by: CountedBy) => void;
}) {
  const texts = useTexts();
  const { dateTime, zone } = useFormats();
  return (
    <Panel title={texts.by}>
      <div className="stack">
        <div className="not-printed">
          <Choices
            label={texts.by}
            choices={COUNTED_BY.map((value) => ({ value, label: texts.countedBy[value] }))}
            value={by}
            onChange={onChange}
          />
        </div>
        {statistics && (
          <p className="fine">
            {texts.lasts(
              dateTime(statistics.from, statistics.timezone),
              dateTime(statistics.to, statistics.timezone),
              zone(statistics.timezone),
            )}
            . {texts.withoutTests}
          </p>
        )}
      </div>
    </Panel>
  );
}
