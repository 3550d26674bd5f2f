import { useState } from 'react';
import type { View } from '../../api/client.js';
import { Button, ButtonLink } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Answer, EmptyState, ErrorText } from '../../design/feedback.js';
import { SelectField } from '../../design/field.js';
import { Icon } from '../../design/icons.js';
import { CancelledNote, MoneyLine, useCounts } from '../../design/money.js';
import { Page, Panel } from '../../design/page.js';
import { Pager } from '../../design/pager.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { useLanguage } from '../../i18n/language.js';
import { Link } from '../../router/link.js';
import { setQuery, usePlace } from '../../router/location.js';
import { useHas } from '../../session/session.js';
import type { RestaurantPageProps } from '../page-props.js';
import { CheckChain } from './check-chain.js';
import { lastDayOf, monthsBefore } from './months.js';
import { type ClosedDay, useClose, useDays } from './queries.js';
import { useTexts } from './texts.js';
import './days.css';

/** The months that the files of one month are offered of. */
const MONTHS = 24;

/** The closed days of a restaurant, the open one, and the check of their chain. */
export default function Days({ restaurant: { id, timezone } }: RestaurantPageProps) {
  const texts = useTexts();
  const after = usePlace().query.get('after') ?? undefined;
  const days = useDays(id, after);
  const has = useHas();
  return (
    <Page
      title={texts.title}
      aside={
        <div className="row">
          <ButtonLink to={`/r/${id}/takings`} icon="coins">
            {texts.toTakings}
          </ButtonLink>
          {has('terminal-files') && (
            <ButtonLink to={`/r/${id}/terminal-files`} icon="list">
              {texts.terminalFile}
            </ButtonLink>
          )}
        </div>
      }
    >
      <Answer query={days} lines={8}>
        {({ data, meta, open, head }) => (
          <div className="stack">
            {open && <OpenDay restaurantId={id} open={open} timezone={timezone} />}
            <Panel title={texts.list}>
              {data.length === 0 ? (
                <EmptyState title={texts.none}>
                  <p>{texts.noneHelp}</p>
                </EmptyState>
              ) : (
                <DayTable restaurantId={id} days={data} />
              )}
              <Pager
                isFirst={after === undefined}
                next={meta.next === null ? undefined : () => setQuery({ after: meta.next ?? undefined })}
                first={() => setQuery({ after: undefined })}
              />
            </Panel>
            {head && <CheckChain restaurantId={id} head={head} />}
            {head && <Files restaurantId={id} lastDay={head.day} />}
          </div>
        )}
      </Answer>
    </Page>
  );
}

function OpenDay({
  restaurantId,
  open,
  timezone,
}: {
  readonly restaurantId: string;
  readonly open: View<'OpenDayView'>;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const countsText = useCounts();
  const { day: dayText, shortDay, dateTime } = useFormats();
  const { day, endsAt, isOver } = open;
  const [isAsking, ask] = useState(false);
  const closing = useClose(restaurantId);
  const ends = dateTime(endsAt, timezone);
  return (
    <Panel title={texts.open}>
      <div className="stack">
        <p className="days-open">
          <strong>{dayText(day)}</strong>
        </p>
        <p>
          <MoneyLine of={open} />
        </p>
        <p>{countsText(open.counts)}</p>
        <CancelledNote of={[open]} />
        <p className="fine">
          {isOver ? texts.openIsOver(ends) : texts.openUntil(ends)} {texts.lateHelp}
        </p>
        {isOver && (
          <div className="row">
            <Button kind="primary" icon="check" onClick={() => ask(true)}>
              {texts.close(shortDay(day))}
            </Button>
          </div>
        )}
      </div>
      <Confirm
        open={isAsking}
        title={texts.closeTitle(dayText(day))}
        action={texts.close(shortDay(day))}
        busy={closing.isPending}
        onConfirm={() => closing.mutate(day, { onSuccess: () => ask(false) })}
        onClose={() => ask(false)}
      >
        <p>{texts.closeHelp}</p>
        {closing.error && <ErrorText error={closing.error} />}
      </Confirm>
    </Panel>
  );
}

function DayTable({ restaurantId, days }: { readonly restaurantId: string; readonly days: readonly ClosedDay[] }) {
  const texts = useTexts();
  const countsText = useCounts();
  const { number, shortDay } = useFormats();
  const columns: Column<ClosedDay>[] = [
    {
      ...{ key: 'day', header: texts.day, heading: true },
      cell: ({ day }) => <Link to={`/r/${restaurantId}/days/${day}`}>{shortDay(day)}</Link>,
    },
    { key: 'number', header: texts.number, end: true, cell: (row) => number(row.number) },
    { key: 'sales', header: texts.sales, end: true, cell: ({ counts }) => countsText(counts) },
    { key: 'money', header: texts.money, end: true, cell: (row) => <MoneyLine of={row} /> },
    {
      ...{ key: 'open', header: texts.notInPos, end: true },
      cell: ({ states }) => number(states.waiting.count + states.parked.count),
    },
    { key: 'lines', header: texts.lines, end: true, cell: ({ linesCount }) => number(linesCount) },
  ];
  return (
    <>
      <Table caption={texts.list} columns={columns} rows={days} rowKey={({ day }) => day} />
      <CancelledNote of={days} />
    </>
  );
}

/** The files of a month, or of all closed days. @param lastDay the day of the last closing */
function Files({ restaurantId, lastDay }: { readonly restaurantId: string; readonly lastDay: string }) {
  const texts = useTexts();
  const { monthOfYear } = useFormats();
  const lang = useLanguage();
  const separator = lang === 'pt-BR' ? 'semicolon' : 'comma';
  const months = monthsBefore(lastDay, MONTHS);
  const [month, choose] = useState('');
  const span: Record<string, string> = month === '' ? {} : { from: `${month}-01`, to: lastDayOf(month) };
  const href = (file: 'csv' | 'json', query: Record<string, string> = {}) =>
    `/console/api/restaurants/${restaurantId}/closings.${file}?${new URLSearchParams({ ...span, ...query })}`;
  return (
    <Panel title={texts.files}>
      <div className="stack">
        <p className="quiet">{texts.filesHelp}</p>
        <SelectField label={texts.month} value={month} onChange={({ target }) => choose(target.value)}>
          <option value="">{texts.allMonths}</option>
          {months.map((each) => (
            <option key={each} value={each}>
              {monthOfYear(`${each}-01`)}
            </option>
          ))}
        </SelectField>
        <div className="row">
          <a className="button button-plain" href={href('csv', { format: 'days', separator, lang })} download>
            <Icon name="list" />
            <span>{texts.csvDays}</span>
          </a>
          <a className="button button-plain" href={href('csv', { separator })} download>
            <Icon name="list" />
            <span>{texts.csv}</span>
          </a>
          <a className="button button-plain" href={href('json')} download>
            <Icon name="list" />
            <span>{texts.json}</span>
          </a>
        </div>
      </div>
    </Panel>
  );
}
