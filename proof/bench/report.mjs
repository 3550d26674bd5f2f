// Writes docs/benchmarks.md from the results: `npm run bench:report -- [FILES]`. The page is of one commit, that of the newest run. Of each case one
// run of this commit counts: a full one before a quick one, then the most complete, then the newest. A case that was measured at another commit only is
// shown as older, and its targets are not judged. What stands between the markers is written by hand and kept.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { asMarkdown, cellsOf, rowsOf, shown } from './lib/table.mjs';
import { openingOf } from './opening.mjs';
import { pictureOf } from './picture.mjs';
import { judge } from './targets.mjs';

const PAGE = new URL('../../docs/benchmarks.md', import.meta.url);
const PICTURE = 'images/benchmark-road.svg';
const RESULTS = new URL('./results/', import.meta.url);
const HAND = /<!-- by hand: ([\w-]+) -->\n([\s\S]*?)<!-- end -->/g;

/** The cases in the order of the page: heading, and how it is measured. */
const CASES = {
  road: [
    'The road: from the webhook to the answer of the POS',
    'Each connection sends a webhook as soon as the previous one is answered, while the same process delivers every order, up to ' +
      '100 at once. The rate is that of the deliveries; p50 and p99 are those of the answers to the webhooks. The peers run ' +
      'behind bare Fastify and store each sale by their own call, one by one, tuned as in the drain; pg-boss polls twice a second, because ' +
      'it stores slower with notifications, and `for latency` it has them. `same work`: the peer also reads the restaurant by its code at the webhook, ' +
      'computes the order from the sale, and records the attempt before the job ' +
      'is completed; these statements are shared by the sales that wait at the same time. `ceiling` is bare Fastify, `pg` and undici with ' +
      'the rows, tables and shared statements of the relay: it stores, sends the text and settles, and nothing else ' +
      '(`proof/bench/ceiling.mjs`), so it shows what is left to gain.',
  ],
  latency: [
    'Latency on an idle system',
    'From sending the webhook until the POS has the order; `answer` is the time until the sender has the answer that it is stored. graphile-worker and pg-boss ' +
      'run behind bare Fastify, with their setting for latency; the others store the job from inside their own process.',
  ],
  ingest: [
    'Ingest: a sale is accepted and stored',
    'Each connection sends a webhook as soon as the previous one is answered; nothing is delivered meanwhile. ' +
      'The queues store the same sale from inside their own process, without HTTP: 20 producers, one by one. ' +
      '`ceiling` is bare Fastify and `pg` with the same rows, tables and group commit (`proof/bench/ceiling.mjs`); ' +
      '`pgbench` stores the same rows without HTTP, and its p50 is the average of a statement.',
  ],
  drain: [
    'Drain: a backlog is delivered',
    'The jobs are stored when the process starts; the rate counts from the first order to the last, `warm` over the last nine ' +
      'tenths. The POS answers at once. The peers send the stored text. `same work`: the job names a row that holds the sale; the ' +
      'peer reads it, computes the order, and records the attempt. `naive` is a simple outbox that sends one job after the other (with a quarter of the ' +
      'jobs), `loop` is only the HTTP client: the upper bound for any queue.',
  ],
  history: [
    'History: the same work beside a long past',
    'FAILED jobs of the history are due tomorrow and later. `claim` is the statement that claims 20 due jobs, as the relay ' +
      'sends it, on an otherwise idle connection.',
  ],
  tenants: [
    'Tenants: one POS never answers',
    'A thousand restaurants. All but one together sell 50 times a second. That one has 1,000 jobs, and its POS accepts every ' +
      'request and never answers. The times are those until the POS of the others has their orders.',
  ],
  catalogue: [
    'Catalogue: codes and catalogues of restaurants on the road',
    'As road, by 100 connections, of fifty restaurants: without codes at the POS, with 500 codes of each, and with a catalogue of 20,000 products of each beside these. In the last setting the ' +
      'catalogue lacks what is sold: each sale has three warnings.',
  ],
  consoles: [
    'Consoles: people look while sales come in',
    'A thousand restaurants sell by turns, as fast as 100 connections are answered, while fifty people look at the page Tonight ' +
      'of twenty of them: each page requests the state and the orders every 5 s and the takings every 15 s, or every ' +
      '20 s while the relay slows pages down (N9). The viewers ' +
      'run on the same two processors.',
  ],
  readers: [
    'Readers: lists of big sales beside a neighbour',
    'One restaurant sells as fast as 20 connections are answered, while ten accounts of other restaurants read lists of 100 sales of 1,000 items each, four at once ' +
      'and without a pause (H19, H27). Readers, load, relay and Postgres share two processors.',
  ],
  polls: [
    'Polls: POSs fetch their orders',
    'Each of 200 restaurants polls each second, reads and acknowledges; together they sell 50 times a second. p50 and p99 are those of the polls that have ' +
      'orders; `from the sale` is the time from sending the webhook to the answer of the poll that has it, which includes up to a second until the next ' +
      'poll. Without sales, 10,000 POSs poll each 5 s (`left out`: polls that were due while the one before was not answered), and 50 connections poll ' +
      'without a pause.',
  ],
  pause: [
    'Pause: a restaurant with 2,000 orders is resumed beside others',
    'Nineteen restaurants sell 50 times a second; p50 and p99 are those of their orders, from the webhook to the POS. Another one is paused, sells 200 times a second ' +
      '(`while paused`), and is resumed at 600 orders a minute.',
  ],
  keys: [
    'Keys: senders with a key of their own, beside waiting requests and traces',
    'As ingest, by 100 connections: the static token, a token of each restaurant, and sales that are signed. `1,000 senders wait` is the static token ' +
      'while a thousand other restaurants, which sell nothing, wait for receipts; `busy connections` is the most connections to Postgres that ' +
      'were at work at a time before the sales began, in thirty looks. `traces` is the static token with a collector that gets the spans of all sales.',
  ],
  flood: [
    'Wrong keys: 10,000 a second beside good sales',
    'Good sales, 200 a second by the static token, alone and beside another process that sends 10,000 sales with wrong keys a second by 100 connections, or 1,000: ' +
      'wrong static tokens, tokens with a wrong checksum, unknown key ids, wrong tokens of a key, signatures of unknown keys. A connection sends nothing while it waits ' +
      'for an answer; what is due while all of them wait is not sent. `bare 401` gets them in place of the relay: a server of Node that answers nothing else.',
  ],
  neighbour: [
    "Neighbour: a restaurant's sales beside another founder's requests",
    'A restaurant sends sales by 8 connections, as soon as the previous one is answered, while the 200 restaurants of another founder send by 200 connections what costs them little. ' +
      '`bare 401`: they ask a server of Node that answers 401 to everything, which shows what their requests take of the machine.',
  ],
  embedded: [
    'Embedded: the road on the embedded database',
    'As road, up to 20 calls at once. Database and relay are one process and share a thread. The backlog is what 100 connections sold in six seconds to a relay without a ' +
      'worker; another one delivers it, `warm` over the last nine tenths.',
  ],
  year: [
    'A year on the embedded database: the console reads beside the webhook',
    'One restaurant with 60,000 orders of 365 days in the embedded database. One reader repeatedly reads each page of the ' +
      'console, while another restaurant sells forty times a second: `read` is the page, p50 and p99 are the answers to the webhooks ' +
      'meanwhile. `not analysed`: right after the year was written, before the tables have statistics.',
  ],
  size: [
    'Size',
    'From the start of the process to its first accepted webhook, on a database with its schema; memory five seconds later, ' +
      'and under 100 connections while everything is delivered as well.',
  ],
};

