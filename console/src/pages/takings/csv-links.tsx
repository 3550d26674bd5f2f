import { useState } from 'react';
import { Choices } from '../../design/choices.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useLanguage } from '../../i18n/language.js';
import type { Day } from './days.js';
import { useTexts } from './texts.js';

const SEPARATORS = ['comma', 'semicolon'] as const;
type Separator = (typeof SEPARATORS)[number];

/** Links to the orders of the day, or of all days of the chart, as CSV. */
export function CsvLinks({
  restaurantId,
  from,
  day,
  by,
}: {
  readonly restaurantId: string;
  readonly from: Day;
  readonly day: Day;
  /** the time by which a sale counts (R29) */
  readonly by: string;
}) {
  const texts = useTexts();
  const language = useLanguage();
  const [chosen, setChosen] = useState<Separator>();
  const separator = chosen ?? (language === 'pt-BR' ? 'semicolon' : 'comma');
  const href = (span: Record<string, Day>) =>
    `/console/api/restaurants/${restaurantId}/takings.csv?${new URLSearchParams({ ...span, by, separator })}`;
  return (
    <Panel title={texts.csv} className="not-printed">
      <div className="stack">
        <p className="quiet">{texts.csvHelp}</p>
        <Choices
          label={texts.separator}
          choices={SEPARATORS.map((value) => ({ value, label: texts.separators[value] }))}
          value={separator}
          onChange={setChosen}
        />
        <div className="row">
          <a className="button button-plain" href={href({ day })} download>
            <Icon name="list" />
            <span>{texts.csvDay}</span>
          </a>
          <a className="button button-plain" href={href({ from, to: day })} download>
            <Icon name="list" />
            <span>{texts.csvMonth}</span>
          </a>
        </div>
      </div>
    </Panel>
  );
}
