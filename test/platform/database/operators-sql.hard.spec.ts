import { createHash, randomUUID } from 'node:crypto';
import type { PosSimulator } from '../../../tools/simulator/simulator.js';
import type { Jobs } from '../../outbox/jobs.js';
import { sale } from '../../support/client.js';
import type { TestDatabase } from '../../support/database.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { NEEDS_PSQL, psql, STATEMENTS, testWithPsql } from './psql.js';

type Values = Record<string, string>;

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const ELSEWHERE = { storeCode: 'STORE-2' };
/** Characters that are special in SQL, LIKE, psql or a shell. */
const AWKWARD = `it's "100%_off"; \\ $$ --`;

describe(`prisma/sql/*.sql, run by psql (R10)${NEEDS_PSQL}`, () => {
  const test = testWithPsql;
  const scenario = Scenario.ofSuite();
  let database: TestDatabase;
  let jobs: Jobs;
  let pos: PosSimulator;
  let relay: TestRelay;
  let restaurantId: string;
  let otherId: string;
  /** the files that ran to their end */
  const ran = new Set<string>();

  beforeAll(async () => {
    ({ database, jobs, pos, relay } = scenario);
    restaurantId = await relay.createRestaurant();
    otherId = await relay.createRestaurant({ name: 'Trattoria', codeStoreTerminal: 'STORE-2' });
  });
  afterEach(async () => {
    pos.behave({ mode: 'ok' });
    await database.query('DELETE FROM outbox_jobs');
    await database.query('DELETE FROM terminal_events');
    await database.query('DELETE FROM spent_keys');
    await database.query('UPDATE restaurants SET deleted_at = NULL');
  });

  async function run(file: string, variables?: Values): Promise<string> {
    const printed = await psql(database, file, variables);
    ran.add(file);
    return printed;
  }
  const statuses = async (...ids: string[]) => Promise.all(ids.map(async (id) => (await jobs.get(id)).status));

  async function sent(changes?: Record<string, unknown>): Promise<string> {
    const id = await relay.accept(sale(changes));
    await relay.tick();
    return id;
  }

  async function refused(status: number, message = 'no', changes?: Record<string, unknown>): Promise<string> {
    pos.behave({ mode: 'status', status, errorCode: 310, message });
    const id = await sent(changes);
    pos.behave({ mode: 'ok' });
    return id;
  }
  const parked = (message?: string, changes?: Record<string, unknown>) => refused(422, message, changes);
  const failed = (message?: string) => refused(503, message);

  const waiting = (changes?: Record<string, unknown>) => relay.accept(sale(changes));

  /** A job that was claimed `seconds` ago. */
  async function processing({ seconds = 1 } = {}): Promise<string> {
    const id = await relay.accept(sale());
    await database.query(
      `UPDATE outbox_jobs SET status = 'PROCESSING', attempts = 1, locked_by = 'worker-7/' || gen_random_uuid(),
         processing_at = now() - $2::int * interval '1 second' WHERE id = $1`,
      [id, seconds],
    );
    return id;
  }

  /** A withdrawn CREATE job. */
  async function withdrawn(): Promise<string> {
    const id = await relay.accept(sale());
    const path = `/restaurants/${restaurantId}/orders/${(await jobs.get(id)).event_key}/cancel`;
    await relay.http
      .post(path)
      .auth(await relay.login(), { type: 'bearer' })
      .expect(202);
    await relay.tick();
    return id;
  }

  /** A parked job whose sale was erased (W40). */
  async function erased(): Promise<string> {
    const id = await parked();
    await database.query('UPDATE terminal_events SET payload = erased_payload(payload), erased_at = now()');
    return id;
  }

  /** A job that was settled by hand: its order was entered in the till (R65). */
  async function entered(changes?: Record<string, unknown>): Promise<string> {
    const id = await parked('no', changes);
    await database.query(
      `WITH job AS (UPDATE outbox_jobs SET resolved_at = now() WHERE id = $1 RETURNING event_key)
       UPDATE terminal_events SET entered_at = now(), entered_by = 'Ana', entered_note = 'at the bar' FROM job WHERE transaction_key = event_key`,
      [id],
    );
    return id;
  }

  const everything = () =>
    database.query(`SELECT 'job' AS what, j::text FROM outbox_jobs j UNION ALL SELECT 'event', e::text FROM terminal_events e
      UNION ALL SELECT 'attempt', a::text FROM delivery_attempts a
      UNION ALL SELECT 'audit', a::text FROM audit_entries a ORDER BY 1, 2`);

  /** A parked order of a restaurant that was deleted afterwards. */
  async function ofDeletedRestaurant(): Promise<string> {
    const id = await parked('no', ELSEWHERE);
    await database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [otherId]);
    return id;
  }

  const job = (make: () => Promise<string>) => async () => ({ job: await make() });
  const order = (make: () => Promise<string>) => async () => ({
    ...{ restaurant: restaurantId, key: (await jobs.get(await make())).event_key },
  });
  const given = (values: Values) => async () => values;
  const missing = (variable: string) => new RegExp(`ERROR: +\\S.*\\? call it with -v ${variable}=`);
  const UNDER_WAY = /on its way to the POS: wait for/;

  test.each<[file: string, what: string, values: () => Promise<Values>, reason?: RegExp]>([
    ['reset-job.sql', 'no job', given({}), missing('job')],
    ['reset-parked-of-restaurant.sql', 'no restaurant', given({}), missing('restaurant')],
    ['reset-parked-since.sql', 'no time', given({}), missing('since')],
    ['reset-parked-with-error.sql', 'no error', given({}), missing('error')],
    ['reset-parked-with-cause.sql', 'no cause', given({}), missing('cause')],
    ['remove-audit-entries.sql', 'no time', given({}), missing('before')],
    ['erase-order.sql', 'no restaurant', given({}), missing('restaurant')],
    ['erase-order.sql', 'no key', given({ restaurant: UNKNOWN }), missing('key')],
    ['find-order.sql', 'no key', given({}), missing('key')],
    ['reset-job.sql', 'what is no job', given({ job: AWKWARD })],
    ['reset-parked-of-restaurant.sql', 'what is no restaurant', given({ restaurant: AWKWARD })],
    ['reset-parked-since.sql', 'what is no time', given({ since: AWKWARD })],
    ['reset-parked-with-error.sql', 'an empty error', given({ error: '' })],
    ['remove-audit-entries.sql', 'what is no time', given({ before: AWKWARD })],
    ['erase-order.sql', 'what is no restaurant', given({ restaurant: AWKWARD, key: AWKWARD })],
    ['list-late.sql', 'what is no time', given({ late: AWKWARD })],
    ['list-late.sql', 'what is no lease', given({ lease: AWKWARD })],
    ['list-late.sql', 'what is no limit', given({ limit: AWKWARD })],
    ['reset-job.sql', 'a SENT job (R12)', job(sent), /is SENT: it cannot be moved to PENDING.*The POS has this order/s],
    ['reset-job.sql', 'a PROCESSING job (R12)', job(processing), /is PROCESSING: it cannot.*sending this order now/s],
    ['reset-job.sql', 'a withdrawn job (R12)', job(withdrawn), /is withdrawn: it cannot.*This order was cancelled/s],
    ['reset-job.sql', 'an erased job (W42)', job(erased), /the content of this sale was erased: it cannot be sent/],
    ['reset-job.sql', 'what was entered in the till (R12)', job(entered), /staff entered its order.*-v entered=true/],
    [
      ...(['reset-job.sql', 'what was entered, with entered=false (R12)'] as const),
      ...([async () => ({ job: await entered(), entered: 'false' }), /-v entered=true/] as const),
    ],
    ['erase-order.sql', 'an order that waits (W40)', order(waiting), UNDER_WAY],
    ['erase-order.sql', 'an order that failed (W40)', order(failed), UNDER_WAY],
    ['erase-order.sql', 'an order that is being sent (W40)', order(processing), UNDER_WAY],
  ])('%s refuses %s with the reason, and changes nothing', async (file, _, values, reason = /ERROR/) => {
    await parked();
    const variables = await values();
    const before = await everything();
    await expect(run(file, variables)).rejects.toMatchObject({ code: 3, stderr: expect.stringMatching(reason) });
    expect(await everything()).toEqual(before);
  });

  const ERROR = 'PZ-01 is unknown';
  const CAUSE = 'HTTP 422, POS error 310: # is unknown';
  async function parkedAt(time: string): Promise<string> {
    const id = await parked(ERROR);
    await database.query('UPDATE outbox_jobs SET updated_at = $2 WHERE id = $1', [id, time]);
    return id;
  }
  const BEFORE = '2026-01-31 17:59:59.999999+00';

  // job-views.spec.ts shows that they select parked jobs only
  test.each<[file: string, values: () => Values, leavesOut: () => Promise<string>, nothing: Values]>([
    ['of-restaurant', () => ({ restaurant: restaurantId }), () => parked(ERROR, ELSEWHERE), { restaurant: UNKNOWN }],
    ['since', () => ({ since: '2026-01-31 15:00-03' }), () => parkedAt(BEFORE), { since: '2999-01-01' }],
    ['with-error', () => ({ error: ERROR }), () => parked('something else'), { error: 'POS error 311' }],
    ['with-cause', () => ({ cause: CAUSE }), () => parked(`${ERROR} to us`), { cause: 'POS error 310' }],
  ])(
    'reset-parked-%s.sql resets and prints the parked jobs that it selects; prints when nothing matched',
    async (name, values, leavesOut, nothing) => {
      const file = `reset-parked-${name}.sql`;
      const meant = [await parkedAt('2026-01-31 18:00+00'), await parked(ERROR)];
      const kept = await leavesOut();
      expect(await run(file, nothing)).toMatch(/\(0 rows\)\s+UPDATE 0\s+0 jobs matched: /);
      expect(await statuses(...meant)).toEqual(['DLQ', 'DLQ']);
      const printed = await run(file, values());
      for (const part of [...meant, '(2 rows)']) expect(printed).toContain(part);
      expect(printed.includes(`HTTP 422, POS error 310: ${ERROR}`)).toBe(name === 'with-error');
      expect(await statuses(...meant, kept)).toEqual(['PENDING', 'PENDING', 'DLQ']);
    },
  );

  const NONE = /\(0 rows\)\s+UPDATE 0\s+0 jobs matched: there is no such job/;
  test('reset-job.sql resets a parked or failed job, prints it, and leaves others; it knows none of a deleted restaurant', async () => {
    const [other, ...meant] = [await parked(), await parked(), await failed()];
    const deleted = await ofDeletedRestaurant();
    for (const job of meant) expect(await run('reset-job.sql', { job })).toContain(job);
    for (const job of [UNKNOWN, deleted]) expect(await run('reset-job.sql', { job })).toMatch(NONE);
    expect(await statuses(other, deleted, ...meant)).toEqual(['DLQ', 'DLQ', 'PENDING', 'PENDING']);
  });

  test('reset-job.sql with entered=true resets what was settled or entered, and ends the entry; others as without it (R12)', async () => {
    const settled = await parked();
    await database.query('UPDATE outbox_jobs SET resolved_at = now() WHERE id = $1', [settled]);
    await expect(run('reset-job.sql', { job: settled })).rejects.toThrow(/settled it by hand/);
    for (const job of [settled, await entered(), await parked()])
      expect(await run('reset-job.sql', { job, entered: 'true' })).toMatch(new RegExp(`${job}[^]*UPDATE 1`));
    expect(await database.query('SELECT FROM terminal_events WHERE entered_at IS NOT NULL')).toEqual([]);
    const held = await processing();
    await expect(run('reset-job.sql', { job: held, entered: 'true' })).rejects.toThrow(/is PROCESSING/);
    expect(await run('reset-job.sql', { job: UNKNOWN, entered: 'true' })).toMatch(NONE);
  });

  test.each([
    ['a_b', 'a_b', 'axb'],
    ['No', 'No', 'no'],
    ['.*', 'a.*b', 'anything'],
    [AWKWARD, AWKWARD, AWKWARD.replace('%', '')],
  ])('an error, a cause and its md5 are taken literally: %s', async (error, matching, other) => {
    const kept = await parked(other);
    const ways: [file: string, values: (cause: string) => Values][] = [
      ['reset-parked-with-error.sql', () => ({ error })],
      ['reset-parked-with-cause.sql', (cause) => ({ cause })],
      ['reset-parked-with-cause.sql', (cause) => ({ md5: createHash('md5').update(cause).digest('hex') })],
    ];
    for (const [file, values] of ways) {
      const sql = 'SELECT error_cause(last_error) AS cause FROM outbox_jobs WHERE id = $1';
      const [row] = await database.query<{ cause: string }>(sql, [await parked(matching)]);
      expect(await run(file, values(row?.cause as string))).toContain('(1 row)');
      expect(await statuses(kept)).toEqual(['DLQ']);
      await relay.tick();
    }
  });

  test('-v error finds the orders of a cause as list-parked.sql prints it, shortened or not', async () => {
    const unknown = (code: string) => `items[${code.length}].integration_code: ${code} is unknown to 10.0.0.1:8443`;
    for (const error of [unknown('PZ-01'), unknown('DR_7'), `${'x'.repeat(250)} 12`]) await parked(error);
    const kept = await parked('the code # is unknown');
    const [all, long] = table(await run('list-parked.sql'))
      .map(({ cause }) => cause as string)
      .filter((cause) => !cause.includes('the code'));
    expect(await run('reset-parked-with-error.sql', { error: all as string })).toContain('(2 rows)');
    expect(await run('reset-parked-with-error.sql', { error: long as string })).toContain('(1 row)');
    expect(await statuses(kept)).toEqual(['DLQ']);
  });

  test('remove-audit-entries.sql removes entries before that time and prints the number; a later DELETE is refused', async () => {
    const entries = () => database.query<{ target: string }>('SELECT target FROM audit_entries ORDER BY at');
    await database.query(
      `INSERT INTO audit_entries (id, at, action, target) SELECT gen_random_uuid(), at::timestamptz, 'user.linked', at
       FROM unnest(ARRAY['2025-12-31 23:59:59.999+00', '2026-01-01 00:00+00']) AS at`,
    );
    const newer = (await entries()).filter(({ target }) => target !== '2025-12-31 23:59:59.999+00');
    const printed = await run('remove-audit-entries.sql', { before: '2026-01-01 00:00+00' });
    expect(printed).toContain('1 audit entries removed');
    expect(await entries()).toEqual(newer);
    await expect(database.query('DELETE FROM audit_entries')).rejects.toThrow(/never changed or removed/);
  });

  test('erase-order.sql erases the sale, keeps its amounts, and writes the audit entry; again it says so (S24, W40)', async () => {
    const { key } = await order(() => sent({ transactionKey: `E-${AWKWARD}`, note: 'Maria' }))();
    const kept = await order(() => sent({ note: 'Ana' }))();
    expect(await run('erase-order.sql', { restaurant: restaurantId, key })).toContain('(1 row)');
    const [event] = await database.query(
      'SELECT paid_cents::int, payload, erased_by, erased_at IS NOT NULL AS erased FROM terminal_events WHERE transaction_key = $1',
      [key],
    );
    expect(event).toMatchObject({ paid_cents: 7980, erased: true, payload: { totalAmount: 79.8, erased: true } });
    expect(event?.erased_by).toMatch(/^operator \w+$/);
    const before = await everything();
    expect(JSON.stringify(before)).not.toContain('Maria');
    expect(JSON.stringify(before)).toContain('Ana');
    const [entry] = await database.query(
      `SELECT restaurant_id::text, target, details FROM audit_entries WHERE action = 'order.erased'`,
    );
    const details = { operator: expect.stringMatching(/^\w+$/) };
    expect(entry).toEqual({ restaurant_id: restaurantId, target: key, details });
    const others = [{ key }, { key: UNKNOWN }, { ...kept, restaurant: otherId }];
    for (const other of others)
      expect(await run('erase-order.sql', { restaurant: restaurantId, ...other })).toContain(
        '0 sales erased: there is no such sale',
      );
    expect(await everything()).toEqual(before);
  });

  describe('list-parked.sql', () => {
    test('groups by action and cause, without numbers and ids; changes nothing', async () => {
      const unknown = (code: string) => `items[${code.length}].integration_code: ${code} is unknown`;
      const first = await parked(unknown('PZ-01'));
      await parked(unknown('9f1c2a7e-0000-4000-8000-1234567890ab'), ELSEWHERE);
      const last = await parked(unknown('DR_7'));
      await parked(`connect to 10.0.0.7:8443/v2 ${AWKWARD}`);
      await refused(400, unknown('PZ-01'));
      await database.query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, last_error)
         SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', 'DLQ', 'HTTP 422: too late' FROM outbox_jobs WHERE id = $1`,
        [first],
      );
      for (const notParked of [failed, sent, withdrawn]) await notParked();
      const before = await everything();
      const rows = table(await run('list-parked.sql'));
      expect(
        rows.map(({ parked, restaurants, action, cause }) => [parked, restaurants, action, cause].join(' ')),
      ).toEqual(
        expect.arrayContaining([
          '3 2 CREATE HTTP 422, POS error 310: items[#].integration_code: # is unknown',
          '1 1 CREATE HTTP 400, POS error 310: items[#].integration_code: # is unknown',
          `1 1 CREATE HTTP 422, POS error 310: connect to # ${AWKWARD.replace('100', '#')}`,
          '1 1 CANCEL HTTP 422: too late',
        ]),
      );
      expect(rows).toHaveLength(4);
      expect(rows[0]).toMatchObject({ example_job: last, example_key: (await jobs.get(last)).event_key });
      const [oldest] = await database.query<{ at: string }>(
        `SELECT date_trunc('second', updated_at)::text AS at FROM outbox_jobs WHERE id = $1`,
        [first],
      );
      expect(rows[0]?.oldest).toBe(oldest?.at);
      expect(await everything()).toEqual(before);
    });

    test('has a hint about orders that cannot be mapped; no row for a deleted restaurant', async () => {
      const hint = 'is parked again by a reset alone';
      await ofDeletedRestaurant();
      const none = await run('list-parked.sql');
      expect(none).toContain('(0 rows)');
      expect(none).not.toContain(hint);
      await sent({ items: [{ itemCode: 'PZ-01', quantity: 1, price: 'free' }] });
      const text = await run('list-parked.sql');
      expect(text).toContain('cannot be mapped: items[#].price');
      expect(text).toContain(hint);
    });
  });

  test('list-late.sql lists jobs that are due and not claimed, or PROCESSING for over two minutes, oldest first; changes nothing', async () => {
    const SINCE = `UPDATE outbox_jobs SET next_run_at = now() - $2::int * interval '1 second' WHERE id = $1`;
    const due = (id: string, seconds: number) => database.query(SINCE, [id, seconds]);
    const [waits, due30] = [await failed(), await failed(AWKWARD)];
    const notYet = [await failed(), await parked(), await sent(), await withdrawn()];
    // no tick after this line
    await due(waits, 600);
    await due(due30, 30);
    const fresh = await waiting();
    await due(fresh, 3_600);
    const stuck = await processing({ seconds: 200 });
    const held = await processing({ seconds: 110 });
    // the cancel of an order that is being sent is not due
    await database.query(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, next_run_at)
       SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', now() - interval '1 hour' FROM outbox_jobs WHERE id = $1`,
      [stuck],
    );
    const before = await everything();
    const text = await run('list-late.sql');
    const rows = table(text);
    expect(rows[0]).toMatchObject({ of_all: '4', status: 'PENDING', restaurant: 'Pizzeria Roma' });
    expect(rows[0]?.late).toMatch(/^01:00:0\d$/);
    expect(rows[2]).toMatchObject({ status: 'PROCESSING', locked_by: expect.stringMatching(/^worker-7\//) });
    expect(rows[3]?.last_error).toContain(AWKWARD);
    for (const id of [...notYet, held]) expect(text).not.toContain(id);
    for (const [variables, ids] of [
      [{}, [fresh, waits, stuck, due30]],
      [{ late: '1 minute' }, [fresh, waits, stuck]],
      [{ lease: '4 minutes' }, [fresh, waits, due30]],
      [{ limit: '2' }, [fresh, waits]],
    ] as const)
      expect(table(await run('list-late.sql', variables)).map(({ id }) => id)).toEqual(ids);
    expect(table(await run('list-late.sql', { limit: '2' }))[1]?.of_all).toBe('4');
    expect(await everything()).toEqual(before);
  });

  describe('find-order.sql', () => {
    const key = () => `T-${randomUUID()}`;

    test('by transactionKey: the event, its jobs, every attempt; changes nothing', async () => {
      const transactionKey = key();
      const id = await refused(503, 'closed', { transactionKey });
      await jobs.makeDue(id);
      await refused(422, 'no such item');
      const before = await everything();
      const text = await run('find-order.sql', { key: transactionKey });
      for (const part of ['Events found: 1', transactionKey, restaurantId, 'Pizzeria Roma', 'Pizza Margherita', id])
        expect(text).toContain(part);
      expect(text).toMatch(/\| +1 \|.*\| FAILED +\| ANSWERED \| +503 \| 310 .*closed/);
      expect(text).toMatch(/\| +2 \|.*\| DLQ +\| ANSWERED \| +422 \| 310 .*no such item/);
      expect(await everything()).toEqual(before);
    });

    test('who entered it in the till, when and why, and when its job was settled (R41, R65)', async () => {
      const transactionKey = key();
      await entered({ transactionKey });
      const text = await run('find-order.sql', { key: transactionKey });
      for (const part of [/entered_at +\| \d{4}-/, /entered_by +\| Ana/, /entered_note +\| at the bar/, /resolved_at/])
        expect(text).toMatch(part);
    });

    test('by any key or number, taken literally: each order of both restaurants, and what retention left', async () => {
      const [shared, number, tested] = [key(), key(), key()];
      await database.query(
        `INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id, event_removed)
         VALUES ('T-OLD', 'T-OLD', false, $1, $2, true)`,
        [otherId, UNKNOWN],
      );
      await waiting({ transactionNumber: `${number}0` });
      const both = async (changes: object) => [
        await waiting({ ...changes }),
        await waiting({ ...changes, ...ELSEWHERE }),
      ];
      const job = await waiting({ transactionKey: tested, isTestTransaction: true });
      const stored = await scenario.keyOf(job);
      expect(stored).not.toBe(tested);
      const cases: [key: string, events: number, ...parts: string[]][] = [
        [tested, 1, job],
        [stored, 1, job],
        [shared, 2, ...(await both({ transactionKey: shared })), restaurantId, otherId],
        [number, 2, ...(await both({ transactionNumber: number })), restaurantId, otherId],
        ['no such key', 0],
        ['', 0],
        ['T-OLD', 0, UNKNOWN],
      ];
      for (const literal of [AWKWARD, 'a/b?c=d&e#f', 'Mesa 4 – São João 🍕', '{"x",NULL}', '%'])
        cases.push([literal, 1, await waiting({ transactionKey: literal })]);
      for (const [key, events, ...parts] of cases) {
        const text = await run('find-order.sql', { key });
        for (const part of [`Events found: ${events}`, ...parts]) expect(text).toContain(part);
        if (events === 0) expect(text.match(/\(0 rows\)/g)).toHaveLength(4 - parts.length);
      }
    });
  });

  describe('dump-tables.sql', () => {
    test('all rows of each table, after those of the tables that it refers to, and nothing is changed', async () => {
      await parked(AWKWARD);
      const before = await everything();
      const text = await run('dump-tables.sql');
      expect(await everything()).toEqual(before);
      const found = [...text.matchAll(/; COPY (\S+) FROM stdin;\n(.*?)^\\\.$/gms)];
      const names = found.map(([, name]) => name as string);
      const tables = await database.query<{ name: string }>(
        `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
           AND relname <> '_prisma_migrations' ORDER BY relname COLLATE "C"`,
      );
      expect(names.toSorted()).toEqual(tables.map(({ name }) => name));
      for (const [, name, rows = ''] of found) {
        const [stored] = await database.query<{ count: number }>(`SELECT count(*)::int FROM ${name}`);
        expect([name, rows.split('\n').length - 1]).toEqual([name, stored?.count]);
      }
      const links = await database.query<{ from: string; to: string }>(
        `SELECT conrelid::regclass::text AS "from", confrelid::regclass::text AS "to" FROM pg_constraint WHERE contype = 'f'`,
      );
      expect(links.filter(({ from, to }) => from !== to && names.indexOf(from) < names.indexOf(to))).toEqual([]);
    });

    test('a table that is read in parts has the same rows, in the same order', async () => {
      await database.query(
        `INSERT INTO audit_entries SELECT (jsonb_populate_record(a, jsonb_build_object('id', gen_random_uuid()))).*
           FROM (SELECT r FROM audit_entries r LIMIT 1) first (a), generate_series(1, 200)`,
      );
      const rowsOf = async (variables?: Record<string, string>) =>
        /; COPY audit_entries FROM stdin;\n(.*?)^\\\.$/ms.exec(await run('dump-tables.sql', variables))?.[1];
      const inParts = await rowsOf({ blocks: '1' });
      expect(inParts?.split('\n').length).toBeGreaterThan(200);
      expect(inParts).toBe(await rowsOf());
      const [{ size } = { size: 0 }] = await database.query<{ size: number }>(
        `SELECT pg_relation_size('audit_entries')::int / current_setting('block_size')::int AS size`,
      );
      expect(size).toBeGreaterThan(2);
    });
  });

  test('every file in prisma/sql has its tests here', () => {
    expect([...ran].toSorted()).toEqual(STATEMENTS);
  });
});

/** The rows of psql's aligned output, by column. */
function table(text: string): Record<string, string>[] {
  const [head = '', , ...lines] = text.split('\n');
  const names = head.split('|').map((name) => name.trim());
  return lines
    .filter((line) => line.includes(' | '))
    .map((line) => Object.fromEntries(line.split(' | ').map((cell, i) => [names[i], cell.trim()])));
}