/** @param commit that of the page; default: of the newest run @param files results to use; default: all there are */
export function writePage(commit, files = resultFiles()) {
  const before = existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '';
  const byHand = new Map([...before.matchAll(HAND)].map(([, name, text]) => [name, text]));
  const best = bestOfEachCase(files, commit);
  const road = best.get('road');
  const picture = road && pictureOf(rowsOf(road.lines), relayOf(road));
  if (picture) writeFileSync(new URL(PICTURE, PAGE), picture);
  writeFileSync(PAGE, pageOf(best, byHand, Boolean(picture)));
}

function resultFiles() {
  const names = existsSync(RESULTS) ? readdirSync(RESULTS) : [];
  return names.filter((name) => name.endsWith('.jsonl')).map((name) => new URL(name, RESULTS));
}

/** case -> the `header` of the run that counts, its `lines` of this case, and whether it `isOlder`: of another commit than the page */
function bestOfEachCase(files, ofPage) {
  const runs = files
    .map((file) =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    )
    .filter(([header]) => header.kind === 'run')
    .sort(([a], [b]) => b.at.localeCompare(a.at));
  const commit = ofPage ?? runs[0]?.[0].commit;
  const best = new Map();
  for (const name of Object.keys(CASES)) {
    const candidates = runs.map(([header, ...lines]) => {
      const ofCase = lines.filter((line) => line.case === name);
      const rows = rowsOf(ofCase).filter(({ rounds }) => rounds > 0).length;
      return { header, lines: ofCase, rows, isOlder: header.commit !== commit };
    });
    candidates.sort(
      (a, b) =>
        a.isOlder - b.isOlder ||
        a.header.quick - b.header.quick ||
        b.rows - a.rows ||
        b.header.at.localeCompare(a.header.at),
    );
    const chosen = candidates.find(({ rows }) => rows > 0);
    if (chosen) best.set(name, chosen);
  }
  return best;
}

