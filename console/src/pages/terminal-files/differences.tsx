import { useEffect, useRef } from 'react';
import { Button } from '../../design/button.js';
import { Answer } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Outcome } from '../../design/outcome.js';
import { Panel } from '../../design/page.js';
import { useFormats } from '../../i18n/formats.js';
import { useLanguage } from '../../i18n/language.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { countsOf, isTwice, NEEDING, NEEDING_ANSWERS, type NeedingAnswer, openOf, SHOWN_ANSWERS } from './answers.js';
import { FilePage } from './file-page.js';
import { Misread } from './misread.js';
import { AcceptedRows, EnteredRows, NeedingRows, ShownRows } from './parts.js';
import { type Difference, type TerminalFile, useDecide, useDifferences } from './queries.js';
import { useTexts } from './texts.js';

/** What differs between a file and the sales, and what to do about each; printed, it is a list to tick off (N30). */
export function Differences({ restaurant, fileId }: { readonly restaurant: OwnRestaurant; readonly fileId: string }) {
  const texts = useTexts();
  const separator = useLanguage() === 'pt-BR' ? 'semicolon' : 'comma';
  const found = useDifferences(restaurant.id, fileId);
  const csv = `/console/api/restaurants/${restaurant.id}/terminal-files/${fileId}/differences.csv?separator=${separator}`;
  return (
    <FilePage
      restaurant={restaurant}
      file={found.data?.file}
      actions={
        <Button icon="printer" onClick={() => print()}>
          {texts.result.print}
        </Button>
      }
    >
      <Answer query={found} lines={8}>
        {({ file, data }) => <Parts file={file} rows={data} restaurant={restaurant} />}
      </Answer>
      <div className="row not-printed">
        <Misread restaurant={restaurant} file={found.data?.file} />
        <a className="button button-plain" href={csv} download>
          <Icon name="list" />
          <span>{texts.result.csv}</span>
        </a>
      </div>
    </FilePage>
  );
}

function Parts({
  file,
  rows,
  restaurant,
}: {
  readonly file: TerminalFile;
  readonly rows: readonly Difference[];
  readonly restaurant: OwnRestaurant;
}) {
  const texts = useTexts();
  const deciding = useDecide(restaurant.id, file.id);
  const outcome = useRef<HTMLDivElement>(null);
  const countOf = countsOf(file.summary);
  const figuresOf = (answer: Difference['answer']) => file.summary.find((figures) => figures.answer === answer);
  const twice = figuresOf('ENTERED')?.open ?? 0;
  const needing = NEEDING_ANSWERS.filter((answer) => (answer === 'ENTERED' ? twice : countOf(answer)) > 0);
  const shown = SHOWN_ANSWERS.filter((answer) => countOf(answer) > 0);
  const { error, variables, status } = deciding;
  // the row, and the button that had the focus, leave the page
  useEffect(() => {
    if (status === 'success' || status === 'error') outcome.current?.focus({ preventScroll: true });
  }, [status]);
  const accepted = figuresOf('MATCHED')?.decided ?? 0;
  const acting = { decide: deciding.mutate, isDeciding: deciding.isPending };
  const ofPart = (answer: Difference['answer']) => ({
    ...{ answer, file, restaurant, count: countOf(answer) },
    first: rows.filter((row) => row.answer === answer),
  });
  return (
    <>
      <Verdict file={file} needing={needing} countOf={countOf} timezone={restaurant.timezone} />
      <div ref={outcome} tabIndex={-1} className="file-outcome">
        <Outcome
          done={deciding.isSuccess && variables && texts.decided[variables.act]}
          error={error}
          known={{ ROW_NOT_OPEN: texts.changed }}
        />
      </div>
      {needing.map((answer) => (
        <NeedingRows
          key={answer}
          {...ofPart(answer)}
          answer={answer}
          {...acting}
          {...(answer === 'ENTERED' && { count: twice, shows: isTwice })}
        />
      ))}
      {countOf('ENTERED') > twice && (
        <EnteredRows
          {...ofPart('ENTERED')}
          {...acting}
          count={countOf('ENTERED') - twice}
          shows={(row) => !isTwice(row)}
        />
      )}
      {(shown.length > 0 || accepted > 0) && (
        <Panel title={texts.result.rest}>
          {shown.map((answer) => (
            <ShownRows key={answer} {...ofPart(answer)} answer={answer} />
          ))}
          {accepted > 0 && <AcceptedRows file={file} restaurant={restaurant} count={accepted} {...acting} />}
        </Panel>
      )}
    </>
  );
}

/** How many things need somebody, with ways to them, and how many payments agree. */
function Verdict({
  file: { rows, matchedAt, summary },
  needing,
  countOf,
  timezone,
}: {
  readonly file: TerminalFile;
  readonly needing: readonly NeedingAnswer[];
  readonly countOf: (answer: Difference['answer']) => number;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const { dateTime } = useFormats();
  const open = openOf(summary);
  const undone = needing.filter((answer) => summary.some((of) => of.answer === answer && of.open > 0));
  const matched = countOf('MATCHED');
  return (
    <section className="file-verdict" aria-label={texts.result.verdict}>
      <p className={open > 0 ? 'file-hero' : 'file-hero field-good'}>
        <Icon name={open > 0 ? 'warning' : 'check'} /> {open > 0 ? texts.result.needs(open) : texts.result.fine}
      </p>
      {undone.length > 1 && (
        <ul className="file-chips not-printed">
          {undone.map((answer) => (
            <li key={answer}>
              <a href={`#${answer}`} className={`badge tone-${NEEDING[answer].tone}`}>
                <Icon name={NEEDING[answer].icon} />
                {texts.needing[answer].chip(summary.find((of) => of.answer === answer)?.open ?? 0)}
              </a>
            </li>
          ))}
        </ul>
      )}
      <p>{matched > 0 ? texts.result.matched(matched) : texts.result.matchedNone}</p>
      <p className="fine">
        {texts.result.read(rows)}
        {matchedAt && <>, {texts.result.compared(dateTime(matchedAt, timezone))}</>}
      </p>
    </section>
  );
}
