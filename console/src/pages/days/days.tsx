import { useState } from 'react';
import type { View } from '../../api/client.js';
import { Button, ButtonLink } from '../../design/button.js';
import { Confirm } from '../../design/confirm.js';
import { Answer, EmptyState, ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
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
import { type ClosedDay, useClose, useDays } from './queries.js';
import { useTexts } from './texts.js';
import './days.css';

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
            {head && <Files restaurantId={id} />}
          </div>
        )}
      </Answer>
    </Page>
  );
}

function OpenDay({
  restaurantId,
  open: { day, endsAt, isOver, sales, refunds, netCents },
  timezone,
}: {
  readonly restaurantId: string;
  readonly open: View<'OpenDayView'>;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const { amount, day: dayText, shortDay, dateTime } = useFormats();
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
          {texts.soFar}: <span className="number">{amount(sales.cents)}</span>
          {refunds.count > 0 && (
            <>
              {' · '}
              {texts.net}: <span className="number">{amount(netCents)}</span>
            </>
          )}
        </p>
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
  const { amount, number, shortDay } = useFormats();
  const columns: Column<ClosedDay>[] = [
    {
      ...{ key: 'day', header: texts.day, heading: true },
      cell: ({ day }) => <Link to={`/r/${restaurantId}/days/${day}`}>{shortDay(day)}</Link>,
    },
    { key: 'number', header: texts.number, end: true, cell: (row) => number(row.number) },
    { key: 'sales', header: texts.sales, end: true, cell: ({ sales }) => number(sales.count) },
    { key: 'net', header: texts.net, end: true, cell: ({ netCents }) => amount(netCents) },
    {
      ...{ key: 'open', header: texts.notInPos, end: true },
      cell: ({ states }) => number(states.waiting.count + states.parked.count),
    },
    { key: 'lines', header: texts.lines, end: true, cell: ({ linesCount }) => number(linesCount) },
  ];
  return <Table caption={texts.list} columns={columns} rows={days} rowKey={({ day }) => day} />;
}

function Files({ restaurantId }: { readonly restaurantId: string }) {
  const texts = useTexts();
  const separator = useLanguage() === 'pt-BR' ? 'semicolon' : 'comma';
  const href = (file: string) => `/console/api/restaurants/${restaurantId}/closings.${file}`;
  return (
    <Panel title={texts.files}>
      <div className="stack">
        <p className="quiet">{texts.filesHelp}</p>
        <div className="row">
          <a className="button button-plain" href={href(`csv?separator=${separator}`)} download>
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