function pageOf(best, byHand, hasPicture) {
  const road = best.get('road');
  const opening = road ? openingOf(rowsOf(road.lines), relayOf(road)) : [];
  const hand = (name) => `<!-- by hand: ${name} -->\n${byHand.get(name) ?? ''}<!-- end -->`;
  const headers = [...new Set([...best.values()].map(({ header }) => header))];
  const cases = [...best];
  return `${[
    '# Benchmarks',
    ...opening,
    ...(hasPicture ? [`![Orders per second and processor time per order, by system and connections](${PICTURE})`] : []),
    hand('summary'),
    'Everybody gets the same sale (about 700 bytes, three items, one payment) and the same receiver, one after the other on one ' +
      'Postgres. Figures are medians over the rounds. `npm run bench -- --write` writes this page and its picture, except the ' +
      'text between the markers.',
    '## Targets',
    ...targetsOf(cases),
    hand('targets'),
    ...cases.flatMap(([name, run]) => [...sectionOf(name, run), hand(name)]),
    '## Where the time goes',
    hand('where-the-time-goes'),
    '## How it was measured',
    ...headers.map(methodOf),
    hand('method'),
  ].join('\n\n')}\n`;
}

/** The version that is judged: the first that was named. */
const relayOf = ({ header }) => header.relays[0];

/** The table of targets, and one line for each that is not reached. */
function targetsOf(cases) {
  const targets = cases.flatMap(([name, run]) =>
    judge(name, rowsOf(run.lines), relayOf(run)).map((target) => ({
      ...{ name, ...target, isOlder: run.isOlder, note: noteOf(name, run) },
    })),
  );
  return [tableOf(targets), ...missesOf(targets)];
}

function noteOf(name, { header, isOlder }) {
  const [node] = header.versions[0].split(',');
  const notes = [isOlder && olderOf(header), header.quick && 'a quick run', name === 'size' && node];
  return notes.filter(Boolean).join(', ');
}

const olderOf = ({ commit, at }) => `older: commit ${commit}, ${at.slice(0, 10)}`;

/** @param targets judged; see `judge`; with the `name` of the case and a `note` */
const tableOf = (targets) =>
  asMarkdown([
    ['case', 'what', 'to reach', 'measured', 'reached', ''],
    ...targets.map(({ name, what, bound, value, reached, isOlder, note }) => [
      ...[name, what, bound],
      ...(Number.isFinite(value) ? [shown(value), verdictOf(reached, isOlder)] : ['not measured', '']),
      note,
    ]),
  ]);

function verdictOf(reached, isOlder) {
  if (isOlder) return '';
  return reached ? 'yes' : '**no**';
}

/** @returns nothing when every target that was measured at this commit is reached */
function missesOf(targets) {
  const missed = targets.filter(({ value, reached, isOlder }) => Number.isFinite(value) && !reached && !isOlder);
  if (missed.length === 0) return [];
  const lines = missed.map(
    ({ name, what, bound, value, misses, why }) =>
      `- ${name}, ${what}: ${shown(value)} instead of ${bound} (${misses}). ${why}`,
  );
  return ['Targets that are not reached:', lines.join('\n')];
}

function sectionOf(name, run) {
  const [heading, text] = CASES[name];
  const quick = run.header.quick ? ['**A quick run: for a look, not for comparison.**'] : [];
  const older = run.isOlder ? [`**${olderOf(run.header)}.**`] : [];
  return [`## ${heading}`, text, ...older, ...quick, asMarkdown(cellsOf(rowsOf(run.lines), relayOf(run)))];
}

function methodOf({ command, at, machine, versions, settings }) {
  return [
    `\`${command}\`, ${at.slice(0, 10)}`,
    '',
    `- Machine, shared by load, relay, Postgres and receiver: ${machine.processors}, ${machine.memoryGb} GB, ${machine.system}`,
    `- Versions: ${versions.join('; ')}`,
    `- Postgres: ${settings.join(', ')}`,
  ].join('\n');
}

if (import.meta.filename === process.argv[1]) {
  const files = process.argv.slice(2).map((path) => new URL(path, `file://${process.env.INIT_CWD ?? process.cwd()}/`));
  writePage(undefined, files.length > 0 ? files : undefined);
}
