import { Config } from '../../../src/platform/config/config.js';
import { OverviewService } from '../../../src/restaurants/reports/overview.service.js';
import { countingRows } from '../../support/rows-read.js';
import { type Caller, Scenario } from '../../support/scenario.js';

const DAY_MS = 86_400_000;

describe('GET /restaurants/overview (R45)', () => {
  const scenario = Scenario.ofSuite();

  async function opened() {
    const restaurant = await scenario.store();
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001', timezone = 'UTC' WHERE id = $1`, [
      restaurant.id,
    ]);
    const overview = async (query = '') =>
      (await scenario.api.get(`/restaurants/overview${query}`, restaurant.token).expect(200)).body;
    const row = async () => (await overview()).data.find(({ id }: { id: string }) => id === restaurant.id);
    return { ...restaurant, overview, row };
  }
  const received = (job: string, days: number) =>
    scenario.jobs.receivedAt(job, new Date(Date.now() - days * DAY_MS).toISOString());

  test('a new restaurant: zeros, no lamp, and what its set-up lacks', async () => {
    const { id, row } = await opened();
    await scenario.database.query('UPDATE restaurants SET code_store_pos = NULL WHERE id = $1', [id]);
    expect(await row()).toMatchObject({
      ...{ id, role: 'OWNER', timezone: 'UTC', light: 'idle', orders: 0, takenCents: 0, notInPos: 0 },
      ...{ notInPosCents: 0, earlierParked: 0, lastSaleAt: null, setup: ['codeStorePos', 'firstSale'] },
    });
  });

  test('credentials are a step where neither restaurant nor relay has any', async () => {
    const { id, token, row } = await opened();
    const relay = await scenario.start({ POS_PARTNER_ID: '', POS_SECRET: '' });
    const steps = async () =>
      (await relay.api.get('/restaurants/overview', token).expect(200)).body.data.find(
        (each: { id: string }) => each.id === id,
      ).setup;
    expect(await steps()).toEqual(['credentials', 'firstSale']);
    expect((await row()).setup).toEqual(['firstSale']);
  });

  test('the day: orders, what was taken without cancelled ones, what is not in the POS, the last sale', async () => {
    const { id, token, sell, row } = await opened();
    await scenario.settle(await sell(), 'SENT');
    const cancelled = await scenario.settle(await sell(), 'SENT');
    await scenario.cancel(id, await scenario.keyOf(cancelled), token).expect(202);
    expect(await row()).toMatchObject({
      ...{ light: 'good', orders: 2, notInPos: 0, setup: [] },
      ...{ takenCents: 7_980, cancelledCents: 7_980, netCents: 7_980 },
    });
    await scenario.settle(await sell(), 'FAILED');
    expect(await row()).toMatchObject({ light: 'wait', orders: 3, notInPos: 1, notInPosCents: 7_980 });
    await scenario.settle(await sell(), 'DLQ', 'unknown product X1');
    const last = await row();
    expect(last).toMatchObject({ light: 'bad', orders: 4, takenCents: 23_940, notInPos: 2, notInPosCents: 15_960 });
    expect(Date.now() - Date.parse(last.lastSaleAt)).toBeLessThan(60_000);
  });

  test('a cancel that is parked: cancelled when the order was withdrawn, not when the POS has the order (R17)', async () => {
    const { id, token, sell, row } = await opened();
    const cancelled = async (order: string) => {
      const { body } = await scenario.cancel(id, await scenario.keyOf(order), token).expect(202);
      await scenario.settle(body.data.jobId, 'DLQ');
    };
    await cancelled(await scenario.settle(await sell(), 'SENT'));
    expect(await row()).toMatchObject({ orders: 1, takenCents: 7_980, cancelledCents: 0 });
    // the POS may have it: it is withdrawn, and asked to cancel
    const unknown = await sell();
    scenario.pos.behave({ mode: 'status', status: 500 });
    await scenario.jobs.makeDue(unknown);
    await scenario.relay.tick();
    scenario.pos.behave({ mode: 'ok' });
    await cancelled(unknown);
    expect(await row()).toMatchObject({ orders: 2, takenCents: 7_980, cancelledCents: 7_980 });
  });

  test('what earlier days left parked has a number, and no lamp (R42)', async () => {
    const { sell, row } = await opened();
    await received(await scenario.settle(await sell(), 'DLQ', 'unknown product X1'), 2);
    expect(await row()).toMatchObject({ light: 'idle', orders: 0, takenCents: 0, notInPos: 0, earlierParked: 1 });
  });

  test('while requests with a sender key are refused the light is bad: what arrived is not all that was sold (R45)', async () => {
    const { id, sell, row } = await opened();
    await scenario.settle(await sell(), 'SENT');
    const refuse = (at: string) =>
      scenario.database.query(
        `INSERT INTO sender_keys (id, restaurant_id, key_id, kind, name, scopes, token_hash, refused_at, refused_since, refused_count, refused_reason)
         VALUES (gen_random_uuid(), $1, left(md5($2), 8), 'TOKEN', 'Bar', '{sales:write}', md5($2), now() - $2::interval, now() - $2::interval, 1, 'revoked')`,
        [id, at],
      );
    await refuse('1 hour');
    expect((await row()).light).toBe('good');
    await refuse('1 minute');
    expect((await row()).light).toBe('bad');
  });

  test('an order that is late lights the lamp', async () => {
    const { id, sell, row } = await opened();
    await sell();
    expect((await row()).light).toBe('good');
    await scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() - interval '1 hour' WHERE restaurant_id = $1`,
      [id],
    );
    expect((await row()).light).toBe('wait');
  });

  describe('a person of several restaurants', () => {
    let person: Caller;
    const ids: string[] = [];
    const page = async (query: string) =>
      (await scenario.api.get(`/restaurants/overview?${query}`, person.token).expect(200)).body;
    const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

    beforeAll(async () => {
      person = await scenario.person('USER');
      for (const name of ['Alpha 50%', 'Beta', 'Gamma']) {
        const { id } = await opened();
        await scenario.database.query('UPDATE restaurants SET name = $2 WHERE id = $1', [id, name]);
        await scenario.database.query(
          `INSERT INTO user_restaurants (id, user_id, restaurant_id, role, updated_at) VALUES (gen_random_uuid(), $1, $2, 'VIEWER', now())`,
          [person.id, id],
        );
        ids.push(id);
      }
    });

    test('only theirs, paged by cursor', async () => {
      const first = await page('limit=2');
      const second = await page(`limit=2&after=${first.meta.next}`);
      expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
      expect([first.data[0].role, second.meta.next]).toEqual(['VIEWER', null]);
    });

    test.each([
      ['alpha', 0],
      ['50%', 0],
      ['ETA', 1],
      ['%mm', undefined],
    ])('found by a part of the name: %s', async (search, place) => {
      const found = await page(new URLSearchParams({ search }).toString());
      expect(idsOf(found)).toEqual(place === undefined ? [] : [ids[place]]);
    });

    test.each(['limit=101', 'limit=0', 'after=x', `search=${'x'.repeat(201)}`])('%s: 400', async (query) => {
      await scenario.api.get(`/restaurants/overview?${query}`, person.token).expect(400);
    });

    test('one statement reads them all, and no history, with and without statistics (R30)', async () => {
      const [id] = ids;
      await scenario.database.query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, received_at, payload)
         SELECT 'O-' || n, 'O-' || n, false, $1, now() - interval '2 days' - n * interval '1 minute', '{}' FROM generate_series(1, 5000) n`,
        [id],
      );
      await scenario.database.query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, created_at, updated_at)
         SELECT gen_random_uuid(), transaction_key, restaurant_id, 'SENT', NULL, received_at, received_at
         FROM terminal_events WHERE restaurant_id = $1`,
        [id],
      );
      const counting = countingRows(scenario);
      const service = new OverviewService(counting.prisma, scenario.relay.get(Config));
      expect((await service.read(person.id, { limit: 100 })).data).toHaveLength(3);
      await scenario.database.query('ANALYZE');
      await service.read(person.id, { limit: 100 });
      expect(counting.read).toHaveLength(2);
      expect(Math.max(...counting.read)).toBeLessThan(500);
    });
  });
});
