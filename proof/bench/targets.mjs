// What the figures are to reach. Each target compares medians of one run; what was not measured has none.

import { SETTINGS as OF_CATALOGUE } from './cases/catalogue.mjs';
import { OPEN, settingOf } from './cases/consoles.mjs';
import { settingOf as backlogOf } from './cases/drain.mjs';
import { DRAIN as EMBEDDED_DRAIN, settingOf as onEmbedded } from './cases/embedded.mjs';
import { BESIDE as BESIDE_WRONG_KEYS, ALONE as WITHOUT_WRONG_KEYS } from './cases/flood.mjs';
import { SETTINGS as OF_KEYS } from './cases/keys.mjs';
import { PACE } from './cases/latency.mjs';
import { settingOf as beside } from './cases/neighbour.mjs';
import { SELLING as POLLED } from './cases/polls.mjs';
import { READING, settingOf as readBy } from './cases/readers.mjs';
import { CEILING, settingOf as connectionsOf } from './cases/road.mjs';
import { asItIs, forLatency, sameWork } from './lib/peer.mjs';

const POSTGRES_PEERS = ['graphile-worker', 'pg-boss'];
const BEYOND_CEILING =
  'The ceiling checks only the token. The relay also checks and reads the sale, its restaurant and its sender, lets restaurants take turns, limits the calls to each POS, counts and logs.';
const BEYOND_QUEUE =
  'The relay also checks the sale, lets the restaurants take turns, limits the calls to each POS, records each attempt and logs it.';
const HUGE = '10,000,000 SENT + 1,000,000 FAILED + 100,000 DLQ';

/** Whether a case has targets; if so, it is measured in five rounds by default. */
export const hasTargets = (name) => name in TARGETS;

/** @param relay the name of the version that is judged @returns whether the targets of a case need the row of this setting and contender */
export function neededBy(name, relay) {
  const needed = new Set();
  const key = (setting, contender) => `${setting}|${contender}`;
  TARGETS[name]?.((_, setting, contender = relay) => {
    needed.add(key(setting, contender));
    return Number.NaN;
  });
  return ({ setting, contender }) => needed.has(key(setting, contender));
}

/**
 * The targets of a case, judged.
 * @param rows of the case; see `rowsOf`
 * @param relay the name of the version that is judged
 * @returns `what`, the bound as text, the `value` (NaN: not measured), whether it is `reached`; if it is not: by how much it
 *   `misses` the bound, as text, and `why`
 */
export function judge(name, rows, relay) {
  const find = (figure, setting, contender = relay) =>
    rows.find((row) => row.setting === setting && row.contender === contender)?.medians[figure] ?? Number.NaN;
  return (TARGETS[name]?.(find) ?? []).map(({ what, atLeast, atMost, value, why }) => ({
    what,
    bound: atLeast === undefined ? `at most ${atMost.toLocaleString('en-GB')}` : `at least ${atLeast}`,
    value,
    reached: atLeast === undefined ? value <= atMost : value >= atLeast,
    misses: atLeast === undefined ? `${percent(value / atMost - 1)} more` : `${percent(1 - value / atLeast)} less`,
    why,
  }));
}

const percent = (share) => `${Math.round(share * 100)} %`;

