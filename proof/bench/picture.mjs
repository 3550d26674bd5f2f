// The picture of the road: orders per second and processor time per order, as bars. It has its own background, light or dark.
import { CEILING, CONNECTIONS, settingOf } from './cases/road.mjs';
import { shown } from './lib/table.mjs';

const WIDTH = 880;
const ROW = 20;
const BAR = 14;
const TOP = 64;
const GROUP_GAP = 34;
const LABELS = 200;
/** Left edge and width of the longest bar of each half; a figure follows the bar. */
const RATES = { x: LABELS + 16, width: 240 };
const TIMES = { x: RATES.x + RATES.width + 84, width: 240 };

const STYLE = `
  .page { fill: #ffffff; stroke: #d0d7de } text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .head { font-weight: 600 } .relay { fill: #1a7f4b } .peer { fill: #8c959f } .own { fill: #3b7dd8 } .postgres { fill: #d08a2e }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117; stroke: #30363d } text { fill: #e6edf3 } .relay { fill: #3fb974 } .peer { fill: #6e7681 }
  }`;

/**
 * @param rows of the case road; see `rowsOf`
 * @param relay the name of the relay's contender
 * @returns the SVG; undefined when no peer was measured
 */
export function pictureOf(rows, relay) {
  // the ceiling is no system that anybody runs
  const systems = rows.filter(({ contender }) => contender !== CEILING);
  const groups = CONNECTIONS.map((connections) => systems.filter(({ setting }) => setting === settingOf(connections)));
  const shownRows = groups.flat().filter(({ medians }) => medians.perSecond > 0);
  if (shownRows.every(({ contender }) => contender === relay)) return undefined;
  const highest = (figureOf) => Math.max(...shownRows.map(figureOf));
  const scales = {
    rate: RATES.width / highest(({ medians }) => medians.perSecond),
    time: TIMES.width / highest(timeOf),
  };

  let y = TOP;
  const parts = [];
  for (const group of groups.filter((rowsOfGroup) => rowsOfGroup.length > 0)) {
    parts.push(text(16, y, group[0].setting, 'head'));
    y += 8;
    for (const row of group) {
      parts.push(...barsOf(row, y, relay, scales));
      y += ROW;
    }
    y += GROUP_GAP - 8;
  }
  const height = y - GROUP_GAP + 32;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>The road: orders per second and processor time per order</title>
<style>${STYLE}
</style>
<rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>
${[...headings(), ...parts].join('\n')}
</svg>
`;
}

const timeOf = ({ medians: { relayUs = 0, postgresUs = 0 } }) => relayUs + postgresUs;

function headings() {
  return [
    text(RATES.x, 24, 'orders per second (more is better)', 'head'),
    text(TIMES.x, 24, 'processor time per order, µs (less is better)', 'head'),
    rect('own', TIMES.x, 33, 10, 10),
    text(TIMES.x + 15, 42, 'own process'),
    rect('postgres', TIMES.x + 100, 33, 10, 10),
    text(TIMES.x + 115, 42, 'Postgres'),
  ];
}

function barsOf(row, y, relay, scales) {
  const { contender, medians } = row;
  const base = y + BAR - 3;
  const [rate, own, postgres] = [
    medians.perSecond * scales.rate,
    (medians.relayUs ?? 0) * scales.time,
    (medians.postgresUs ?? 0) * scales.time,
  ];
  return [
    text(LABELS, base, contender, contender === relay ? 'head' : '', 'end'),
    rect(contender === relay ? 'relay' : 'peer', RATES.x, y, rate),
    text(RATES.x + rate + 6, base, shown(medians.perSecond)),
    rect('own', TIMES.x, y, own),
    rect('postgres', TIMES.x + own, y, postgres),
    text(TIMES.x + own + postgres + 6, base, shown(timeOf(row))),
  ];
}

const rect = (name, x, y, width, height = BAR) =>
  `<rect class="${name}" x="${round(x)}" y="${y}" width="${round(width)}" height="${height}"/>`;

const text = (x, y, content, name = '', anchor = 'start') =>
  `<text class="${name}" x="${round(x)}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`;

const round = (value) => Math.round(value * 10) / 10;
const escaped = (content) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
