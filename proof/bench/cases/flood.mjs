// Good sales at a fixed rate, alone and while another process sends many wrong keys.
export const title = 'Wrong keys: good sales beside 10,000 wrong keys a second';
/** The interval of good sales; ms. */
const EVERY_MS = 5;
export const ALONE = `one good sale every ${EVERY_MS} ms`;
export const BESIDE = `${ALONE}, beside 10,000 wrong keys a second`;
/** As {@link BESIDE}, by as many connections as may wait (L103). */
const BY_MANY = `${BESIDE} by 1,000 connections`;
const WRONG_PER_SECOND = 10_000;
const CONNECTIONS = 100;
const WARM_UP_SECONDS = 2;

export function* measurements({ relays, quick }) {
  const seconds = quick ? 3 : 8;
  for (const version of relays) {
    const measure =
      (target, connections = CONNECTIONS) =>
      (measurement) =>
        beside(measurement, version, { target, connections, seconds });
    yield { setting: ALONE, contender: version.name, measure: measure() };
    yield { setting: BESIDE, contender: version.name, measure: measure('relay') };
    if (version === relays[0]) yield { setting: BESIDE, contender: 'bare 401', measure: measure('bare') };
    yield { setting: BY_MANY, contender: version.name, measure: measure('relay', 1_000) };
  }
}

/** @param target who gets the wrong keys: nobody, the `relay`, or a `bare` server */
async function beside(measurement, version, { target, connections, seconds }) {
  const relay = await measurement.relay(version, {
    DATABASE_URL: await measurement.database(version.template),
    WORKER_ENABLED: 'false',
  });
  const { url } = relay;
  const [owner] = version.owners;
  const [{ authorization, store }] = version.senders.jwt;
  const path = `/restaurants/${owner.restaurantId}/sender-keys`;
  const body = { name: 'Bar', kind: 'TOKEN' };
  const { keyId } = (await relay.api('POST', path, { token: authorization.replace('Bearer ', ''), body })).data;
  const loader = measurement.loader();
  const flood = target && measurement.helper(new URL('../../load/flood.mjs', import.meta.url));
  const bare = target === 'bare' && measurement.helper(new URL('../lib/bare-401.mjs', import.meta.url));
  const floodUrl = bare ? await bare.call('listen') : url;
  const both = async (prefix, lasting) => {
    const count = (lasting * 1_000) / EVERY_MS;
    const good = loader.call('pace', { url, senders: version.senders.static, everyMs: EVERY_MS, count, prefix });
    const of = { url: floodUrl, store, keyIds: [keyId], perSecond: WRONG_PER_SECOND, connections };
    const wrong = flood?.call('flood', { ...of, seconds: lasting });
    return { good: await good, wrong: await wrong };
  };
  await loader.call('warmUp', { url, senders: version.senders.static });
  await both('warm-up', WARM_UP_SECONDS);
  const cpu = measurement.countCpu(relay.pid);
  const { good, wrong } = await both('good', seconds);
  const { own, postgres } = cpu();
  if (good.refused > 0) throw new Error(`${good.refused} good sales were not accepted`);
  const perSale = 1e6 / ((seconds * 1_000) / EVERY_MS);
  const { p50, p99 } = good.answered;
  return {
    ...{ p50, p99, relayUs: own * perSale, postgresUs: postgres * perSale },
    ...(wrong && { offered: wrong.due, refused: wrong.refused, sent: wrong.sent, opened: wrong.opened }),
  };
}
