import { type ReactNode, useState } from 'react';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { type Answer, NEEDING, type NeedingAnswer, type SHOWN_ANSWERS } from './answers.js';
import { useRowColumns } from './columns.js';
import { type Difference, type TerminalFile, type useDecide, useRowsOf } from './queries.js';
import { useTexts } from './texts.js';

type Decide = ReturnType<typeof useDecide>['mutate'];

/** The rows of an answer, as each part of the page gets them. */
interface Part {
  readonly answer: Answer;
  readonly file: TerminalFile;
  readonly restaurant: OwnRestaurant;
  /** of all its rows */
  readonly count: number;
  /** those that the first page of rows has */
  readonly first: readonly Difference[];
  /** which of the rows with the answer; default: all */
  readonly shows?: (row: Difference) => boolean;
}

/** Rows that need somebody: what they are, what to do, and where there is one the act. */
export function NeedingRows({
  answer,
  decide,
  isDeciding,
  ...part
}: Part & { readonly answer: NeedingAnswer; readonly decide: Decide; readonly isDeciding: boolean }) {
  const texts = useTexts();
  const { icon, tone } = NEEDING[answer];
  const { amount } = useFormats();
  const words = texts.needing[answer];
  const figures = part.file.summary.find((of) => of.answer === answer);
  const sum = figures?.cents;
  const isDone = figures?.open === 0;
  return (
    <section id={answer} tabIndex={-1} className={`panel file-part file-part-${isDone ? 'done' : tone}`}>
      <h2>
        <Icon name={isDone ? 'check' : icon} /> {words.title(part.count)}
        {answer === 'MISSING_HERE' && sum !== undefined && `: ${amount(sum)}`}
      </h2>
      {isDone ? (
        <p className="file-todo field-good">{texts.check.allDone}</p>
      ) : (
        <p className="file-todo">
          <b>{texts.todo}</b> {words.todo}
        </p>
      )}
      <Rows {...part} answer={answer} decide={decide} isDeciding={isDeciding} />
    </section>
  );
}

/** What people have entered by hand. */
export function EnteredRows(part: Part & { readonly decide: Decide; readonly isDeciding: boolean }) {
  const { entered: texts } = useTexts();
  return (
    <Panel title={texts.title(part.count)} className="file-part">
      <p className="fine">{texts.help}</p>
      <Rows {...part} />
    </Panel>
  );
}

/** The sales that people have accepted, behind a line: each can be undone. */
export function AcceptedRows({
  file,
  restaurant,
  count,
  decide,
  isDeciding,
}: Pick<Part, 'file' | 'restaurant' | 'count'> & { readonly decide: Decide; readonly isDeciding: boolean }) {
  const { accepted: texts, result } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const all = useRowsOf(restaurant.id, file.id, { decided: true }, isOpen);
  const rows = all.data?.pages.flatMap(({ data }) => data).filter(({ decision }) => decision === 'ACCEPTED') ?? [];
  const columns = useRowColumns('MATCHED', file, restaurant, decide, isDeciding);
  return (
    <details className="file-shown" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.title(count)}</summary>
      <p className="fine">{texts.help}</p>
      <div className="file-rows">
        {rows.length > 0 && <Table caption={result.rowsOf} columns={columns} rows={rows} rowKey={keyOf} />}
        {all.hasNextPage && (
          <p className="file-more">
            <Button icon="arrow" busy={all.isFetching} onClick={() => all.fetchNextPage()}>
              {result.more}
            </Button>
          </p>
        )}
        {all.error && <ErrorText error={all.error} />}
      </div>
    </details>
  );
}

/** Rows that ask nothing of anybody, behind a line. */
export function ShownRows({ answer, ...part }: Part & { readonly answer: (typeof SHOWN_ANSWERS)[number] }) {
  const { shown: texts } = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="file-shown" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts[answer].title(part.count)}</summary>
      <p className="fine">{texts[answer].help}</p>
      {isOpen && <Rows {...part} answer={answer} />}
    </details>
  );
}

/** The rows of a part: those that the page has, and all once somebody asks for them. */
function Rows({
  answer,
  file,
  restaurant,
  count,
  first,
  shows = () => true,
  decide,
  isDeciding = false,
}: Part & { readonly decide?: Decide; readonly isDeciding?: boolean }) {
  const { result: texts } = useTexts();
  const { number } = useFormats();
  // the first page may have none of them
  const [isWanted, want] = useState(!first.some(shows));
  const all = useRowsOf(restaurant.id, file.id, { answer }, isWanted);
  const rows = (all.data?.pages.flatMap(({ data }) => data) ?? first).filter(shows);
  const columns: readonly Column<Difference>[] = useRowColumns(answer, file, restaurant, decide, isDeciding);
  let more: ReactNode = null;
  if (!isWanted && rows.length < count)
    more = (
      <Button icon="list" onClick={() => want(true)}>
        {texts.all(number(count))}
      </Button>
    );
  else if (all.hasNextPage || all.isLoading)
    more = (
      <Button icon="arrow" busy={all.isFetching} onClick={() => all.fetchNextPage()}>
        {texts.more}
      </Button>
    );
  return (
    <div className="file-rows">
      {rows.length > 0 && <Table caption={texts.rowsOf} columns={columns} rows={rows} rowKey={keyOf} />}
      {more && <p className="file-more">{more}</p>}
      {all.error && <ErrorText error={all.error} />}
    </div>
  );
}

function keyOf({ line, sale }: Difference): string {
  return line === null ? `sale ${sale?.transactionKey}` : String(line);
}
