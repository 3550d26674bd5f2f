// What the figures are to reach. Each target compares medians of one run; what was not measured has none.

import { OPEN, settingOf } from './cases/consoles.mjs';

const POSTGRES_PEERS = ['graphile-worker', 'pg-boss'];
const PRODUCERS = '20 producers, one by one';
const PACE = 'one sale every 50 ms';
const token = (connections) => `static token, ${connections} connection${connections > 1 ? 's' : ''}`;
const backlog = (jobs, atOnce) => `${jobs} jobs, ${atOnce} at once`;

/**
 * The targets of a case, judged.
 * @param rows of the case; see `rowsOf`
 * @param relay the name of the version that is judged
 * @returns `what`, the bound as text, the `value` (NaN: not measured) and whether it is `reached`
 */
export function judge(name, rows, relay) {
  const find = (figure, setting, contender = relay) =>
    rows.find((row) => row.setting === setting && row.contender === contender)?.medians[figure] ?? Number.NaN;
  return (TARGETS[name]?.(find, rows) ?? []).map(({ what, atLeast, atMost, value }) => ({
    what,
    bound: atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`,
    value,
    reached: atLeast === undefined ? value <= atMost : value >= atLeast,
  }));
}

/** case -> its targets; `find(figure, setting, contender)` is a median, by default of the relay. */
const TARGETS = {
  ingest: (find) => {
    const rate = find('perSecond', token(100));
    return [
      {
        what: `${token(100)}, to pg-boss storing one by one`,
        atLeast: 3,
        value: rate / find('perSecond', PRODUCERS, 'pg-boss'),
      },
      {
        what: 'the same, to graphile-worker storing one by one',
        atLeast: 5,
        value: rate / find('perSecond', PRODUCERS, 'graphile-worker'),
      },
      { what: 'the same, to the ceiling', atLeast: 0.75, value: rate / find('perSecond', token(100), 'ceiling') },
      {
        what: `p50 of ${token(1)}, to the ceiling's`,
        atMost: 1.5,
        value: find('p50', token(1)) / find('p50', token(1), 'ceiling'),
      },
      ...['JWT', 'Basic'].map((way) => ({
        what: `${way}, 100 connections, to the static token`,
        atLeast: 0.85,
        value: find('perSecond', `${way}, 100 connections`) / rate,
      })),
    ];
  },

  drain: (find) => [
    ...[20, 100].flatMap((atOnce) => {
      const setting = backlog(20_000, atOnce);
      const rate = find('perSecond', setting);
      return [
        { what: `${setting}, to the best Postgres peer`, atLeast: 1.2, value: rate / best(find, 'perSecond', setting) },
        {
          what: 'the same, to the naive outbox',
          atLeast: 10,
          value: rate / find('perSecond', backlog(20_000, 20), 'naive'),
        },
        { what: 'the same, to the bare loop', atLeast: 0.4, value: rate / find('perSecond', setting, 'loop') },
      ];
    }),
    ...[20, 100].map((atOnce) => {
      const setting = backlog(100_000, atOnce);
      return {
        what: `${setting}, warm, to the best Postgres peer`,
        atLeast: 1.1,
        value: find('warm', setting) / best(find, 'warm', setting),
      };
    }),
  ],

  latency: (find) =>
    ['p50', 'p99'].map((figure) => ({
      what: `${figure}, to the best Postgres peer's`,
      atMost: 1,
      value: find(figure, PACE) / best(find, figure, PACE, Math.min),
    })),

  history: (find, rows) => {
    const works = [...new Set(rows.map(({ setting }) => setting.split(': ')[0]))];
    const pasts = [...new Set(rows.map(({ setting }) => setting.split(': ')[1]))].filter((past) => past !== 'empty');
    return works.flatMap((work) =>
      pasts.map((past) =>
        work.startsWith('claim')
          ? { what: `${work}, p99 in ms: ${past}`, atMost: 5, value: find('p99', `${work}: ${past}`) }
          : {
              what: `${work}, to an empty past: ${past}`,
              atLeast: 0.95,
              value: find('perSecond', `${work}: ${past}`) / find('perSecond', `${work}: empty`),
            },
      ),
    );
  },

  tenants: (find) =>
    [20, 100].map((atOnce) => ({
      what: `p99 of the others beside one that never answers, to theirs without it, ${atOnce} at once`,
      atMost: 2,
      value: find('p99', `one never answers, ${atOnce} at once`) / find('p99', `all answer, ${atOnce} at once`),
    })),

  consoles: (find) => {
    const [without, watched] = OPEN.map((count) => find('perSecond', settingOf(count)));
    return [{ what: '50 open consoles, to none', atLeast: 0.95, value: watched / without }];
  },

  year: (find, rows) =>
    [
      ['readP50', 'the slowest page, p50 in ms', 1_000],
      ['p99', 'webhooks beside the worst page, p99 in ms', 500],
    ].map(([figure, what, atMost]) => ({
      what,
      atMost,
      value: Math.max(...rows.map(({ setting }) => find(figure, setting))),
    })),

  size: (find) => [
    { what: 'start to the first accepted webhook on Postgres, ms', atMost: 2_000, value: find('startMs', 'Postgres') },
    { what: 'memory on Postgres, idle, MB', atMost: 190, value: find('idleMb', 'Postgres') },
    { what: 'memory on Postgres, under load, MB', atMost: 230, value: find('loadedMb', 'Postgres') },
    { what: 'memory on the embedded database, under load, MB', atMost: 350, value: find('loadedMb', 'embedded') },
  ],
};

/** The best median of the Postgres peers; NaN when none was measured. */
function best(find, figure, setting, better = Math.max) {
  const values = POSTGRES_PEERS.map((peer) => find(figure, setting, peer)).filter(Number.isFinite);
  return values.length > 0 ? better(...values) : Number.NaN;
}
