import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../src/config/config.js';
import type { PrismaService } from '../../src/database/prisma.service.js';
import { StateService } from '../../src/reports/state.service.js';

/** A row of a restaurant without orders. */
const ROW = { today: {}, waiting: {}, parked: {}, causes: [], refused: 0 };

/** The reads of a restaurant whose state takes `ms`. */
function readsOf(ms: number, databaseUrl?: string) {
  let reads = 0;
  const prepared = async () => {
    reads++;
    await delay(ms);
    return [ROW];
  };
  const config = { databaseUrl, outbox: { lateAlarmMs: 1 } } as Config;
  const states = new StateService({ prepared } as unknown as PrismaService, config);
  return { read: () => states.read('a restaurant'), count: () => reads };
}

describe('a slow state on the embedded database (R19, L160)', () => {
  test('its restaurant rests, and those who ask meanwhile share the next read', async () => {
    const { read, count } = readsOf(210);
    await read();
    const beganAt = performance.now();
    await Promise.all([read(), read(), read()]);
    expect(count()).toBe(2);
    expect(performance.now() - beganAt).toBeGreaterThan(4 * 210);
  });

  test.each([
    ['a quick one', 1, undefined],
    ['a slow one on a server', 210, 'postgresql://127.0.0.1/relay'],
  ])('%s is read at once, by each who asks', async (_, ms, url) => {
    const { read, count } = readsOf(ms, url);
    await read();
    await Promise.all([read(), read()]);
    expect(count()).toBe(3);
  });
});
