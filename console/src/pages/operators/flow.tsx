import type { Query } from '../../api/queries.js';
import { Chart, ChartKey, type Series } from '../../design/chart.js';
import { Choices } from '../../design/choices.js';
import { Answer } from '../../design/feedback.js';
import { Panel } from '../../design/page.js';
import { type Column, Table } from '../../design/table.js';
import { useFormats } from '../../i18n/formats.js';
import { setQuery } from '../../router/location.js';
import { type Bucket, SPANS, type Span, type Throughput } from './queries.js';
import { useTexts } from './texts.js';

/** Throughput, backlog and delivery times as charts: each with a sentence, and all of them as one table. */
export default function Flow({ query, span }: { readonly query: Query<Throughput>; readonly span: Span }) {
  const texts = useTexts().flow;
  return (
    <Panel
      title={texts.title}
      aside={
        <Choices
          label={texts.span}
          value={span}
          choices={SPANS.map((value) => ({ value, label: texts.spans[value] }))}
          onChange={(value) => setQuery({ span: value === SPANS[0] ? undefined : value })}
        />
      }
    >
      <Answer query={query} lines={6}>
        {(found) => <Charts throughput={found} />}
      </Answer>
    </Panel>
  );
}

function Charts({ throughput: { data, bucketSeconds } }: { readonly throughput: Throughput }) {
  const texts = useTexts().flow;
  const { number, duration, time } = useFormats();
  const times = data.map(({ at }) => Date.parse(at) / 1_000);
  const writeX = (seconds: number) => time(seconds * 1_000, 'UTC');
  const sum = (of: 'accepted' | 'delivered' | 'failed') => number(data.reduce((total, one) => total + one[of], 0));
  const most = data.reduce((fullest, one) => (one.waiting > fullest.waiting ? one : fullest), data[0] as Bucket);
  const latest = data.findLast(({ medianMs }) => medianMs !== null);
  const ms = (value: number | null) => (value === null ? '' : duration(value));
  const per = texts.per(duration(bucketSeconds * 1_000));
  const flow: Series[] = [
    { label: texts.accepted, colour: 'accent', values: data.map(({ accepted }) => accepted) },
    { label: texts.delivered, colour: 'good-lamp', values: data.map(({ delivered }) => delivered) },
    { label: texts.failed, colour: 'bad-lamp', values: data.map(({ failed }) => failed), dashed: true },
  ];
  const waiting: Series[] = [
    { label: texts.waiting, colour: 'wait-lamp', values: data.map((one) => one.waiting), filled: true },
  ];
  const delivery: Series[] = [
    { label: texts.median, colour: 'good-lamp', values: data.map(({ medianMs }) => medianMs) },
    { label: texts.p95, colour: 'wait-lamp', values: data.map(({ p95Ms }) => p95Ms), dashed: true },
  ];
  return (
    <>
      <div className="columns">
        <TimeChart
          title={`${texts.throughput}, ${per}`}
          says={texts.says.throughput(sum('accepted'), sum('delivered'), sum('failed'))}
          {...{ times, writeX }}
          series={flow}
          writeY={number}
        />
        <TimeChart
          title={texts.backlog}
          says={texts.says.backlog(number(data.at(-1)?.waiting ?? 0), number(most.waiting), time(most.at, 'UTC'))}
          {...{ times, writeX }}
          series={waiting}
          writeY={number}
        />
        <TimeChart
          title={texts.times}
          says={latest ? texts.says.times(ms(latest.medianMs), ms(latest.p95Ms)) : texts.says.noTimes}
          {...{ times, writeX }}
          series={delivery}
          writeY={duration}
        />
      </div>
      <details>
        <summary>{texts.asTable}</summary>
        <BucketTable buckets={data} />
      </details>
    </>
  );
}

/** Lines over time, and the sentence that says what there is to see. */
function TimeChart({
  title,
  says,
  ...chart
}: {
  readonly title: string;
  readonly says: string;
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly writeX: (seconds: number) => string;
  readonly writeY: (value: number) => string;
}) {
  return (
    <figure className="time-figure">
      <h3>{title}</h3>
      <Chart kind="lines" className="time-chart" heightPx={180} labelSpacePx={64} {...chart} />
      {chart.series.length > 1 && <ChartKey kind="lines" series={chart.series} />}
      <figcaption className="fine">{says}</figcaption>
    </figure>
  );
}

function BucketTable({ buckets }: { readonly buckets: readonly Bucket[] }) {
  const texts = useTexts().flow;
  const { number, duration, dateTime } = useFormats();
  const count = (key: 'accepted' | 'delivered' | 'failed' | 'waiting'): Column<Bucket> => ({
    ...{ key, header: texts[key], end: true },
    cell: (bucket) => number(bucket[key]),
  });
  const ms = (value: number | null) => (value === null ? '–' : duration(value));
  const columns: Column<Bucket>[] = [
    { key: 'at', header: texts.at, heading: true, cell: ({ at }) => dateTime(at, 'UTC') },
    count('accepted'),
    count('delivered'),
    count('failed'),
    count('waiting'),
    { key: 'median', header: texts.median, end: true, cell: ({ medianMs }) => ms(medianMs) },
    { key: 'p95', header: texts.p95, end: true, cell: ({ p95Ms }) => ms(p95Ms) },
  ];
  return <Table caption={texts.title} columns={columns} rows={buckets.toReversed()} rowKey={({ at }) => at} />;
}
