// Medians over the rounds of a run, with their spread and their ratio to the relay's.
import { median, significant } from '../../load/statistics.mjs';

/** The figures that are shown, with their headings. */
const COLUMNS = {
  perSecond: '/s',
  warm: 'warm /s',
  p50: 'p50 ms',
  p99: 'p99 ms',
  answerP50: 'answer p50 ms',
  saleP99: 'from the sale p99 ms',
  pollsRefused: 'refused /s',
  pollsSkipped: 'left out /s',
  pausedP99: 'p99 ms while paused',
  resumedP99: 'p99 ms after the resume',
  perMinute: 'sent a minute',
  outOfOrder: 'out of order',
  readP50: 'read p50 ms',
  readMax: 'read max ms',
  lists: 'lists /s',
  busyConnections: 'busy connections to Postgres',
  offered: 'wrong keys /s',
  refused: 'answered 401 /s',
  relayUs: 'own CPU us',
  postgresUs: 'Postgres CPU us',
  startMs: 'start ms',
  idleMb: 'idle MB',
  loadedMb: 'loaded MB',
  peakMb: 'peak MB',
};

/**
 * One row for each setting and contender of a case, in the order in which they were measured.
 * @param rounds lines of results of one case
 * @returns `medians` and `spread` by figure; `rounds`: how many; `spoiled`: how many of them other load spoiled
 */
export function rowsOf(rounds) {
  const groups = new Map();
  for (const line of rounds) {
    if (line.repeated) continue;
    const key = `${line.setting}|${line.contender}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(line);
  }
  return [...groups.values()].map((lines) => {
    const good = lines.filter(({ figures }) => figures);
    const valuesOf = (figure) => good.map(({ figures }) => figures[figure]).filter(Number.isFinite);
    const figures = Object.keys(COLUMNS).filter((figure) => valuesOf(figure).length > 0);
    return {
      setting: lines[0].setting,
      contender: lines[0].contender,
      rounds: good.length,
      failed: lines.length - good.length,
      spoiled: good.filter(({ spoiled }) => spoiled).length,
      medians: Object.fromEntries(figures.map((figure) => [figure, median(valuesOf(figure))])),
      spread: Object.fromEntries(
        figures.map((figure) => [figure, [Math.min(...valuesOf(figure)), Math.max(...valuesOf(figure))]]),
      ),
    };
  });
}

/** The rows as cells of text: a heading, then one line each. @param relay the contender that ratios refer to */
export function cellsOf(rows, relay) {
  const figures = Object.keys(COLUMNS).filter((figure) => rows.some(({ medians }) => figure in medians));
  // what the rows are compared by
  const main = figures.includes('perSecond') ? 'perSecond' : 'p99';
  const headings = figures.map((figure) => COLUMNS[figure]);
  const heading = ['setting', 'who', ...headings, `spread ${COLUMNS[main]}`, `to ${relay}`, 'rounds'];
  const lines = rows.map((row) => [
    ...[row.setting, row.contender, ...figures.map((figure) => shown(row.medians[figure]))],
    ...[spreadOf(row, main), ratioOf(row, rows, relay, main), roundsOf(row)],
  ]);
  return [heading, ...lines];
}

export const shown = (value) => (Number.isFinite(value) ? significant(value).toLocaleString('en-GB') : '');

const spreadOf = ({ spread }, main) => (spread[main] ?? []).map(shown).join(' – ');

function ratioOf({ setting, contender, medians }, rows, relay, main) {
  const ours = rows.find((row) => row.contender === relay && row.setting === setting);
  if (!ours || contender === relay || !Number.isFinite(medians[main])) return '';
  return (medians[main] / ours.medians[main]).toFixed(2);
}

function roundsOf({ rounds, spoiled, failed }) {
  return [String(rounds), spoiled > 0 && `${spoiled} spoiled`, failed > 0 && `${failed} failed`]
    .filter(Boolean)
    .join(', ');
}

/** For a terminal: columns in line. */
export function asText(cells) {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return cells
    .map((line) => line.map((cell, n) => (n < 2 ? cell.padEnd(widths[n]) : cell.padStart(widths[n]))).join('  '))
    .join('\n');
}

/** For a page. */
export function asMarkdown([heading, ...lines]) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  return [row(heading), `|${heading.map((_, n) => (n < 2 ? '---|' : '--:|')).join('')}`, ...lines.map(row)].join('\n');
}
