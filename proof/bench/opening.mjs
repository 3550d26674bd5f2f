// The first sentences of the page: the road, and what it means for a restaurant.
import { CEILING, settingOf } from './cases/road.mjs';
import { forLatency } from './lib/peer.mjs';
import { shown } from './lib/table.mjs';
import { bestPeer } from './targets.mjs';

const SETTING = settingOf(100);
/** Orders of a busy restaurant in a minute. */
const OF_RESTAURANT = 2;
/** What a machine of two processors costs in a month, in cents of a euro, and what it can do in this time, in seconds of a processor. */
const MACHINE_CENTS = 2_000;
const MACHINE_SECONDS = 2 * 30 * 86_400;

/**
 * @param rows of the case road; see `rowsOf`
 * @param relay the name of the relay's contender
 * @returns paragraphs; none when the road was not measured
 */
export function openingOf(rows, relay) {
  const find = (figure, setting, contender = relay) =>
    rows.find((row) => row.setting === setting && row.contender === contender)?.medians[figure] ?? Number.NaN;
  const rate = find('perSecond', SETTING);
  if (!Number.isFinite(rate)) return [];
  const orderUs = find('relayUs', SETTING) + find('postgresUs', SETTING);
  const compared = [
    ['of what the ceiling reaches', rate / find('perSecond', SETTING, CEILING)],
    ['times the best queue on Postgres with its setting for rate', rate / bestPeer(find, 'perSecond', SETTING)],
    ['times pg-boss with its setting for latency', rate / find('perSecond', SETTING, forLatency('pg-boss'))],
  ].filter(([, ratio]) => Number.isFinite(ratio));
  return [
    [
      `At ${SETTING} one process delivers ${shown(rate)} orders a second, from the webhook to the answer of the POS, on two processors that it shares with Postgres, the terminals and the POS.`,
      ...(compared.length > 0
        ? [`That is ${listed(compared.map(([what, ratio]) => `${shown(ratio)} ${what}`))}.`]
        : []),
      `An order takes ${shown(orderUs)} µs of a processor, Postgres included.`,
    ].join(' '),
    `A busy restaurant has ${OF_RESTAURANT} orders a minute: this is what ${shown((rate * 60) / OF_RESTAURANT)} of them sell at the same time. A million orders take ` +
      `${shown((orderUs / MACHINE_SECONDS) * MACHINE_CENTS)} cents of a machine of two processors that costs ${MACHINE_CENTS / 100} euros a month.`,
  ];
}

const listed = (texts) => [texts.slice(0, -1).join(', '), texts.at(-1)].filter(Boolean).join(' and ');