/** case -> its targets; `find(figure, setting, contender)` is a median, by default of the relay. */
const TARGETS = {
  road: (find) => {
    const processors = (setting, who) => find('relayUs', setting, who) + find('postgresUs', setting, who);
    const most = connectionsOf(100);
    const rate = find('perSecond', most);
    return [
      ...[
        [100, 0.75],
        [20, 0.9],
      ].map(([connections, atLeast]) => {
        const setting = connectionsOf(connections);
        return {
          what: `${setting}, to the ceiling`,
          atLeast,
          value: find('perSecond', setting) / find('perSecond', setting, CEILING),
          why: BEYOND_CEILING,
        };
      }),
      {
        what: `${most}, to the best Postgres peer with its setting for rate`,
        atLeast: 2,
        value: rate / bestPeer(find, 'perSecond', most),
        why: whyOfRoad(find('perSecond', most, CEILING) / bestPeer(find, 'perSecond', most), 2),
      },
      {
        what: `${most}, to pg-boss with its setting for latency`,
        atLeast: 3,
        value: rate / find('perSecond', most, forLatency('pg-boss')),
        why: whyOfRoad(find('perSecond', most, CEILING) / find('perSecond', most, forLatency('pg-boss')), 3),
      },
      {
        what: `processors of an order at ${most}, relay and Postgres, to the ceiling's`,
        atMost: 1.25,
        value: processors(most) / processors(most, CEILING),
        why: BEYOND_CEILING,
      },
    ];
  },

  latency: (find) =>
    ['p50', 'p99'].map((figure) => ({
      what: `${figure} on an idle system, to the best Postgres peer's behind a webhook`,
      atMost: 1,
      value: find(figure, PACE) / cheapest((peer) => find(figure, PACE, peer)),
      why: BEYOND_QUEUE,
    })),

  ingest: (find) => {
    const [one, most] = ['1 connection', '100 connections'].map((connections) => `static token, ${connections}`);
    const rate = find('perSecond', most);
    return [
      {
        what: `${most}, to the ceiling`,
        atLeast: 0.75,
        value: rate / find('perSecond', most, CEILING),
        why: BEYOND_CEILING,
      },
      {
        what: `p50 of ${one}, to the ceiling's`,
        atMost: 1.6,
        value: find('p50', one) / find('p50', one, CEILING),
        why: BEYOND_CEILING,
      },
      ...['JWT', 'Basic'].map((way) => ({
        what: `${way}, 100 connections, to the static token`,
        atLeast: 0.85,
        value: find('perSecond', `${way}, 100 connections`) / rate,
        why: 'The credentials are checked for every webhook.',
      })),
    ];
  },

  drain: (find) =>
    [20, 100].flatMap((atOnce) => {
      const backlog = { jobs: 20_000, atOnce };
      const peers = bestPeer(find, 'perSecond', backlogOf(backlog), sameWork);
      return [undefined, 1].map((restaurants) => ({
        what: `${backlogOf({ ...backlog, restaurants })}, to the best Postgres peer that does the same work`,
        atLeast: 1.2,
        value: find('perSecond', backlogOf({ ...backlog, restaurants })) / peers,
        why: BEYOND_QUEUE,
      }));
    }),

  history: (find) =>
    [
      ['ingest, 100 connections', 0.9],
      ['drain, 20 at once', 0.85],
    ].map(([work, atLeast]) => ({
      what: `${work}, beside ${HUGE}, to empty`,
      atLeast,
      value: find('perSecond', `${work}: ${HUGE}`) / find('perSecond', `${work}: empty`),
      why: 'Pages of the indexes with random keys no longer fit into the memory of Postgres (`shared_buffers`).',
    })),

  tenants: (find) =>
    [100].map((atOnce) => ({
      what: `p99 of the others beside one that never answers, to theirs without it, ${atOnce} at once`,
      atMost: 2,
      value: find('p99', `one never answers, ${atOnce} at once`) / find('p99', `all answer, ${atOnce} at once`),
      why: 'The POS that never answers holds up to half of the calls; the orders of the others wait for the other half.',
    })),

  catalogue: (find) => {
    const rate = (name) => find('perSecond', OF_CATALOGUE[name]);
    const why = 'Each item is looked up in two tables in memory; the statements are the same.';
    return ['known', 'lacking'].map((name) => ({
      what: `${OF_CATALOGUE[name]}, to ${OF_CATALOGUE.none}`,
      atLeast: 0.97,
      value: rate(name) / rate('none'),
      why,
    }));
  },

  consoles: (find) => {
    const [without, watched] = OPEN.map((count) => find('perSecond', settingOf(count)));
    const why = 'Viewers, load, relay and Postgres share two processors.';
    return [{ what: '50 open consoles, to none', atLeast: 0.95, value: watched / without, why }];
  },

  readers: (find) => {
    const [without, beside] = READING.map((accounts) => find('perSecond', readBy(accounts)));
    const why = 'Readers, load, relay and Postgres share two processors.';
    return [{ what: 'ten accounts that read, to none', atLeast: 0.8, value: beside / without, why }];
  },

  polls: (find) => [
    {
      what: 'p99 of a poll that has orders, in ms',
      atMost: 300,
      value: find('p99', POLLED),
      why: 'POSs, load, relay and Postgres share two processors.',
    },
  ],

  keys: (find) => {
    const { plain, token, signed, polls, traced } = OF_KEYS;
    const why = 'Load, relay and Postgres share two processors.';
    return [
      [token, 0.97, 'The key is looked up in memory, and checked by the statement that stores the sale.'],
      [signed, 0.9, 'The HMAC of each sale is computed twice on these two processors: by the sender and by the relay.'],
      [polls, 0.97, why],
      [traced, 0.97, `${why} The collector too.`],
    ]
      .map(([setting, atLeast, reason]) => ({
        what: `${setting}, to the static token`,
        atLeast,
        value: find('perSecond', setting) / find('perSecond', plain),
        why: reason,
      }))
      .concat({
        what: 'connections to Postgres at work while 1,000 senders wait for receipts',
        atMost: 1,
        value: find('busyConnections', polls),
        why: 'Their lists are read by shared statements, one at a time.',
      });
  },

  neighbour: (find) =>
    ['ordinary sales', 'repeats by 200 keys'].map((kind) => ({
      what: `${beside(kind)}, to the same requests to a bare server`,
      atLeast: 0.75,
      value: find('perSecond', beside(kind)) / find('perSecond', beside(kind), 'bare 401'),
      why: 'Four requests of the founder are always under way, and each takes more of the process than of a bare server.',
    })),

  flood: (find) => [
    {
      what: 'p99 of good sales beside 10,000 wrong keys a second, to theirs alone',
      atMost: 2,
      value: find('p99', BESIDE_WRONG_KEYS) / find('p99', WITHOUT_WRONG_KEYS),
      why: 'Those who send wrong keys use the same two processors.',
    },
    {
      what: 'the same, to theirs while the wrong keys go to a bare server of Node',
      atMost: 2,
      value: find('p99', BESIDE_WRONG_KEYS) / find('p99', BESIDE_WRONG_KEYS, 'bare 401'),
      why: 'The relay reads and refuses them itself.',
    },
  ],

  embedded: (find) => {
    const why = 'Every statement runs on the thread of the relay.';
    const rates = [
      [1, 100],
      [20, 330],
      [100, 1_000],
    ].map(([connections, atLeast]) => ({ setting: onEmbedded(connections), atLeast }));
    return [...rates, { setting: EMBEDDED_DRAIN, atLeast: 1_000 }].map(({ setting, atLeast }) => ({
      what: `orders a second, ${setting}`,
      atLeast,
      value: find('perSecond', setting),
      why,
    }));
  },

  size: (find) =>
    [
      ['memory idle, Postgres, MB', 'Postgres', 'idleMb', 200],
      ['memory under load, Postgres, MB', 'Postgres', 'loadedMb', 230],
      ['memory under load, embedded, MB', 'embedded', 'loadedMb', 380],
      ['start to the first accepted webhook on Postgres, ms', 'Postgres', 'startMs', 1_200],
    ].map(([what, setting, figure, atMost]) => ({
      what,
      atMost,
      value: find(figure, setting),
      why:
        figure === 'startMs'
          ? 'The modules are loaded and the schema is checked before the port is opened.'
          : "Node, Nest and Prisma's client use most of it before the first request.",
    })),
};

/** @param ofCeiling what the ceiling reaches; NaN: it was not measured */
function whyOfRoad(ofCeiling, atLeast) {
  if (!Number.isFinite(ofCeiling)) return BEYOND_QUEUE;
  const bare = `The ceiling, which only stores, sends and settles, reached ${ofCeiling.toFixed(2)} in the same run`;
  return ofCeiling < atLeast ? `${bare}: this is beyond what one such process reaches.` : `${BEYOND_QUEUE} ${bare}.`;
}

/** The highest median of the Postgres peers; NaN when none was measured. @param nameOf the variant of the peers */
export const bestPeer = (find, figure, setting, nameOf = asItIs) =>
  extreme(Math.max, (peer) => find(figure, setting, nameOf(peer)));

/** The lowest value of the Postgres peers; NaN when none was measured. */
const cheapest = (figureOf) => extreme(Math.min, figureOf);

function extreme(choose, figureOf) {
  const values = POSTGRES_PEERS.map(figureOf).filter(Number.isFinite);
  return values.length > 0 ? choose(...values) : Number.NaN;
}
