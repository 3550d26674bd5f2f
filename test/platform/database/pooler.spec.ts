import { sale } from '../../support/client.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';
import { hasPgBouncer, PgBouncer } from './pgbouncer.js';

const wherePooler = hasPgBouncer ? whereServer : test.skip;
const NEEDS_POOLER = NEEDS_SERVER || (hasPgBouncer ? '' : ' [skipped: needs PgBouncer]');

describe('statements that were prepared by another session', () => {
  wherePooler(`through PgBouncer in transaction mode: sales and deliveries do not notice${NEEDS_POOLER}`, async () => {
    const scenario = await Scenario.ofProcesses();
    const bouncer = await PgBouncer.start(scenario.database.url);
    const url = bouncer.url(new URL(scenario.database.url).pathname.slice(1));
    const relays = [await scenario.start({ DATABASE_URL: url }), await scenario.start({ DATABASE_URL: url })];
    await relays[0]?.createRestaurant();
    const sales = Array.from({ length: 80 }, () => sale());
    const ids = await Promise.all(sales.map((each, i) => (relays[i % 2] ?? relays[0])?.accept(each)));
    while ((await scenario.jobs.countByStatus()).SENT !== ids.length) for (const relay of relays) await relay.tick();
    expect(scenario.pos.orders.size).toBe(ids.length);
    expect(relays.flatMap(({ logged }) => logged.filter(({ level }) => level === 'error'))).toEqual([]);
    // told once by each that met it
    for (const { logged } of relays)
      expect(logged.filter(({ event }) => event === 'database.not_prepared').length).toBeLessThanOrEqual(1);
    for (const relay of relays) await relay.close();
    await bouncer.close();
    await scenario.close();
  });
});
