import { PrintTurns } from '../../../src/capabilities/tickets/print-turns.js';
import type { FairSlots } from '../../../src/platform/http/limits/fair-slots.js';
import { TokenLookUps } from '../../../src/platform/http/limits/token-look-ups.js';
import { digestOf, newCheckedToken } from '../../../src/platform/secrets/token.js';
import { LossyLine } from '../../platform/database/lossy-line.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { addPrinter, atNoon, offerEnds, round, ticketOf } from './printing.js';

const scenario = Scenario.ofSuite();

describe('the printers of a restaurant', () => {
  let restaurant: Awaited<ReturnType<Scenario['restaurant']>>;

  beforeEach(async () => {
    restaurant = await scenario.store();
    await atNoon(scenario, restaurant.id);
  });

  const path = (id = restaurant.id) => `/restaurants/${id}/printers`;
  const add = (body: object, token = restaurant.token) => scenario.api.post(path(), token, body);
  const list = async () => (await scenario.api.get(path(), restaurant.token).expect(200)).body.data;
  const pathOf = (address: string) => new URL(address, scenario.relay.url).pathname;
  const entries = async (action: string) =>
    (await scenario.api.get(`/restaurants/${restaurant.id}/audit?action=${action}`, restaurant.token)).body.data;

  test('the address is shown once, only its digest is stored, and adding and removing are audited (K3)', async () => {
    const { data } = (await add({ name: ' Kitchen ', width: 32 }).expect(201)).body;
    const token = /^\/print\/(prn_[\w-]{48})$/.exec(data.address)?.[1] as string;
    expect(token).toBeDefined();
    const shown = { id: data.id, name: 'Kitchen', width: 32, status: null, lastPollAt: null, away: false };
    expect(await list()).toEqual([{ ...shown, createdAt: expect.any(String) }]);
    expect((await entries('printer.added'))[0]).toMatchObject({
      target: 'Kitchen',
      actorEmail: restaurant.owner.email,
    });
    await scenario.api.delete(`${path()}/${data.id}`, restaurant.token).expect(200);
    expect(await list()).toEqual([]);
    expect((await entries('printer.removed'))[0]).toMatchObject({ target: 'Kitchen', details: { printer: data.id } });
    await scenario.relay.http.post(pathOf(data.address)).expect(404);
  });

  test('with PUBLIC_URL the address is complete (K3)', async () => {
    const relay = await scenario.start({ PUBLIC_URL: 'https://relay.example.com' });
    const { data } = (await relay.api.post(path(), restaurant.token, { name: 'Kitchen' }).expect(201)).body;
    expect(data.address).toMatch(/^https:\/\/relay\.example\.com\/print\/prn_[\w-]{48}$/);
  });

  test.each<[object]>([
    [{}],
    [{ name: '' }],
    [{ name: '  ' }],
    [{ name: 'a\u001bb' }],
    [{ name: 'x'.repeat(61) }],
    [{ name: null }],
    [{ name: 'K', width: 40 }],
    [{ name: 'K', width: '48' }],
    [{ name: 'K', width: null }],
    [{ name: 'K', extra: 1 }],
  ])('%j is refused (K3)', async (body) => {
    await add(body).expect(400);
  });

  test('at most ten of a restaurant, also at the same time (K3, L33)', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 12 }, () => add({ name: 'P' }).then(({ status }) => status)),
    );
    expect(statuses.toSorted()).toEqual([...Array(10).fill(201), 409, 409]);
    expect((await add({ name: 'P' }).expect(409)).body.code).toBe('TOO_MANY_PRINTERS');
    expect(await list()).toHaveLength(10);
  });

  test('OWNER and ADMIN only; a printer of another restaurant is not found (K3)', async () => {
    const { id } = await addPrinter(scenario, restaurant);
    for (const role of ['MANAGER', 'EMPLOYEE', 'VIEWER'] as const) {
      const { token } = await scenario.staff(restaurant.id, role);
      await add({ name: 'P' }, token).expect(403);
      await scenario.api.get(path(), token).expect(403);
      await scenario.api.delete(`${path()}/${id}`, token).expect(403);
    }
    const other = await scenario.restaurant();
    await scenario.api.delete(`${path(other.id)}/${id}`, other.token).expect(404);
    await scenario.api.delete(`${path()}/${id}`, other.token).expect(403);
    expect(await list()).toHaveLength(1);
  });

  test('a printer gets the tickets of its restaurant only (K3)', async () => {
    const other = await scenario.store();
    await atNoon(scenario, other.id);
    const [theirs, ours] = [await addPrinter(scenario, other), await addPrinter(scenario, restaurant)];
    const job = await scenario.settle(await restaurant.sell(), 'DLQ');
    await round(scenario.relay);
    expect(await theirs.printer.poll()).toBe(false);
    const { jobToken = '' } = await ours.printer.ask();
    await scenario.relay.http.get(pathOf(theirs.printer.address)).query({ token: jobToken }).expect(404);
    await scenario.relay.http
      .delete(pathOf(theirs.printer.address))
      .query({ token: jobToken, code: '200' })
      .expect(200);
    expect((await ticketOf(scenario, job))?.state).toBe('OFFERED');
  });

  test('the token is not in the log, also of a path that does not exist (K3)', async () => {
    const { data } = (await add({ name: 'Kitchen' }).expect(201)).body;
    const { body } = await scenario.relay.http.get(`${pathOf(data.address)}/more`).expect(404);
    expect(body.message).toBe('Cannot GET /print/***/more');
    await scenario.relay.http.patch(pathOf(data.address)).expect(405);
    await scenario.relay.http.get(pathOf(data.address)).expect(404);
    expect(JSON.stringify(scenario.relay.logged)).not.toContain('prn_');
  });

  test('a removed printer leaves its open ticket to the others, as a possible repeat (K7)', async () => {
    const [first, second] = [await addPrinter(scenario, restaurant), await addPrinter(scenario, restaurant)];
    const job = await scenario.settle(await restaurant.sell(), 'DLQ');
    await round(scenario.relay);
    await first.printer.ask();
    await scenario.api.delete(`${path()}/${first.id}`, restaurant.token).expect(200);
    await expect(first.printer.poll()).rejects.toThrow('404');
    await offerEnds(scenario);
    await second.printer.poll();
    expect(second.printer.printed).toEqual([expect.stringContaining('** POSSIBLE REPEAT **')]);
    expect((await ticketOf(scenario, job))?.state).toBe('PRINTED');
  });

  test('the printers of a deleted restaurant end with it (K7)', async () => {
    const { printer } = await addPrinter(scenario, restaurant);
    const job = await scenario.settle(await restaurant.sell(), 'DLQ');
    await round(scenario.relay);
    await scenario.api.delete(`/restaurants/${restaurant.id}?parked=abandon`, restaurant.token).expect(200);
    await expect(printer.ask()).rejects.toThrow('404');
    expect((await ticketOf(scenario, job))?.state).toBe('EXPIRED');
  });

  test('a printer that polls every 30 s may miss two polls; after 90 s it is away, and one that never polled is not (K9, L34)', async () => {
    const { id, printer } = await addPrinter(scenario, restaurant);
    const away = () =>
      scenario.database.query('SELECT printer_id, name FROM printers_away WHERE restaurant_id = $1', [restaurant.id]);
    expect(await away()).toEqual([]);
    await printer.ask({ statusCode: '410%20Paper%20Out' });
    expect(await list()).toMatchObject([{ status: '410 Paper Out', lastPollAt: expect.any(String), away: false }]);
    const passes = (seconds: number) =>
      scenario.database.query(
        `UPDATE printers SET last_poll_at = last_poll_at - $2::int * interval '1 second' WHERE id = $1`,
        [id, seconds],
      );
    for (const _ of ['missed', 'missed']) {
      await passes(30);
      expect(await away()).toEqual([]);
    }
    await passes(25);
    expect(await away()).toEqual([]);
    await passes(6);
    expect(await away()).toEqual([{ printer_id: id, name: 'Kitchen' }]);
    expect(await list()).toMatchObject([{ away: true }]);
    await printer.ask();
    expect(await list()).toMatchObject([{ status: '200 OK', away: false }]);
  });

  test('a poll is written at most every 10 s, and a changed status at most every 3 s (K9, L170)', async () => {
    const { id, printer } = await addPrinter(scenario, restaurant);
    const polledAt = async () => (await list())[0].lastPollAt;
    await printer.ask();
    const first = await polledAt();
    await printer.ask();
    expect(await polledAt()).toBe(first);
    printer.statusCode = '211%20OK';
    await printer.ask();
    // it has changed just before
    expect(await polledAt()).toBe(first);
    await scenario.database.query(
      `UPDATE printers SET last_poll_at = last_poll_at - interval '4 seconds' WHERE id = $1`,
      [id],
    );
    await printer.ask();
    expect(await polledAt()).not.toBe(first);
    expect(await list()).toMatchObject([{ status: '211 OK' }]);
  });

  test('requests of a printer wait while another one of it has its turn, and four wait at most (K11, L169)', async () => {
    const { printer } = await addPrinter(scenario, restaurant);
    await printer.ask();
    const path = new URL(printer.address).pathname;
    const digest = digestOf(path.replace('/print/', ''));
    const turns = scenario.relay.get(PrintTurns);
    let end = () => {};
    const held = turns.run({ digest, restaurantId: restaurant.id }, new AbortController().signal, () => {
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    const { http } = scenario.relay;
    const statuses = Promise.all(
      [...Array.from({ length: 3 }, () => http.post(path)), http.get(path)].map((sent) => sent.then((to) => to.status)),
    );
    const slots = Reflect.get(turns, 'printers') as FairSlots;
    await until(() => slots.of(digest).waiting === 4);
    const { body, headers } = await http.delete(path).query({ code: '200' }).expect(503);
    expect([body.code, headers['retry-after']]).toEqual(['TOO_MANY_AT_ONCE', '2']);
    end();
    await held;
    expect(await statuses).toEqual([200, 200, 200, 404]);
  });

  test('an instance that does not know a printer looks it up when it is the turn of its network (K3, A39)', async () => {
    const { printer } = await addPrinter(scenario, restaurant);
    const lookUps = scenario.relay.get(TokenLookUps);
    const run = jest.spyOn(lookUps, 'run');
    await printer.ask();
    await printer.ask();
    expect(run).toHaveBeenCalledTimes(1);
    const removed = scenario.relay.http.post(new URL(printer.address).pathname);
    await scenario.database.query('DELETE FROM printers');
    await removed.expect(404);
    await scenario.relay.http.post(new URL(printer.address).pathname).expect(404);
    expect(run).toHaveBeenCalledTimes(2);
    run.mockRestore();
  });
});

test('a wrong token costs no query; one with a right checksum costs one read (K3)', async () => {
  const line = new LossyLine();
  const relay = await (await scenario.start({ DATABASE_URL: await line.listen(scenario.database) })).quiet();
  const token = newCheckedToken('prn_');
  const wrong = [
    'x',
    'prn_',
    `prn_${'A'.repeat(48)}`,
    token.slice(0, -1),
    `${token}A`,
    token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
  ];
  await relay.http.post(`/print/${token}`).expect(404);
  await relay.http.post(`/print/${token}`).expect(404);
  let before = line.statements;
  for (const each of wrong)
    for (const method of ['post', 'get', 'delete'] as const) await relay.http[method](`/print/${each}`).expect(404);
  expect(line.statements - before).toBe(0);
  before = line.statements;
  await relay.http.post(`/print/${token}`).expect(404);
  expect(line.statements - before).toBe(1);
  await relay.close();
  line.close();
});
