import { createHash, randomUUID } from 'node:crypto';
import type { PosSimulator } from '../../../tools/simulator/simulator.js';
import type { Jobs } from '../../outbox/jobs.js';
import { sale } from '../../support/client.js';
import type { TestDatabase } from '../../support/database.js';
import type { TestRelay } from '../../support/relay.js';
import { Scenario } from '../../support/scenario.js';
import { NEEDS_PSQL, psql, STATEMENTS, testWithPsql } from './psql.js';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
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
  const tested: string[] = [];

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

  const run = (file: string, variables?: Record<string, string>) => psql(database, file, variables);
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

  /** A job that was claimed `seconds` ago. */
  async function processing(seconds = 1): Promise<string> {
    const id = await relay.accept(sale());
    await database.query(
      `UPDATE outbox_jobs SET status = 'PROCESSING', attempts = 1, locked_by = 'worker-7/' || gen_random_uuid(),
         processing_at = now() - $2::int * interval '1 second' WHERE id = $1`,
      [id, seconds],
    );
    return id;
  }

  /** A withdrawn CREATE job. @param error its last_error, as of a parked one */
  async function withdrawn(error?: string): Promise<string> {
    const id = await relay.accept(sale());
    const path = `/restaurants/${restaurantId}/orders/${(await jobs.get(id)).event_key}/cancel`;
    await relay.http
      .post(path)
      .auth(await relay.login(), { type: 'bearer' })
      .expect(202);
    await relay.tick();
    if (error) await database.query('UPDATE outbox_jobs SET last_error = $2 WHERE id = $1', [id, error]);
    return id;
  }

  /** A parked job whose sale was erased (W40). */
  async function erased(): Promise<string> {
    const id = await parked();
    await database.query('UPDATE terminal_events SET payload = erased_payload(payload), erased_at = now()');
    return id;
  }

  const everything = () =>
    database.query(`SELECT 'job' AS what, j::text FROM outbox_jobs j UNION ALL SELECT 'event', e::text FROM terminal_events e
      UNION ALL SELECT 'attempt', a::text FROM delivery_attempts a
      UNION ALL SELECT 'audit', a::text FROM audit_entries a ORDER BY 1, 2`);

  /** psql ends with exit code 3 and this error, and nothing has changed. */
  async function expectRefused(file: string, variables: Record<string, string>, reason = /ERROR/): Promise<void> {
    const before = await everything();
    await expect(run(file, variables)).rejects.toMatchObject({ code: 3, stderr: expect.stringMatching(reason) });
    expect(await everything()).toEqual(before);
  }

  /** A parked order of a restaurant that was deleted afterwards. */
  async function ofDeletedRestaurant(): Promise<string> {
    const id = await parked('no', { storeCode: 'STORE-2' });
    await database.query('UPDATE restaurants SET deleted_at = now() WHERE id = $1', [otherId]);
    return id;
  }

  /** The tests of a file. @param variable that it requires */
  function statement(file: string, variable: string | null, rules: () => void): void {
    tested.push(file);
    describe(file, () => {
      if (variable)
        test(`without -v ${variable}: an error with the call to make`, async () => {
          await parked();
          await expectRefused(file, {}, new RegExp(`ERROR: +\\S.*\\? call it with -v ${variable}=`));
        });
      rules();
    });
  }

  statement('reset-job.sql', 'job', () => {
    test('resets a parked or a failed job, prints it, and leaves all others', async () => {
      const [other, ...meant] = [await parked(), await parked(), await failed()];
      for (const job of meant) expect(await run('reset-job.sql', { job })).toContain(job);
      expect(await statuses(other, ...meant)).toEqual(['DLQ', 'PENDING', 'PENDING']);
    });

    test.each([
      ['SENT', () => sent(), /is SENT: it cannot be moved to PENDING[\s\S]*The POS has this order/],
      ['PROCESSING', () => processing(), /is PROCESSING: it cannot be moved to PENDING[\s\S]*sending this order now/],
      ['withdrawn', () => withdrawn(), /is withdrawn: it cannot be moved to PENDING[\s\S]*This order was cancelled/],
      ['erased', () => erased(), /the content of this sale was erased: it cannot be sent/],
    ])('refuses a %s job with the reason and an exit code (R12, W42)', async (_, make, reason) => {
      await expectRefused('reset-job.sql', { job: await make() }, reason);
    });

    test('prints that nothing matched for an unknown job and for one of a deleted restaurant', async () => {
      const deleted = await ofDeletedRestaurant();
      for (const job of [UNKNOWN, deleted])
        expect(await run('reset-job.sql', { job })).toMatch(
          /\(0 rows\)\s+UPDATE 0\s+0 jobs matched: there is no such job/,
        );
      expect(await statuses(deleted)).toEqual(['DLQ']);
    });
  });

  type Values = Record<string, string>;
  const ERROR = 'PZ-01 is unknown';
  const CAUSE = 'HTTP 422, POS error 310: # is unknown';

  // job-views.spec.ts shows that they select parked jobs only
  const SELECTIONS: [variable: string, values: () => Values, leavesOut: () => Promise<string>, nothing: Values][] = [
    [
      'restaurant',
      () => ({ restaurant: restaurantId }),
      () => parked(ERROR, { storeCode: 'STORE-2' }),
      { restaurant: UNKNOWN },
    ],
    [
      'since',
      () => ({ since: '2026-01-31 15:00-03' }),
      () => parkedAt('2026-01-31 17:59:59.999999+00'),
      { since: '2999-01-01' },
    ],
    ['error', () => ({ error: ERROR }), () => parked('something else'), { error: 'POS error 311' }],
    ['cause', () => ({ cause: CAUSE }), () => parked(`${ERROR} to us`), { cause: 'POS error 310' }],
  ];
  async function parkedAt(time: string): Promise<string> {
    const id = await parked(ERROR);
    await database.query('UPDATE outbox_jobs SET updated_at = $2 WHERE id = $1', [id, time]);
    return id;
  }
  for (const [variable, values, leavesOut, nothing] of SELECTIONS) {
    const file = STATEMENTS.find((name) => name.endsWith(`-${variable}.sql`)) as string;
    statement(file, variable, () => {
      test('resets and prints the parked jobs that it selects; prints when nothing matched', async () => {
        const meant = [await parkedAt('2026-01-31 18:00+00'), await parked(ERROR)];
        const kept = await leavesOut();
        expect(await run(file, nothing)).toMatch(/\(0 rows\)\s+UPDATE 0\s+0 jobs matched: /);
        expect(await statuses(...meant)).toEqual(['DLQ', 'DLQ']);
        const printed = await run(file, values());
        for (const part of [...meant, '(2 rows)']) expect(printed).toContain(part);
        expect(printed.includes(`HTTP 422, POS error 310: ${ERROR}`)).toBe(variable === 'error');
        expect(await statuses(...meant, kept)).toEqual(['PENDING', 'PENDING', 'DLQ']);
      });
    });
  }

  test.each<[string, Values]>([
    ['reset-job.sql', { job: AWKWARD }],
    ['reset-parked-of-restaurant.sql', { restaurant: AWKWARD }],
    ['reset-parked-since.sql', { since: AWKWARD }],
    ['reset-parked-with-error.sql', { error: '' }],
    ['remove-audit-entries.sql', { before: AWKWARD }],
    ['erase-order.sql', { restaurant: AWKWARD, key: AWKWARD }],
    ...['late', 'lease', 'limit'].map((variable): [string, Values] => ['list-late.sql', { [variable]: AWKWARD }]),
  ])('%s refuses %j, and changes nothing', async (file, values) => {
    await parked();
    await expectRefused(file, values);
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

  statement('remove-audit-entries.sql', 'before', () => {
    const remove = (before: string) => run('remove-audit-entries.sql', { before });
    const entries = () => database.query<{ target: string }>('SELECT target FROM audit_entries ORDER BY at');

    test('removes entries before that time and prints the number; a later DELETE is refused', async () => {
      await database.query(
        `INSERT INTO audit_entries (id, at, action, target) SELECT gen_random_uuid(), at::timestamptz, 'user.linked', at
         FROM unnest(ARRAY['2025-12-31 23:59:59.999+00', '2026-01-01 00:00+00']) AS at`,
      );
      const newer = (await entries()).filter(({ target }) => target !== '2025-12-31 23:59:59.999+00');
      expect(await remove('2026-01-01 00:00+00')).toContain('1 audit entries removed');
      expect(await entries()).toEqual(newer);
      await expect(database.query('DELETE FROM audit_entries')).rejects.toThrow(/never changed or removed/);
    });
  });

  statement('erase-order.sql', 'restaurant', () => {
    const erase = (key: string, restaurant = restaurantId) => run('erase-order.sql', { restaurant, key });
    const keyOf = async (job: string) => (await jobs.get(job)).event_key;

    test('without -v key: an error with the call to make', async () => {
      await sent();
      await expectRefused('erase-order.sql', { restaurant: restaurantId }, /ERROR: +\S.*\? call it with -v key=/);
    });

    test('erases the sale, keeps its amounts, and writes the audit entry; again it says so (S24, W40)', async () => {
      const key = await keyOf(await sent({ transactionKey: `E-${AWKWARD}`, note: 'Maria' }));
      const kept = await keyOf(await sent({ note: 'Ana' }));
      expect(await run('erase-order.sql', { restaurant: restaurantId, key })).toContain('(1 row)');
      const [event] = await database.query(
        'SELECT paid_cents::int, payload, erased_by, erased_at IS NOT NULL AS erased FROM terminal_events WHERE transaction_key = $1',
        [key],
      );
      expect(event).toMatchObject({ paid_cents: 7980, erased: true, payload: { totalAmount: 79.8, erased: true } });
      expect(event?.erased_by).toMatch(/^operator \w+$/);
      expect(JSON.stringify(await everything())).not.toContain('Maria');
      expect(JSON.stringify(await everything())).toContain('Ana');
      const [entry] = await database.query(
        `SELECT restaurant_id::text, target, details FROM audit_entries WHERE action = 'order.erased'`,
      );
      expect(entry).toEqual({
        ...{ restaurant_id: restaurantId, target: key, details: { operator: expect.stringMatching(/^\w+$/) } },
      });
      const before = await everything();
      for (const [other, of] of [[key], [UNKNOWN], [kept, otherId]] as const)
        expect(await erase(other, of)).toContain('0 sales erased: there is no such sale');
      expect(await everything()).toEqual(before);
    });

    test.each([
      ['waits', () => relay.accept(sale())],
      ['failed', () => failed()],
      ['is being sent', () => processing()],
    ])('an order that %s is refused (W40)', async (_, make) => {
      const key = await keyOf(await make());
      await expectRefused('erase-order.sql', { restaurant: restaurantId, key }, /on its way to the POS: wait for/);
    });
  });

  statement('list-parked.sql', null, () => {
    test('groups by action and cause, without numbers and ids; changes nothing', async () => {
      const unknown = (code: string) => `items[${code.length}].integration_code: ${code} is unknown`;
      const first = await parked(unknown('PZ-01'));
      await parked(unknown('9f1c2a7e-0000-4000-8000-1234567890ab'), { storeCode: 'STORE-2' });
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

  statement('list-late.sql', null, () => {
    async function due(id: string, seconds: number): Promise<string> {
      await database.query(`UPDATE outbox_jobs SET next_run_at = now() - $2::int * interval '1 second' WHERE id = $1`, [
        id,
        seconds,
      ]);
      return id;
    }

    test('lists jobs that are due and not claimed, or PROCESSING for over two minutes, oldest first; changes nothing', async () => {
      const [waits, due30] = [await failed(), await failed(AWKWARD)];
      const notYet = [await failed(), await parked(), await sent(), await withdrawn()];
      // no tick after this line
      await due(waits, 600);
      await due(due30, 30);
      const fresh = await due(await relay.accept(sale()), 3_600);
      const stuck = await processing(180);
      const held = await processing(110);
      const before = await everything();
      const text = await run('list-late.sql');
      const rows = table(text);
      expect(rows.map(({ id }) => id)).toEqual([fresh, waits, stuck, due30]);
      expect(rows[0]).toMatchObject({ of_all: '4', status: 'PENDING', restaurant: 'Pizzeria Roma' });
      expect(rows[0]?.late).toMatch(/^01:00:0\d$/);
      expect(rows[2]).toMatchObject({ status: 'PROCESSING', locked_by: expect.stringMatching(/^worker-7\//) });
      expect(rows[3]?.last_error).toContain(AWKWARD);
      for (const id of [...notYet, held]) expect(text).not.toContain(id);
      expect(await everything()).toEqual(before);
    });

    test('-v late and -v lease set the limits; the cancel of a PROCESSING order is not due', async () => {
      const [old, recent] = [await due(await relay.accept(sale()), 300), await due(await relay.accept(sale()), 30)];
      const sending = await processing(200);
      await database.query(
        `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, next_run_at)
         SELECT gen_random_uuid(), event_key, restaurant_id, 'CANCEL', now() - interval '1 hour' FROM outbox_jobs WHERE id = $1`,
        [sending],
      );
      const ids = async (variables: Record<string, string>) =>
        table(await run('list-late.sql', variables)).map(({ id }) => id);
      expect(await ids({})).toEqual([old, sending, recent]);
      expect(await ids({ late: '1 minute' })).toEqual([old, sending]);
      expect(await ids({ lease: '4 minutes' })).toEqual([old, recent]);
    });

    test('-v limit limits the rows; of_all is the number of all', async () => {
      for (const seconds of [10, 20, 30]) await due(await relay.accept(sale()), seconds);
      expect(table(await run('list-late.sql', { limit: '2' }))).toMatchObject([{ of_all: '3' }, { of_all: '3' }]);
    });
  });

  statement('find-order.sql', 'key', () => {
    const find = (key: string) => run('find-order.sql', { key });
    /** @param parts jobs first, one of each event, then other text */
    const expectFound = async (key: string, ...parts: string[]) => {
      const text = await find(key);
      expect(text).toContain(`Events found: ${Math.max(1, parts.length / 2)}`);
      for (const part of parts) expect(text).toContain(part);
    };

    test('by transactionKey: the event, its jobs, every attempt; changes nothing', async () => {
      const key = `T-${randomUUID()}`;
      const id = await refused(503, 'closed', { transactionKey: key });
      await jobs.makeDue(id);
      await refused(422, 'no such item');
      const before = await everything();
      const text = await find(key);
      expect(text).toContain('Events found: 1');
      for (const part of [key, restaurantId, 'Pizzeria Roma', 'Pizza Margherita', id]) expect(text).toContain(part);
      expect(text).toMatch(/\| +1 \|.*\| FAILED +\| ANSWERED \| +503 \| 310 .*closed/);
      expect(text).toMatch(/\| +2 \|.*\| DLQ +\| ANSWERED \| +422 \| 310 .*no such item/);
      expect(await everything()).toEqual(before);
    });

    test('a test transaction, by the key as sent and as stored', async () => {
      const key = `T-${randomUUID()}`;
      const id = await relay.accept(sale({ transactionKey: key, isTestTransaction: true }));
      const { event_key: stored } = await jobs.get(id);
      expect(stored).not.toBe(key);
      for (const name of [key, stored]) await expectFound(name, id);
    });

    test.each(['transactionKey', 'transactionNumber'])('a %s of two restaurants finds both orders', async (field) => {
      const value = `T-${randomUUID()}`;
      const ids = [
        await relay.accept(sale({ [field]: value })),
        await relay.accept(sale({ [field]: value, storeCode: 'STORE-2' })),
      ];
      await relay.accept(sale({ [field]: `${value}0` }));
      await expectFound(value, ...ids, restaurantId, otherId);
    });

    test.each([AWKWARD, `a/b?c=d&e#f`, 'Mesa 4 – São João 🍕', '{"x",NULL}', '%'])(
      'takes %s literally',
      async (key) => {
        const id = await relay.accept(sale({ transactionKey: key }));
        await relay.accept(sale());
        await expectFound(key, id);
      },
    );

    test.each(['no such key', ''])('an unknown key: no event, no job, no attempt (%p)', async (key) => {
      await parked();
      const text = await find(key);
      expect(text).toContain('Events found: 0');
      expect(text.match(/\(0 rows\)/g)).toHaveLength(4);
    });

    test('an order that retention removed: its key and its job id', async () => {
      await database.query(
        `INSERT INTO spent_keys (transaction_key, source_key, test_mode, restaurant_id, job_id, event_removed)
         VALUES ('T-OLD', 'T-OLD', false, $1, $2, true)`,
        [otherId, UNKNOWN],
      );
      const text = await find('T-OLD');
      expect(text).toContain('Events found: 0');
      expect(text).toContain(UNKNOWN);
    });
  });

  statement('dump-tables.sql', null, () => {
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
    expect(tested.toSorted()).toEqual(STATEMENTS);
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
