import type { IncidentView } from '../../src/admin/incidents.dto.js';
import { Scenario } from '../support/scenario.js';

describe('GET /admin/incidents (R60)', () => {
  const scenario = Scenario.ofSuite();
  let admin: string;

  beforeAll(async () => {
    admin = await scenario.relay.login();
    // its heartbeat would say that no process delivers
    scenario.relay.withoutIntervals();
    await query('DELETE FROM relay_instances');
  });
  beforeEach(() => scenario.empty());

  const query = (sql: string, values: unknown[] = []) => scenario.database.query(sql, values);
  const incidents = async (): Promise<IncidentView[]> =>
    (await scenario.relay.api.get('/admin/incidents', admin).expect(200)).body.data;

  /** Restaurants whose POS gives this answer, each with orders that wait. */
  const refusing = (prefix: string, restaurants: number, cause: string, error: string, orders = 1) =>
    query(
      `WITH place AS (
         INSERT INTO restaurants (id, name, slug) SELECT gen_random_uuid(), $1 || n, $1 || n FROM generate_series(1, $2::int) n RETURNING id),
       event AS (
         INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
         SELECT $1 || n, $1 || n, false, id, '{}' FROM place, generate_series(1, $5::int) n RETURNING transaction_key, restaurant_id),
       outage AS (INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT id, now() - interval '9 minutes', now() FROM place)
       INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, attempts, cause, last_error, next_run_at, created_at)
       SELECT gen_random_uuid(), transaction_key, restaurant_id, 'FAILED', 1, $3, $4, now() + interval '1 minute', now() - interval '8 minutes' FROM event`,
      [prefix, restaurants, cause, error, orders],
    );

  test('restaurants are grouped by what the POS answers; of each group 20 are named (R60, G50)', async () => {
    expect(await incidents()).toEqual([]);
    await refusing('down', 25, 'failing', 'HTTP 503: maintenance until 09:12', 7);
    await refusing('cantina', 1, 'sign_in', 'POS sign-in failed: HTTP 401: unknown partner', 2);
    await refusing('old', 1, 'unanswered', 'no answer from the POS: ECONNREFUSED: connect ECONNREFUSED 10.0.0.1:443');
    const [vendor, signIn, other, ...rest] = await incidents();
    expect(rest).toEqual([]);
    expect(vendor).toMatchObject({
      ...{
        kind: 'VENDOR_DOWN',
        cause: 'failing',
        answer: 'HTTP 503: maintenance until #',
        restaurants: 25,
        orders: 175,
      },
      ...{ since: expect.any(String), oldest: expect.any(String), more: 5, minutes: null, key: null },
    });
    expect(vendor?.affected).toHaveLength(20);
    expect(vendor?.affected[0]).toMatchObject({ orders: 7, since: expect.any(String), jobId: expect.any(String) });
    expect(signIn).toMatchObject({
      kind: 'SIGN_IN',
      restaurants: 1,
      orders: 2,
      affected: [{ name: 'cantina1' }],
      more: 0,
    });
    expect(other).toMatchObject({
      kind: 'POS_REFUSES',
      cause: 'unanswered',
      restaurants: 1,
      affected: [{ name: 'old1' }],
    });
  });

  test('each says what helps in the words of the messages, in the language of the request (R60, G8)', async () => {
    await refusing('down', 3, 'failing', 'HTTP 503: maintenance');
    await refusing('out', 1, 'sign_in', 'POS sign-in failed: HTTP 401: unknown partner');
    await refusing('old', 1, 'unanswered', 'no answer from the POS: ECONNREFUSED: connect ECONNREFUSED 10.0.0.1:443');
    const help = async (query: string) => {
      const { body } = await scenario.relay.api.get(`/admin/incidents${query}`, admin).expect(200);
      return body.data.map((incident: { kind: string; help: string }) => [incident.kind, incident.help]);
    };
    expect(await help('')).toEqual([
      [
        'VENDOR_DOWN',
        expect.stringMatching(
          /It answers: HTTP 503: maintenance. Call its vendor.*not notified of it: they can do nothing about it/,
        ),
      ],
      ['SIGN_IN', expect.stringContaining('Check partner id and secret')],
      ['POS_REFUSES', expect.stringMatching(/sent automatically.* Do not enter it in the till by hand/)],
    ]);
    expect(await help('?language=pt-BR')).toEqual([
      ['VENDOR_DOWN', expect.stringContaining('Chame o fornecedor.')],
      ['SIGN_IN', expect.stringContaining('Verifique parceiro e segredo')],
      ['POS_REFUSES', expect.stringContaining('Não o lance no caixa à mão')],
    ]);
    await scenario.relay.api.get('/admin/incidents?language=fr', admin).expect(400);
  });

  test('while no process delivers, that comes first, in the words of the messages, with the last one (R60, G58)', async () => {
    await refusing('down', 3, 'failing', 'HTTP 503: maintenance');
    const process = (id: string, delivers: boolean, ago: string) =>
      query(
        `INSERT INTO relay_instances (id, version, host, worker_enabled, pace, last_seen_at) VALUES ($1, '1', $1, $2, 'eager', now() - $3::interval)`,
        [id, delivers, ago],
      );
    await process('desk:1', false, '1 second');
    await process('kitchen:1', true, '5 minutes');
    const [first, second] = await incidents();
    expect(first).toMatchObject({
      kind: 'NOTHING_SENT',
      title: 'The relay sends nothing: no process that delivers is alive',
      help: expect.stringMatching(/WORKER_ENABLED=true.*log of kitchen:1/),
      since: expect.any(String),
    });
    expect(second).toMatchObject({ kind: 'VENDOR_DOWN', title: null });
    const { body } = await scenario.relay.api.get('/admin/incidents?language=pt-BR', admin).expect(200);
    expect(body.data[0].title).toBe('O relay não envia nada: nenhum processo que entrega está vivo');
    await process('kitchen:2', true, '1 second');
    expect((await incidents()).map(({ kind }) => kind)).toEqual(['VENDOR_DOWN']);
    await query('DELETE FROM relay_instances');
  });

  test('orders that are due and not sent, by restaurant; a slow database; a refused key (R60, G51, G53, G54)', async () => {
    await refusing('busy', 1, 'failing', 'HTTP 503', 120);
    await query('DELETE FROM pos_outages');
    await query(`UPDATE outbox_jobs SET next_run_at = now() - interval '3 minutes'`);
    await query(
      `INSERT INTO relay_instances (id, version, host, worker_enabled, pace, database_ms, slow_checks) VALUES ('a:1', '1', 'a', true, 'eager', 1800, 3)`,
    );
    await query(
      `INSERT INTO sender_keys (id, name, kind, key_id, token_hash, scopes, revoked_at, refused_at, refused_since, refused_count, refused_reason)
       VALUES (gen_random_uuid(), 'Bar', 'TOKEN', 'Aa000001', repeat('a', 64), '{sales:write}', now(), now(), now(), 5, 'revoked')`,
    );
    const found = await incidents();
    expect(found.map(({ kind }) => kind)).toEqual(['BACKLOG', 'DATABASE_SLOW', 'SENDER_REFUSED']);
    // two causes at once: what helps against the one would harm the other
    expect(found[0]?.help).toContain('The database is slow: mend that first.');
    expect(found).toMatchObject([
      {
        orders: 120,
        restaurants: 1,
        minutes: null,
        oldest: expect.any(String),
        affected: [{ name: 'busy1', orders: 120 }],
      },
      { databaseMs: 1800 },
      { key: { keyId: 'Aa000001', name: 'Bar', keys: 1, count: 5, reason: 'revoked' }, affected: [] },
    ]);
    await query(`DELETE FROM relay_instances WHERE id = 'a:1'`);
    await query('DELETE FROM sender_keys');
  });

  test('only platform administrators read it (R5)', async () => {
    await scenario.relay.api.get('/admin/incidents', (await scenario.person()).token).expect(403);
  });
});
