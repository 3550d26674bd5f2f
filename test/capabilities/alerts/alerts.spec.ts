import { titleOf } from '../../../src/capabilities/alerts/message.js';
import { allConditions } from '../../../src/platform/conditions/condition.js';
import { LANGUAGES } from '../../../src/platform/http/fields/languages.js';
import { sale } from '../../support/client.js';
import { MARK } from '../../support/secrets.js';
import { readSpecification } from '../../support/specification.js';
import { Evening } from './evening.js';

describe('alerts', () => {
  const evening = Evening.ofSuite();
  let roma: Awaited<ReturnType<Evening['scenario']['restaurant']>>;

  beforeEach(async () => {
    roma = await evening.scenario.store();
    evening.reach(roma.owner.id);
  });

  const parked = async (changes: object = {}) => evening.scenario.settle(await roma.sell(changes), 'DLQ', 'unknown X1');
  const only = async () => {
    const alerts = await evening.alerts();
    expect(alerts).toHaveLength(1);
    return alerts[0] as (typeof alerts)[number];
  };

  test('one open alert for each cause of a restaurant, however many orders and rounds (G1)', async () => {
    await parked();
    await evening.round();
    await parked();
    await evening.round();
    expect(await only()).toMatchObject({ kind: 'ORDER_PARKED', cause: 'refused', count: 2, restaurant_id: roma.id });
    const { database } = evening.scenario;
    await expect(
      database.query(
        `INSERT INTO alerts (id, kind, count, dedup_key) SELECT gen_random_uuid(), kind, 1, dedup_key FROM alerts`,
      ),
    ).rejects.toThrow(/alerts_dedup_key_key/);
    await expect(database.query('UPDATE alerts SET closed_at = now()')).rejects.toThrow(/alerts_closed_check/);
  });

  test('an alert has the order of its own restaurant, also when another one has an order with the same key (G1, W19)', async () => {
    const { database } = evening.scenario;
    const other = await evening.scenario.store();
    const transactionKey = 'T-OF-TWO';
    await evening.scenario.settle(await other.sell({ transactionKey, transactionNumber: 'other' }), 'SENT');
    const job = await roma.sell({ transactionKey, transactionNumber: 'own' });
    const details = async () => {
      await evening.round();
      return database.query('SELECT kind, restaurant_id, details FROM alerts WHERE closed_at IS NULL');
    };
    const own = {
      restaurant_id: roma.id,
      details: expect.objectContaining({ transactionKey, transactionNumber: 'own' }),
    };

    await evening.scenario.jobs.receivedAt(job, new Date(Date.now() - 301_000).toISOString());
    expect(await details()).toMatchObject([{ kind: 'ORDER_LATE', ...own }]);
    await evening.scenario.settle(job, 'FAILED');
    await database.query(`INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1, now(), now())`, [
      roma.id,
    ]);
    expect(await details()).toContainEqual(expect.objectContaining({ ...own, kind: 'POS_REFUSES' }));
    await database.query('DELETE FROM pos_outages');
    await evening.scenario.settle(job, 'DLQ');
    expect(await details()).toContainEqual(expect.objectContaining({ ...own, kind: 'ORDER_PARKED' }));
  });

  test('each kind is in the document with its meaning, and a rule names it (G1)', async () => {
    const { components } = (await evening.scenario.relay.http.get('/docs-json').expect(200)).body;
    const { enum: kinds, description } = components.schemas.AlertKind;
    expect(allConditions().length).toBeGreaterThan(10);
    expect(kinds).toEqual(
      allConditions()
        .map(({ kind }) => kind)
        .toSorted(),
    );
    const rules = readSpecification();
    for (const { kind, meaning } of allConditions()) {
      expect(description).toContain(`${kind}: ${meaning}`);
      expect(rules).toContain(`\`${kind}\``);
    }
  });

  test('the list has the title of the messages without the name of the restaurant, in the language of the request (G56)', async () => {
    await parked();
    await evening.begin();
    const titles = async (query: string) => {
      const { body } = await evening.scenario.api.get(`/restaurants/${roma.id}/alerts${query}`, roma.token).expect(200);
      return body.data.map(({ title }: { title: string }) => title);
    };
    expect(await titles('')).toEqual(['1 order is paid, but not in the POS']);
    expect(await titles('?language=pt-BR')).toEqual(['1 pedido pago não está no PDV']);
    expect(evening.told()).toEqual([expect.stringMatching(/.: 1 order is paid, but not in the POS/)]);
    await evening.scenario.api.get(`/restaurants/${roma.id}/alerts?language=fr`, roma.token).expect(400);
  });

  test('every kind has a title in each language, which begins with a capital letter or a digit; without its module it is the name (G56)', () => {
    const of = (kind: string, language: (typeof LANGUAGES)[number]) =>
      titleOf({ kind, count: 2, details: { name: 'Bar' }, timezone: null, language });
    for (const { kind } of allConditions())
      for (const language of LANGUAGES) {
        expect(of(kind, language)).toMatch(/^[\p{Lu}\d].{10,}/u);
        expect(of(kind, language)).not.toContain('undefined');
      }
    expect(of('OF_ANOTHER', 'en')).toBe('OF_ANOTHER');
  });

  test('an alert of a kind that this process does not know is left to those that know it (G2)', async () => {
    await parked();
    await evening.begin();
    const { length } = evening.sent;
    const { database } = evening.scenario;
    await database.query(
      `UPDATE alerts SET kind = 'OF_ANOTHER', dedup_key = 'OF_ANOTHER:1', next_step_at = now() - interval '1 minute',
         last_at = now() - interval '1 hour'`,
    );
    await database.query(`UPDATE notifications SET state = 'WAITING', next_try_at = now()`);
    const unknown = async () => (await evening.alerts()).find(({ kind }) => kind === 'OF_ANOTHER');
    const before = await unknown();
    await evening.round();
    expect(await unknown()).toEqual(before);
    expect(evening.sent.slice(length).filter(({ message }) => message.fields.kind === 'OF_ANOTHER')).toEqual([]);
  });

  test('orders that were parked more than a day ago, withdrawn ones and those of a deleted restaurant open none (G1)', async () => {
    const { database } = evening.scenario;
    await parked();
    await database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '25 hours'`);
    await evening.round();
    expect(await evening.alerts()).toEqual([]);
    const cancelled = await parked();
    await evening.scenario.cancel(roma.id, await evening.scenario.keyOf(cancelled), roma.token).expect(202);
    await evening.scenario.relay.tick();
    await evening.round();
    expect(await evening.alerts()).toEqual([]);
    await parked();
    await database.query('UPDATE restaurants SET deleted_at = now()');
    await evening.round();
    expect(await evening.alerts()).toEqual([]);
  });

  test('an order that waits for more than 5 minutes is late; a restaurant whose every attempt fails has one alert for both (G1)', async () => {
    const job = await evening.scenario.settle(await roma.sell(), 'FAILED');
    await evening.round();
    expect(await evening.alerts()).toEqual([]);
    await evening.scenario.jobs.receivedAt(job, new Date(Date.now() - 301_000).toISOString());
    await evening.round();
    expect(await only()).toMatchObject({ kind: 'ORDER_LATE', cause: 'failing', count: 1 });
    const { database } = evening.scenario;
    await database.query(`INSERT INTO pos_outages (restaurant_id, began_at, failed_at) VALUES ($1, now(), now())`, [
      roma.id,
    ]);
    await evening.after(1);
    const rows = (await evening.alerts()).map(({ kind, closed_at }) => [kind, closed_at !== null]);
    expect(rows.sort()).toEqual([
      ['ORDER_LATE', true],
      ['POS_REFUSES', false],
    ]);
  });

  test('sales under the key of another one are one alert of the restaurant, until the last is older than a day (G40)', async () => {
    const { database, relay } = evening.scenario;
    const sold = sale({ storeCode: undefined, restaurantId: roma.id, transactionNumber: '1' });
    await relay.accept(sold);
    for (const totalAmount of [1, 2]) await relay.post({ ...sold, totalAmount, transactionNumber: '77' }).expect(400);
    await evening.round();
    expect(await only()).toMatchObject({
      ...{ kind: 'KEY_REUSED', count: 2, restaurant_id: roma.id },
      details: { transactionKey: sold.transactionKey, transactionNumber: '77', paidCents: 7980 },
    });
    await database.query(`UPDATE alerts SET acknowledged_at = now(), next_step_at = NULL`);
    await evening.round();
    expect(await only()).toMatchObject({ next_step_at: null });
    await relay.post({ ...sold, totalAmount: 3 }).expect(400);
    await evening.round();
    expect(await only()).toMatchObject({ count: 3, acknowledged_at: null });
    await database.query(`UPDATE refused_sales SET received_at = now() - interval '25 hours'`);
    await evening.after(1);
    expect((await evening.alerts()).map(({ closed_at }) => closed_at !== null)).toEqual([true]);
  });

  test('with OUTBOX_PACE=tick three failed attempts within ALARM_REFUSING_MS are a POS that refuses (G1)', async () => {
    const relay = await evening.scenario.start({ OUTBOX_PACE: 'tick' });
    evening.scenario.pos.behave({ mode: 'status', status: 503 });
    for (let i = 0; i < 3; i++) {
      await roma.sell();
      await relay.tick();
    }
    await evening.round(relay);
    expect(await only()).toMatchObject({ kind: 'POS_REFUSES', count: 3 });
  });

  test('a process that ended without a stop; one that was started again on its host is not missing (G1)', async () => {
    const { database } = evening.scenario;
    const instance = (id: string, host: string, seen: string, started: string) =>
      database.query(
        `INSERT INTO relay_instances (id, version, host, started_at, last_seen_at, worker_enabled, pace)
         VALUES ($1, '1', $2, now() - $4::interval, now() - $3::interval, true, 'eager')`,
        [id, host, seen, started],
      );
    await instance('kitchen:1', 'kitchen', '2 minutes', '1 hour');
    await instance('bar:1', 'bar', '2 minutes', '1 hour');
    await instance('bar:2', 'bar', '1 second', '1 minute');
    await evening.round();
    expect(await only()).toMatchObject({ kind: 'INSTANCE_LOST', restaurant_id: null, details: { name: 'kitchen:1' } });
    await database.query(`DELETE FROM relay_instances WHERE id = 'kitchen:1'`);
    await evening.after(1);
    expect((await only()).closed_at).not.toBeNull();
  });

  test('a printer that has not asked for three intervals is away, with its name (G1)', async () => {
    const { database } = evening.scenario;
    await database.query(
      `INSERT INTO printers (id, restaurant_id, name, token_hash, last_poll_at)
       VALUES (gen_random_uuid(), $1, 'Kitchen', 'digest', now() - interval '2 minutes')`,
      [roma.id],
    );
    await evening.begin();
    expect(await only()).toMatchObject({ kind: 'PRINTER_AWAY', restaurant_id: roma.id });
    expect(evening.told()).toEqual([expect.stringContaining('the printer Kitchen does not answer')]);
    await database.query('UPDATE printers SET last_poll_at = now()');
    await evening.after(1);
    expect((await only()).closed_at).not.toBeNull();
  });

  test('it closes when its cause is gone, and not while an order is under way for a moment (G3)', async () => {
    const job = await parked();
    await evening.round();
    await evening.scenario.jobs.reset(job);
    await evening.round();
    expect((await only()).closed_at).toBeNull();
    await evening.after(0.5);
    expect((await only()).closed_at).not.toBeNull();
  });

  test('it tells nobody in the first minute; a cause that is gone by then tells nobody at all (G4)', async () => {
    const job = await parked();
    await evening.round();
    await evening.after(0.9);
    expect(evening.told()).toEqual([]);
    await evening.scenario.settle(job, 'SENT');
    await evening.scenario.jobs.reset(job);
    await evening.scenario.settle(job, 'SENT');
    await evening.after(1);
    await evening.after(10);
    expect(evening.told()).toEqual([]);
  });

  test('push at once, mail after 5 minutes, mail to OWNERs and the webhook after 15, then every 30 minutes five times (G4)', async () => {
    evening.hasWebhook = true;
    const manager = await evening.staff(roma.id, 'MANAGER');
    evening.reach(manager.id, { channels: ['mail'] });
    const cook = await evening.staff(roma.id, 'EMPLOYEE');
    evening.reach(cook.id);
    await parked();
    await evening.begin();
    const sentTo = () =>
      evening.sent.splice(0).map(({ recipient }) => {
        if (recipient.channel === 'webhook') return 'webhook';
        return `${recipient.channel} ${recipient.userId === roma.owner.id ? 'owner' : recipient.userId === manager.id ? 'manager' : 'cook'}`;
      });
    expect(sentTo().sort()).toEqual(['push owner']);
    await evening.after(4);
    expect(sentTo()).toEqual([]);
    await evening.after(1.1);
    expect(sentTo().sort()).toEqual(['mail manager', 'mail owner']);
    await evening.after(10.1);
    expect(sentTo().sort()).toEqual(['mail owner', 'webhook']);
    for (let i = 0; i < 5; i++) {
      await evening.after(29);
      expect(sentTo()).toEqual([]);
      await evening.after(1.1);
      expect(sentTo().sort()).toEqual(['mail manager', 'push owner']);
    }
    await evening.after(600);
    expect(sentTo()).toEqual([]);
  });

  test('told are also those who switched it on; never who has not accepted the link, nor people of another restaurant (G4)', async () => {
    const other = await evening.scenario.restaurant();
    evening.reach(other.owner.id);
    const cook = await evening.staff(roma.id, 'EMPLOYEE');
    evening.reach(cook.id, { always: true });
    const stranger = await evening.scenario.staff(roma.id, 'OWNER');
    evening.reach(stranger.id);
    await parked();
    await evening.begin();
    const told = evening.sent.map(({ recipient }) => (recipient as { userId: string }).userId);
    expect(told.sort()).toEqual([roma.owner.id, cook.id].sort());
  });

  test('administrators of the platform are notified of its alerts, and of no others (G4)', async () => {
    const admin = await evening.scenario.person('ADMIN');
    evening.reach(admin.id);
    await evening.scenario.database.query(
      `INSERT INTO relay_instances (id, version, host, last_seen_at, worker_enabled, pace)
       VALUES ('bar:1', '1', 'bar', now() - interval '2 minutes', true, 'eager')`,
    );
    await parked();
    await evening.begin();
    const told = evening.sent.map(({ recipient, message }) => [
      (recipient as { userId: string }).userId,
      message.title,
    ]);
    expect(told.sort()).toEqual(
      [
        [admin.id, 'The relay process bar:1 ended without a stop'],
        [roma.owner.id, expect.stringContaining('1 order is paid, but not in the POS')],
      ].sort(),
    );
  });

  test('the end is sent to those who were notified, once (G3)', async () => {
    const late = await evening.staff(roma.id, 'MANAGER');
    const job = await parked();
    await evening.begin();
    await evening.after(5.1);
    expect(evening.told()).toHaveLength(2);
    evening.reach(late.id);
    await evening.scenario.jobs.reset(job);
    await evening.scenario.settle(job, 'SENT');
    await evening.after(2);
    expect(evening.told()).toEqual([expect.stringMatching(/^push .*: solved/)]);
    await evening.after(20);
    expect(evening.told()).toEqual([]);
  });

  const FAILING = `UPDATE outbox_jobs SET status = 'FAILED', cause = 'failing', last_error = 'HTTP 503', attempts = 1, next_run_at = now() + interval '1 hour';
    INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT restaurant_id, now(), now() FROM outbox_jobs`;
  const PULLING = `UPDATE restaurants SET pos_vendor = 'open-delivery', pulls = true;
    INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash, polled_at)
    SELECT gen_random_uuid(), restaurant_id, 'Till', 'digest', now() - interval '4 minutes' FROM outbox_jobs`;
  const WITHDRAWN = `UPDATE outbox_jobs SET status = 'DLQ', withdrawn = true, next_run_at = NULL`;
  const SENT = `UPDATE outbox_jobs SET status = 'SENT', next_run_at = NULL, attempts = 1, cause = NULL, last_error = NULL`;
  test.each([
    [
      'ORDER_PARKED',
      `UPDATE outbox_jobs SET status = 'DLQ', cause = 'refused', last_error = 'HTTP 400', next_run_at = NULL`,
      `UPDATE outbox_jobs SET updated_at = now() - interval '25 hours'`,
      'none was parked for this reason for 24 h; those of before are still parked, and not in the POS',
      `UPDATE outbox_jobs SET resolved_at = now()`,
    ],
    [
      'POS_REFUSES',
      FAILING,
      WITHDRAWN,
      'no order waits for the POS now, or nothing is sent to it; it has taken none since',
      'UPDATE pos_outages SET ended_at = now()',
    ],
    [
      'ORDER_LATE',
      `UPDATE outbox_jobs SET created_at = now() - interval '6 minutes', next_run_at = now() - interval '6 minutes'`,
      FAILING,
      'orders still wait; another alert, or the pause, says why',
      SENT,
    ],
    [
      'POS_SILENT',
      `UPDATE outbox_jobs SET next_run_at = now() - interval '4 minutes'; ${PULLING}`,
      WITHDRAWN,
      'no order waits to be fetched now; the POS has not asked since',
      'UPDATE pos_credentials SET polled_at = now()',
    ],
    [
      'NOT_ACCEPTED',
      `${PULLING}; ${SENT};
       INSERT INTO unheard_orders (job_id, restaurant_id, delivered_at) SELECT id, restaurant_id, now() - interval '6 minutes' FROM outbox_jobs`,
      'UPDATE restaurants SET pos_vendor = NULL, pulls = false',
      'the POS has not said whether it accepts orders of before; nobody is reminded of them any more',
      `INSERT INTO pos_acceptances (id, restaurant_id, job_id, "offer", state) SELECT gen_random_uuid(), restaurant_id, id, 0, 'ACCEPTED' FROM outbox_jobs`,
    ],
  ])(
    '%s: an alert that closes says that it is solved only when it is (G3)',
    async (kind, begin, unsolved, ended, solved) => {
      const { database } = evening.scenario;
      const closed = async (how: string) => {
        await roma.sell();
        await database.query(begin);
        await evening.begin();
        expect(evening.told()).toHaveLength(1);
        await database.query(how);
        await evening.after(1);
        await evening.after(2);
        const [message] = evening.sent
          .splice(0)
          .flatMap(({ message }) => (message.fields.kind === kind ? [message] : []));
        const [alert] = (await evening.alerts()).filter((each) => each.kind === kind);
        return [message?.title.split(': ')[1], message?.text, alert?.details.solved];
      };
      expect(await closed(unsolved)).toEqual([ended, 'It is not solved: open the page.', false]);
      await evening.scenario.empty();
      roma = await evening.scenario.store();
      evening.reach(roma.owner.id);
      expect(await closed(solved)).toEqual([
        expect.stringMatching(/^solved, /),
        'There is nothing more to do.',
        undefined,
      ]);
    },
  );

  test('POS_REFUSES is solved by an order that the POS took since, and not by one that it took before (G3)', async () => {
    const { database, jobs } = evening.scenario;
    await evening.scenario.settle(await roma.sell(), 'SENT');
    await database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '1 hour';
      UPDATE delivery_attempts SET started_at = now() - interval '1 hour'`);
    const job = await roma.sell();
    const closedAfter = async (what: () => Promise<unknown>) => {
      await database.query(
        `UPDATE outbox_jobs SET status = 'FAILED', cause = 'failing', last_error = 'HTTP 503', attempts = 1, next_run_at = now() + interval '1 hour'
         WHERE id = '${job}';
         INSERT INTO pos_outages (restaurant_id, began_at, failed_at) SELECT restaurant_id, now(), now() FROM outbox_jobs WHERE id = '${job}'`,
      );
      await evening.begin();
      await what();
      await database.query('DELETE FROM pos_outages');
      await evening.after(1);
      await evening.after(2);
      return (await evening.alerts()).filter(({ kind }) => kind === 'POS_REFUSES').map(({ details }) => details.solved);
    };
    expect(await closedAfter(async () => {})).toEqual([false]);
    const taken = async () => {
      await jobs.reset(job);
      await evening.scenario.settle(job, 'SENT');
    };
    expect(await closedAfter(taken)).toEqual([false, undefined]);
  });

  test('KEY_REUSED closes by its age, and is not called solved (G3, G40)', async () => {
    const { database } = evening.scenario;
    await database.query(
      `INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, net_cents, payload)
       VALUES (gen_random_uuid(), $1::uuid, 'SALE-1', repeat('0', 64), '{items}', 100, '{}')`,
      [roma.id],
    );
    await evening.begin();
    expect(evening.told()).toHaveLength(1);
    await database.query(`UPDATE refused_sales SET received_at = now() - interval '25 hours'`);
    await evening.after(1);
    await evening.after(2);
    expect(evening.sent.splice(0).map(({ message }) => [message.title.split(': ')[1], message.text])).toEqual([
      [expect.stringContaining('only if somebody entered them'), 'It is not solved: open the page.'],
    ]);
  });

  test('a cancel that the POS does not take is late, as an order is (G1)', async () => {
    const { database, jobs } = evening.scenario;
    const job = await evening.scenario.settle(await roma.sell(), 'SENT');
    const key = await evening.scenario.keyOf(job);
    const { body } = await evening.scenario.cancel(roma.id, key, roma.token).expect(202);
    await evening.round();
    expect(await evening.alerts()).toEqual([]);
    await evening.scenario.settle(body.data.jobId, 'FAILED');
    await database.query(`UPDATE outbox_jobs SET created_at = now() - interval '6 minutes' WHERE action = 'CANCEL'`);
    await evening.begin();
    expect(await only()).toMatchObject({ kind: 'ORDER_LATE', count: 1, details: { transactionKey: key } });
    expect(evening.told()).toEqual([expect.stringContaining('1 order or cancel has waited for the POS')]);
    await jobs.makeDue(body.data.jobId);
    await evening.scenario.relay.tick();
    await evening.after(1);
    await evening.after(2);
    expect(evening.told()).toEqual([expect.stringContaining('solved, none waits for so long any more')]);
  });

  test('an order that is parked after somebody acknowledged begins a new round; those of before do not (G6)', async () => {
    await parked();
    await evening.begin();
    const { id } = await only();
    const acknowledge = () =>
      evening.scenario.api.post(`/restaurants/${roma.id}/alerts/${id}/acknowledge`, roma.token, {}).expect(200);
    await acknowledge();
    evening.told();
    await evening.after(60);
    expect(evening.told()).toEqual([]);
    await parked();
    await evening.round();
    await evening.after(1.1);
    expect(evening.told()).toEqual([expect.stringContaining('2 orders are paid, but not in the POS')]);
    expect(await only()).toMatchObject({ id, acknowledged_at: null });
  });

  test('1,000 orders parked at once: one alert, at most 6 messages (G8)', async () => {
    evening.hasWebhook = true;
    await parked();
    await evening.scenario.database.query(`
      WITH event AS (
        INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload)
        SELECT 'many-' || n, 'many-' || n, false, restaurant_id, '{}' FROM terminal_events, generate_series(1, 999) n
        RETURNING transaction_key, restaurant_id)
      INSERT INTO outbox_jobs (id, event_key, restaurant_id, status, next_run_at, cause, last_error)
      SELECT gen_random_uuid(), transaction_key, restaurant_id, 'DLQ', NULL, 'refused', 'unknown X1' FROM event`);
    await evening.begin();
    for (const minutes of [5.1, 10.1, 1]) await evening.after(minutes);
    await evening.scenario.database.query(`UPDATE outbox_jobs SET updated_at = now() - interval '2 days'`);
    await evening.after(2);
    const told = evening.told();
    expect(told.length).toBeLessThanOrEqual(6);
    expect(told[0]).toContain('1,000+ orders are paid, but not in the POS');
    expect(await only()).toMatchObject({ count: 1_000 });
  });

  test('two rounds at the same time open one alert and tell once (G2)', async () => {
    const second = await evening.scenario.start();
    evening.replaceChannels(second);
    await parked();
    await Promise.all([evening.round(), evening.round(second)]);
    await evening.scenario.database.query(`UPDATE alerts SET next_step_at = now() - interval '1 second'`);
    await Promise.all([evening.round(), evening.round(second)]);
    await Promise.all([evening.round(), evening.round(second)]);
    expect(evening.told()).toHaveLength(1);
    await only();
  });

  test('closed alerts are removed after 30 days (G1)', async () => {
    const job = await parked();
    await evening.round();
    await evening.scenario.jobs.reset(job);
    await evening.after(1);
    await evening.after(29 * 24 * 60);
    await only();
    await evening.after(2 * 24 * 60);
    expect(await evening.alerts()).toEqual([]);
  });

  test('the page lists the open ones first, with who was notified and what became of it; every role may read it (G11)', async () => {
    const job = await parked({ transactionNumber: '107' });
    await evening.begin();
    await evening.scenario.jobs.reset(job);
    await evening.after(1);
    await parked();
    evening.answer = () => ({ outcome: 'FAILED', reason: 'the push service answered 403' });
    await evening.begin();
    const viewer = await evening.staff(roma.id, 'VIEWER');
    const { body } = await evening.scenario.api.get(`/restaurants/${roma.id}/alerts`, viewer.token).expect(200);
    expect(body.data.map(({ closedAt }: { closedAt: string }) => closedAt === null)).toEqual([true, false]);
    expect(body.data[0].told).toMatchObject([
      { channel: 'push', state: 'FAILED', reason: 'the push service answered 403' },
    ]);
    expect(body.data[1]).toMatchObject({ details: { transactionNumber: '107' }, told: [{}, { state: 'SENT' }] });
    expect(JSON.stringify(body)).not.toContain(MARK);
    const stranger = await evening.scenario.person();
    await evening.scenario.api.get(`/restaurants/${roma.id}/alerts`, stranger.token).expect(403);
    await evening.scenario.api.get('/admin/alerts', roma.token).expect(403);
  });

  test('the list has every open alert, urgent kinds first, however many are newer; a cursor of the version before goes on in the closed ones (G11, G57)', async () => {
    const { query } = evening.scenario.database;
    const admin = await evening.scenario.person('ADMIN');
    await query(
      `INSERT INTO alerts (id, kind, dedup_key, count, opened_at, closed_at)
       SELECT gen_random_uuid(), kind, CASE WHEN is_open THEN kind || n END, 1, now() - n * interval '1 minute' - older, CASE WHEN NOT is_open THEN now() END
       FROM (VALUES ('SENDER_REFUSED', true, 205, interval '0'), ('BACKLOG', true, 102, interval '1 day'), ('SIGN_IN', false, 3, interval '0'))
         AS alert (kind, is_open, number, older), generate_series(1, number) n`,
    );
    const listed: { id: string; kind: string; openedAt: string; closedAt: string | null }[][] = [];
    for (let after = ''; listed.length < 9; ) {
      const { body } = await evening.scenario.api.get(`/admin/alerts?limit=2${after}`, admin.token).expect(200);
      listed.push(body.data);
      if (body.meta.next === null) break;
      after = `&after=${body.meta.next}`;
    }
    const rows = await query(
      `SELECT id::text FROM alerts ORDER BY closed_at IS NOT NULL, kind = 'BACKLOG' DESC, opened_at DESC, id DESC`,
    );
    expect(listed.flat().map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
    expect(listed.map((page) => page.length)).toEqual([100, 100, 100, 9, 1]);
    const [closed] = listed.flat().filter(({ closedAt }) => closedAt !== null);
    const before = Buffer.from(`${closed?.openedAt} ${closed?.id}`).toString('base64url');
    const { body } = await evening.scenario.api.get(`/admin/alerts?after=${before}`, admin.token).expect(200);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(rows.slice(-2).map(({ id }) => id));
    for (const wrong of ['other.', `first.${before}`, 'urgent.x'])
      await evening.scenario.api.get(`/admin/alerts?after=${wrong}`, admin.token).expect(400);
  });
});
