// One sale at a time on an idle system: from sending the webhook until the POS has the order. Peers that are not measured behind a webhook store
// the job from inside their own process.

import { percentiles } from '../../load/statistics.mjs';
import { within } from '../lib/measurement.mjs';
import { idlePeer, PEERS, roadOfPeer } from '../lib/peer.mjs';

export const title = 'Latency: one sale at a time, until the POS has it';
const EVERY_MS = 50;
const WARM_UP = 40;
const AT_ONCE = 20;
const LIMIT_MS = 60_000;
export const PACE = `one sale every ${EVERY_MS} ms`;

export function* measurements({ relays, peers, quick }) {
  const setting = PACE;
  const count = quick ? 100 : 400;
  for (const version of relays)
    yield {
      setting,
      contender: version.name,
      measure: async (measurement) => latency(await idleRelay(measurement, version), count),
    };
  for (const peer of peers.filter((name) => PEERS[name].answers))
    yield {
      setting,
      contender: peer,
      measure: async (measurement) =>
        latency(
          await (PEERS[peer].road ? idleAtDoor(measurement, peer, relays[0]) : idlePeer(measurement, peer)),
          count,
        ),
    };
}

/** Starts an eager relay on an empty outbox. @returns its receiver, and the `pace` of its loader */
async function idleRelay(measurement, version) {
  const receiver = await measurement.receiver();
  const { url } = await measurement.relay(version, {
    DATABASE_URL: await measurement.database(version.template),
    POS_BASE_URL: receiver.url,
    OUTBOX_PACE: 'eager',
  });
  return { receiver, pace: paceOf(measurement, url, version.senders.static) };
}

/** A peer behind a webhook, with its setting for latency. Otherwise as {@link idleRelay}. */
async function idleAtDoor(measurement, peer, { senders }) {
  const receiver = await measurement.receiver();
  const place = { senders: senders.static, posUrl: receiver.url, atOnce: AT_ONCE };
  const { url } = await roadOfPeer(measurement, peer, { ...place, awaited: true });
  return { receiver, pace: paceOf(measurement, url, senders.static) };
}

function paceOf(measurement, url, senders) {
  const loader = measurement.loader();
  return (settings) => loader.call('pace', { url, senders, ...settings });
}

/** @returns p50 and p99 in ms until the POS has the order, and p50 until the answer to who sent it */
async function latency({ receiver, pace }, count) {
  await arrivalsOf(receiver, pace, { prefix: 'first', count: WARM_UP, everyMs: EVERY_MS });
  const { times, answered } = await arrivalsOf(receiver, pace, { prefix: 'latency', count, everyMs: EVERY_MS });
  return { ...percentiles(times), answerP50: answered.p50, answerP99: answered.p99 };
}

/** Sends sales at a pace, waits until all have arrived. @returns the time that each took, in ms, and that of the answers */
export async function arrivalsOf(receiver, pace, settings) {
  await receiver.call('expect', settings);
  const full = receiver.next('full');
  full.catch(() => {});
  const { sentAt, answered, refused } = await pace(settings);
  if (refused > 0) throw new Error(`${refused} of ${settings.count} sales were not accepted`);
  await within(LIMIT_MS, 'the last order', full);
  const arrivals = await receiver.call('arrivals');
  return { times: arrivals.map((at, number) => at - sentAt[number]), answered };
}
