// A restaurant is paused while it sells, and resumed: what is sent when, and how long the others' orders take meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import { percentiles } from '../../load/statistics.mjs';
import { withConnection } from '../../postgres/connection.ts';
import { arrivalsOf } from './latency.mjs';

export const title = 'Pause: a restaurant with 2,000 orders is resumed beside others';
/** The others sell 50 times a second. */
const EVERY_MS = 20;
/** Of five sales while it is paused, four are of the paused restaurant. */
const OF_PAUSED = 4;
const PER_MINUTE = 600;
const LIMIT_MS = 60_000;

export function* measurements({ relays, quick }) {
  for (const version of relays)
    yield {
      setting: `resumed at ${PER_MINUTE} a minute`,
      contender: version.name,
      measure: (measurement) => pause(measurement, version, quick ? 200 : 2_000),
    };
}

/**
 * @returns p50 and p99 of the others' orders in ms, until the POS has them: alone, `pausedP99` while the other restaurant sells and is paused, `resumedP99`
 *   while its orders are sent; `perMinute` and `outOfOrder` of those
 */
async function pause(measurement, version, count) {
  const databaseUrl = await measurement.database(version.template);
  const receiver = await measurement.receiver();
  const relay = await measurement.relay(version, {
    DATABASE_URL: databaseUrl,
    POS_BASE_URL: receiver.url,
    OUTBOX_PACE: 'eager',
  });
  const loader = measurement.loader();
  const paused = version.senders.static.at(-1);
  const { restaurantId } = version.owners.at(-1);
  const others = version.senders.static.slice(0, -1);
  const pace = (settings) => loader.call('pace', { url: relay.url, senders: others, everyMs: EVERY_MS, ...settings });
  await arrivalsOf(receiver, pace, { prefix: 'first', count: 200 });
  const alone = percentiles((await arrivalsOf(receiver, pace, { prefix: 'alone', count: count / 2 })).times);

  const token = await relay.signIn();
  const ask = (what, body) => relay.api('POST', `/restaurants/${restaurantId}/${what}`, { token, body });
  await ask('pause', { reason: 'benchmark' });
  const senders = others.flatMap((sender) => [sender, ...Array(OF_PAUSED).fill(paused)]);
  const mixed = { prefix: 'mixed', count: (count / OF_PAUSED) * (OF_PAUSED + 1) };
  await receiver.call('expect', mixed);
  const { sentAt } = await pace({ ...mixed, senders, everyMs: EVERY_MS / (OF_PAUSED + 1) });
  const whilePaused = timesOf(await ofOthers(receiver), sentAt);

  await ask('resume', { perMinute: PER_MINUTE });
  const forMs = (count / PER_MINUTE) * 60_000;
  const whileSent = await arrivalsOf(receiver, pace, { prefix: 'sent', count: Math.floor(forMs / EVERY_MS) });
  return {
    ...alone,
    pausedP99: percentiles(whilePaused).p99,
    resumedP99: percentiles(whileSent.times).p99,
    ...(await sentOf(databaseUrl, restaurantId, count)),
  };
}

/** When the orders of the others have arrived, by number; 0: those of the paused restaurant. @throws when one of those has arrived */
async function ofOthers(receiver) {
  const isOther = (number) => number % (OF_PAUSED + 1) === 0;
  for (const begin = performance.now(); performance.now() - begin < LIMIT_MS; await delay(100)) {
    const arrivals = await receiver.call('arrivals');
    if (arrivals.some((at, number) => at > 0 && !isOther(number)))
      throw new Error('an order of the paused restaurant was sent');
    if (arrivals.every((at, number) => at > 0 || !isOther(number))) return arrivals;
  }
  throw new Error('not every order of the others has arrived');
}

const timesOf = (arrivals, sentAt) => arrivals.flatMap((at, number) => (at > 0 ? [at - sentAt[number]] : []));

/** Waits until all its orders are sent. @returns how many were sent `perMinute`, and how many of them before an older one */
const sentOf = (databaseUrl, restaurantId, count) =>
  withConnection(databaseUrl, async (query) => {
    for (const begin = performance.now(); performance.now() - begin < LIMIT_MS; await delay(500)) {
      const [found] = await query(
        `SELECT count(*)::int AS sent, count(*) FILTER (WHERE job.created_at < before)::int AS "outOfOrder",
                (count(*) - 1) * 60 / extract(epoch FROM max(started_at) - min(started_at))::float8 AS "perMinute"
         FROM (
           SELECT job.created_at, started_at, max(job.created_at) OVER (ORDER BY started_at RANGE BETWEEN UNBOUNDED PRECEDING AND '1 microsecond' PRECEDING) AS before
           FROM outbox_jobs job JOIN delivery_attempts ON job_id = job.id
           WHERE restaurant_id = $1::uuid AND status = 'SENT' AND event_key LIKE '%mixed%'
         ) AS job`,
        [restaurantId],
      );
      if (found.sent === count) return { perMinute: found.perMinute, outOfOrder: found.outOfOrder };
    }
    throw new Error('not every order of the resumed restaurant was sent');
  });
