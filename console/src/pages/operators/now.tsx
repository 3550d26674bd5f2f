import type { Query } from '../../api/queries.js';
import { Announcer } from '../../design/announcer.js';
import { Answer } from '../../design/feedback.js';
import { Panel } from '../../design/page.js';
import { LevelBadge } from '../../design/states.js';
import { useFormats } from '../../i18n/formats.js';
import type { Incident, Instance, Throughput } from './queries.js';
import { useTexts } from './texts.js';

/** Incidents of restaurants whose POS refuses everything. */
const REFUSING = ['VENDOR_DOWN', 'SIGN_IN', 'POS_REFUSES'] as const;

type Level = 'ok' | 'warning' | 'bad';

/** The current state: a level, sentences that say why, and counts. */
export function Now({
  throughput,
  instances,
  incidents,
}: {
  readonly throughput: Query<Throughput>;
  readonly instances: readonly Instance[] | undefined;
  readonly incidents: readonly Incident[] | undefined;
}) {
  const texts = useTexts();
  return (
    <Panel title={texts.now} className="now">
      <Answer query={throughput} lines={3}>
        {(found) => <Standing throughput={found} instances={instances} incidents={incidents} />}
      </Answer>
    </Panel>
  );
}

function Standing({
  throughput: { backlog, bucketSeconds, data },
  instances,
  incidents,
}: {
  readonly throughput: Throughput;
  readonly instances: readonly Instance[] | undefined;
  readonly incidents: readonly Incident[] | undefined;
}) {
  const texts = useTexts();
  const { number, duration } = useFormats();
  const sentences: string[] = [];
  let level: Level = 'ok';
  const say = (sentence: string, of: Level) => {
    sentences.push(sentence);
    if (level !== 'bad') level = of;
  };
  for (const { kind, title } of incidents ?? []) if (kind === 'NOTHING_SENT') say(`${title ?? kind}.`, 'bad');
  if (backlog.late > 0) {
    const unclaimed = backlog.late - backlog.lateAfterFailure;
    if (unclaimed > 0) say(texts.late(unclaimed), 'bad');
    if (backlog.lateAfterFailure > 0) say(texts.lateAfterFailure(backlog.lateAfterFailure), 'bad');
    say(texts.oldest(duration(backlog.oldestDueSeconds * 1_000)), 'bad');
  }
  for (const kind of REFUSING) {
    const of = incidents?.filter((incident) => incident.kind === kind) ?? [];
    const refusing = of.reduce((sum, { restaurants }) => sum + restaurants, 0);
    if (refusing > 0) say(texts.refusingNow[kind](refusing), 'warning');
  }
  if (backlog.parked > 0) say(texts.parkedNow(backlog.parked), 'warning');
  const silent = instances?.filter(({ alive }) => !alive).length ?? 0;
  if (silent > 0) say(texts.silent(silent), 'warning');
  const said = sentences.join(' ') || texts.fine;
  // a number is not broken from its unit
  const minutes = duration(data.length * bucketSeconds * 1_000).replaceAll(' ', '\u00a0');
  const sum = (of: 'accepted' | 'delivered' | 'failed') =>
    number(data.reduce((total, bucket) => total + bucket[of], 0));
  const counts: (readonly [name: string, value: string, isBad?: boolean])[] = [
    [texts.counts.waiting, number(backlog.waiting)],
    [texts.counts.processing, number(backlog.processing)],
    [texts.counts.late, number(backlog.late), backlog.late > 0],
    [texts.counts.parked, number(backlog.parked), backlog.parked > 0],
    [texts.counts.accepted(minutes), sum('accepted')],
    [texts.counts.delivered(minutes), sum('delivered')],
    [texts.counts.failed(minutes), sum('failed')],
  ];
  return (
    <>
      <p className="now-said">
        <LevelBadge level={level} /> {said}
      </p>
      <Announcer text={said} />
      <dl className="counts">
        {counts.map(([name, value, isBad]) => (
          <div key={name} className={isBad ? 'count count-bad' : 'count'}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
