import { type ReactNode, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Problem } from '../src/api/problem.js';
import { Button } from '../src/design/button.js';
import { Choices } from '../src/design/choices.js';
import { Copyable } from '../src/design/copy.js';
import { Facts } from '../src/design/facts.js';
import { EmptyState, ErrorState, Loading } from '../src/design/feedback.js';
import { Field, SelectField } from '../src/design/field.js';
import { Icon } from '../src/design/icons.js';
import { CancelledNote, MoneyLine } from '../src/design/money.js';
import { Page, Panel } from '../src/design/page.js';
import { Pager } from '../src/design/pager.js';
import { QrCode } from '../src/design/qr.js';
import { ReadableChart } from '../src/design/readable-chart.js';
import { SearchBox } from '../src/design/search-box.js';
import { LevelBadge, LOOK_OF_BADGE, StateBadge } from '../src/design/states.js';
import { Table } from '../src/design/table.js';
import { Currency, formatsOf } from '../src/i18n/formats.js';
import { language, setLanguage } from '../src/i18n/language.js';
import '../src/design/tokens.css';
import '../src/design/base.css';
import '../src/design/parts.css';
import '../src/design/controls.css';
import '../src/design/table.css';
import '../src/design/header.css';
import '../src/design/shell.css';
import '../src/hours/hours.css';

/** Every part of the console in every state, with the longest texts that it gets: `npm run screenshots -- --sheet`. */

const LONG = 'Pizzaria e Restaurante do Imperador, Água com gás e Lasanha à bolonhesa da casa';
const WORD = 'SALE-2026-11-28-TERMINAL-0000000000000000000000000001012';
const TIPS = { tipCents: 1_250, serviceFeeCents: 4_310 };
const MONEY = { takenCents: 123_456_789, cancelledCents: 19_647, refundedCents: 5_497, netCents: 123_451_292, ...TIPS };
const HOURS = [40, 120, 310.5, 280, 90];
const BEFORE = [80, 100, 250, 300, 160];
const nothing = () => {};

function Sheet() {
  const [choice, setChoice] = useState<'all' | 'parked'>('all');
  const [typed, setTyped] = useState('');
  const { amount, number } = formatsOf(language(), 'BRL');
  const hour = (at: number) => `${18 + at}:00`;
  const series = [
    { label: 'A week before', colour: 'ink-soft', values: BEFORE, dashed: true },
    { label: 'Today', colour: 'accent', values: [...HOURS.slice(0, 4), null], filled: true },
  ];
  const bars = [
    { label: 'A week before', colour: 'chart-before', values: BEFORE, wide: true },
    { label: 'Today', colour: 'accent', values: HOURS },
  ];
  const readOf = (at: number) => ({
    title: hour(at),
    values: [BEFORE, HOURS].map((each) => amount((each[at] ?? 0) * 100)),
  });
  const chart = { heightPx: 150, resting: 2, read: readOf, writeX: hour, writeY: number, labelSpacePx: 44 };
  return (
    <Page title="Sheet of parts" aside={<p className="quiet">Fri 27 Nov · São Paulo Time</p>}>
      <Part title="Text">
        <p className="hero number">{amount(MONEY.takenCents)}</p>
        <p>
          {LONG}, <b>{LONG}</b>, <a href="#root">the top of the sheet</a>, <code>{WORD}</code>
        </p>
        <p className="fine">{LONG}</p>
        <MoneyLine of={MONEY} />
        <CancelledNote of={[MONEY]} />
      </Part>
      <Part title="Buttons">
        {(['primary', 'plain', 'danger', 'quiet', 'icon'] as const).map((kind) => (
          <span key={kind} className="row">
            <Button kind={kind} icon="repeat">
              {kind}
            </Button>
            <Button kind={kind} icon="repeat" busy>
              {`${kind}, busy`}
            </Button>
          </span>
        ))}
      </Part>
      <Part title="States">
        <p className="row">
          {(Object.keys(LOOK_OF_BADGE) as (keyof typeof LOOK_OF_BADGE)[]).map((badge) => (
            <StateBadge key={badge} badge={badge} />
          ))}
          <LevelBadge level="ok" /> <LevelBadge level="warning" /> <LevelBadge level="bad" />
        </p>
      </Part>
      <Part title="Fields">
        <Field label="Empty" hint={LONG} />
        <Field label="Filled" defaultValue={LONG} />
        <Field label="Wrong" defaultValue="7O01" error="Letters, digits and hyphens." />
        <SelectField label="A choice of many" hint="Of the device.">
          <option>{LONG}</option>
        </SelectField>
        <SearchBox label="Find an order" value={typed} maxLength={100} onType={setTyped} shortcut="/" />
        <Choices
          label="Which orders"
          value={choice}
          onChange={setChoice}
          choices={[
            { value: 'all', label: 'All', count: '1,234' },
            { value: 'parked', label: 'Parked', count: '2 + 31 earlier' },
          ]}
        />
        <p className="field-good">
          <Icon name="check" /> Saved.
        </p>
        <Copyable text={WORD} />
      </Part>
      <Part title="Feedback">
        <Loading />
        <EmptyState icon="clock" title="No order yet today">
          <p>Sales appear here a moment after the terminal prints the receipt.</p>
        </EmptyState>
        <ErrorState
          error={new Problem(400, 'VALIDATION_FAILED', [`name: ${LONG}`], undefined, undefined)}
          retry={nothing}
        />
        <ErrorState error={new Problem(503, 'DATABASE_UNAVAILABLE', [], WORD, undefined)} />
      </Part>
      <Part title="Lists">
        <Facts
          facts={[
            ['Received', 'Fri 27 Nov, 22:27'],
            [LONG, <Copyable key="key" text={WORD} />],
          ]}
        />
        {[false, true].map((dense) => (
          <Table
            key={String(dense)}
            caption="Orders"
            dense={dense}
            rows={[WORD, LONG]}
            rowKey={(row) => row}
            columns={[
              { key: 'order', header: 'Order', heading: true, cell: (row) => <bdi className="named">{row}</bdi> },
              { key: 'state', header: 'State', cell: () => <StateBadge badge="parked" /> },
              { key: 'amount', header: 'Amount', end: true, cell: () => amount(MONEY.takenCents) },
            ]}
          />
        ))}
        <Pager isFirst={false} next={nothing} first={nothing} />
      </Part>
      <Part title="Charts and codes">
        <ReadableChart label="Bars" subject="bars" className="chart" series={bars} {...chart} />
        <ReadableChart kind="lines" label="Lines" subject="lines" className="chart" series={series} {...chart} />
        <QrCode text={`https://relay.example/console/r/1/days/2026-11-27?seal=${'0'.repeat(64)}`} label="A code" />
      </Part>
    </Page>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Panel title={title}>
      <div className="stack">{children}</div>
    </Panel>
  );
}

setLanguage(language());
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Currency value="BRL">
      <Sheet />
    </Currency>
  </StrictMode>,
);
