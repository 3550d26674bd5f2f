import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { FairSlots } from '../../../src/platform/http/limits/fair-slots.js';
import { Shares } from '../../../src/platform/http/limits/shares.js';
import { SalesFirst } from '../../../src/platform/sales-first.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';

const NEVER = () => new AbortController().signal;

describe('the shares of an account (H19)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });

  test('a cancel does not wait for the reads of its account (L125)', async () => {
    const { id, token, owner, sell } = await scenario.store();
    const key = await scenario.keyOf(await sell());
    const { ordinary } = slotsOf('accounts');
    const slots = ordinary as FairSlots;
    const held = await Promise.all(Array.from({ length: 4 }, () => slots.take(owner.id, NEVER)));
    const read = scenario.api.get(`/restaurants/${id}/state`, token).then(({ status }) => status);
    await until(() => slots.of(owner.id).waiting === 1);
    await scenario.cancel(id, key, token).expect(202);
    expect(slots.of(owner.id)).toEqual({ underWay: 4, waiting: 1 });
    for (const free of held) free();
    expect(await read).toBe(200);
  });

  test('the accounts of one founder take turns as one, also without a restaurant (H20, O44)', async () => {
    const founder = await scenario.person();
    const created = [await scenario.person(), await scenario.person(), await scenario.person()];
    const neighbour = await scenario.person();
    const all = created.map(({ id }) => id);
    await scenario.database.query('UPDATE users SET created_by = $1 WHERE id = ANY ($2)', [founder.id, all]);
    const reads = slotsOf('turns').ordinary as FairSlots;
    const { total } = (reads as unknown as { bounds: { total: number } }).bounds;
    const [first, ...others] = await Promise.all(
      Array.from({ length: total }, (_, i) => reads.take(`other ${i}`, NEVER)),
    );
    const answered: string[] = [];
    const asked: Promise<void>[] = [];
    for (const { id, token } of [...created, neighbour]) {
      const read = async () => {
        await scenario.api.get('/restaurants/overview', token).expect(200);
        answered.push(id);
      };
      asked.push(read());
      await until(() => reads.of(id).waiting === 1);
    }
    first?.();
    await Promise.all(asked);
    for (const free of others) free();
    expect(answered.slice(0, 2)).toContain(neighbour.id);
  });

  test.each([
    ['resend', { itemCodes: ['PZ-01'], dryRun: true }],
    ['parked/resolve', { reason: 'entered by hand', dryRun: true }],
    ['parked/erase', { dryRun: true }],
  ])('POST :r/%s takes no turn of changes: it works for seconds (H19)', async (path, body) => {
    const { id, token } = await scenario.store();
    const changes = slotsOf('turns').changes as FairSlots;
    const held = [await changes.take('one', NEVER), await changes.take('other', NEVER)];
    await scenario.api.post(`/restaurants/${id}/${path}`, token, body).expect(200);
    for (const free of held) free();
  });

  test('the restaurants of one founder take turns as one (H20, O44)', async () => {
    const first = await scenario.store();
    const [second, third, neighbour] = [await scenario.store(), await scenario.store(), await scenario.store()];
    const all = [first, second, third].map(({ id }) => id);
    await scenario.database.query('UPDATE restaurants SET founded_by = $1 WHERE id = ANY ($2)', [first.owner.id, all]);
    const changes = slotsOf('turns').changes as FairSlots;
    const held = [await changes.take('one', NEVER), await changes.take('other', NEVER)];
    const answered: string[] = [];
    const change = async ({ id, token }: typeof first) => {
      await scenario.api.patch(`/restaurants/${id}`, token, { address: 'Rua 1' }).expect(200);
      answered.push(id);
    };
    // each waits before the next one asks
    const asked: Promise<void>[] = [];
    for (const each of [first, second, third, neighbour]) {
      asked.push(change(each));
      await until(() => changes.of(each.id).waiting === 1);
    }
    held[0]?.();
    await Promise.all(asked);
    held[1]?.();
    expect(answered.slice(0, 2)).toContain(neighbour.id);
  });

  test('they wait for a turn of their own, before their turn or after it, and hold up neither changes nor reads (H28)', async () => {
    const refusalTurns = () =>
      Reflect.get(Reflect.get(scenario.relay.get(Shares), 'refusals') as object, 'turns') as FairSlots;
    const { id, token, owner } = await scenario.store();
    const stranger = await scenario.store();
    const free = await refusalTurns().take('another', NEVER);
    const put = (path: string, body: object) => scenario.api.put(path, token, body).then(({ status }) => status);
    const codes = `/restaurants/${id}/codes/ITEM/PZ-01`;
    const refused = [
      put(codes, { unknown: true }),
      put(`/restaurants/${stranger.id}/codes/ITEM/PZ-01`, { posCode: '1' }),
      scenario.api
        .put(`/restaurants/${id}/catalogue`, token)
        .set('Content-Type', 'text/csv')
        .send('no,columns\n1,2\n')
        .then(({ status }) => status),
      scenario.api.get(`/restaurants/${id}/orders/none`, token).then(({ status }) => status),
    ];
    await until(() => refusalTurns().of(id).waiting + refusalTurns().of(owner.id).waiting === 4);
    expect(await put(codes, { posCode: '1' })).toBe(201);
    await scenario.api.get(`/restaurants/${id}`, token).expect(200);
    free();
    expect(await Promise.all(refused)).toEqual([400, 403, 422, 404]);
    expect(refusalTurns().of(id)).toEqual({ underWay: 0, waiting: 0 });
  });

  describe('of a restaurant on the embedded database (H20, L128)', () => {
    const turnsOf = (databaseUrl: string | undefined) =>
      (
        new Shares({ databaseUrl, databasePoolSize: 10 }, new SalesFirst(() => 0)) as unknown as Record<
          'turns',
          Record<string, FairSlots>
        >
      ).turns;
    /** Takes a turn for 2 s while others of the restaurant wait. @returns who waits then */
    async function longTurn(slots: FairSlots) {
      let now = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      const free = await slots.take('a restaurant', NEVER);
      const others = [1, 2, 3, 4].map(() => slots.take('a restaurant', NEVER));
      // those that wait at the end of the test are refused later
      for (const other of others) other.catch(() => undefined);
      now += 2_000;
      free();
      jest.restoreAllMocks();
      const { waiting } = slots.of('a restaurant');
      return { waiting, others };
    }

    test.each(['ordinary', 'changes', 'reports', 'search'])('%s: a long turn is followed by a rest', async (share) => {
      const slots = turnsOf(undefined)[share] as FairSlots;
      expect((await longTurn(slots)).waiting).toBe(4);
    });

    test('a change does not wait while the reads of its restaurant rest', async () => {
      const { ordinary, changes } = turnsOf(undefined);
      await longTurn(ordinary as FairSlots);
      (await (changes as FairSlots).take('a restaurant', NEVER))();
      expect((ordinary as FairSlots).of('a restaurant').waiting).toBe(4);
    });

    test('on a server a restaurant does not rest', async () => {
      expect((await longTurn(turnsOf('postgresql://localhost').ordinary as FairSlots)).waiting).toBe(0);
    });

    test('on a server its changes wait for no read (L127)', async () => {
      const { ordinary, changes } = turnsOf('postgresql://localhost');
      const reads = Array.from({ length: 10 }, () => (ordinary as FairSlots).take('a restaurant', NEVER));
      (await (changes as FairSlots).take('a restaurant', NEVER))();
      for (const read of reads) void read.then((free) => free());
      await Promise.all(reads);
    });
  });

  const slotsOf = (kind: 'accounts' | 'turns') =>
    (scenario.relay.get(Shares) as unknown as Record<typeof kind, Record<string, FairSlots>>)[kind];
  const accounts = () => slotsOf('accounts').reports as FairSlots;
  const turns = () => slotsOf('turns').reports as FairSlots;

  describe('files whose clients are slow (H20)', () => {
    const PATH = (id: string) => `/restaurants/${id}/takings.csv?from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z`;
    /** with long names of tenders a file of 16 MB: more than the buffers of a connection hold */
    const SALES = 4_000;
    const NONE = { underWay: 0, waiting: 0 };
    const clients: Socket[] = [];
    type Made = Awaited<ReturnType<typeof store>>;
    let stores: Made[];

    beforeAll(async () => {
      stores = [await store(), await store(), await store(), await store()];
    }, 60_000);

    afterEach(() => {
      for (const each of clients.splice(0)) each.destroy();
    });

    async function store() {
      const made = await scenario.store();
      await scenario.database.query(
        `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, paid_cents, paid_by_tender, payload, received_at)
         SELECT $1::text || n, $1::text || n, false, $1::uuid, 100, tenders.of_sale, '{}',
                '2026-11-20T10:00:00Z'::timestamptz + n * interval '100 ms'
         FROM generate_series(1, ${SALES}) n,
           (SELECT jsonb_object_agg(rpad(t::text, 100, 'x'), 5) AS of_sale FROM generate_series(1, 20) t) tenders`,
        [made.id],
      );
      return made;
    }

    /** A client that reads the beginning of the file, and no more. */
    async function slow({ id, owner }: { id: string; owner: Caller }): Promise<Socket> {
      const { port, hostname } = new URL(scenario.relay.url);
      const socket = connect(Number(port), hostname);
      clients.push(socket);
      socket.on('error', () => undefined);
      let begin = '';
      const begun = new Promise<void>((resolve) => {
        socket.on('data', (data) => {
          begin += data.toString('latin1');
          socket.pause();
          resolve();
        });
      });
      socket.write(`GET ${PATH(id)} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${owner.token}\r\n\r\n`);
      await begun;
      expect(begin).toMatch(/^HTTP\/1\.1 200 /);
      return socket;
    }

    test('they hold up nobody, and keep the slots of their accounts until they have ended (H19, H20)', async () => {
      const neighbour = await scenario.store();
      // as many as reports have turns (L127)
      for (const each of [...stores, ...stores]) await slow(each);
      await until(() => stores.every(({ id }) => turns().of(id).underWay === 0));
      const day = 'from=2026-11-20T00:00:00Z&to=2026-11-21T00:00:00Z';
      for (let i = 0; i < 10; i++)
        await scenario.api.get(`/restaurants/${neighbour.id}/statistics?${day}`, neighbour.token).expect(200);
      expect(stores.map(({ owner }) => accounts().of(owner.id))).toEqual(
        stores.map(() => ({ underWay: 2, waiting: 0 })),
      );
      expect(clients.filter(({ destroyed }) => destroyed)).toEqual([]);
      // another user of such a restaurant has turns too
      const other = await scenario.staff((stores[0] as Made).id, 'MANAGER');
      await slow({ ...(stores[0] as Made), owner: other });
      for (const each of clients) each.destroy();
      const owners = [...stores.map(({ owner }) => owner), other];
      await until(() => owners.every(({ id }) => accounts().of(id).underWay === 0));
      expect(stores.map(({ id }) => turns().of(id))).toEqual(stores.map(() => NONE));
    }, 60_000);

    test('a file that waits for its turn ends with its client, and frees everything once (H20)', async () => {
      const [made] = stores as [Made];
      const client = await slow(made);
      await until(() => turns().of(made.id).underWay === 0);
      const held = [await turns().take(made.id, NEVER), await turns().take(made.id, NEVER)];
      client.removeAllListeners('data').resume();
      await until(() => turns().of(made.id).waiting === 1);
      client.destroy();
      await until(() => accounts().of(made.owner.id).underWay === 0);
      expect(turns().of(made.id)).toEqual({ underWay: 2, waiting: 0 });
      for (const free of held) free();
      expect(turns().of(made.id)).toEqual(NONE);
    });

    test('a file whose turn does not come breaks off (H20, R25)', async () => {
      const [made] = stores as [Made];
      const client = await slow(made);
      await until(() => turns().of(made.id).underWay === 0);
      const bounds = (turns() as unknown as { bounds: { waitMs?: number } }).bounds;
      const held = [await turns().take(made.id, NEVER), await turns().take(made.id, NEVER)];
      bounds.waitMs = 1;
      client.removeAllListeners('data').resume();
      await until(() => client.destroyed);
      delete bounds.waitMs;
      for (const free of held) free();
      await until(() => accounts().of(made.owner.id).underWay === 0);
      expect(turns().of(made.id)).toEqual(NONE);
    });

    test('a client that takes nothing for 60 s is disconnected; one that waits for the next piece is not (H20, L157)', async () => {
      const [made] = stores as [Made];
      const server = scenario.relay.app.getHttpServer() as Server;
      const accepted: Socket[] = [];
      server.on('connection', (socket) => accepted.push(socket));
      const client = await slow(made);
      const [connection] = accepted as [Socket];
      await until(() => turns().of(made.id).underWay === 0);
      expect(connection.timeout).toBe(60_000);
      const held = [await turns().take(made.id, NEVER), await turns().take(made.id, NEVER)];
      client.removeAllListeners('data').resume();
      await until(() => turns().of(made.id).waiting === 1 && connection.writableLength === 0);
      connection.emit('timeout');
      expect(connection.destroyed).toBe(false);
      client.pause();
      for (const free of held) free();
      await until(() => connection.writableLength > 0 && turns().of(made.id).underWay === 0);
      connection.setTimeout(1);
      await until(() => connection.destroyed);
      await until(() => accounts().of(made.owner.id).underWay === 0);
      expect(turns().of(made.id)).toEqual(NONE);
    });
  });
});
