import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { resetLine } from '../../src/admin/reset-line.js';
import { NEEDS_PSQL, testWithPsql } from '../platform/database/psql.js';
import { type Caller, Scenario } from '../support/scenario.js';

interface Cause {
  cause: string;
  parked: number;
  cancels: number;
  since: string;
  newest: string;
  kind: string | null;
  subject: string | null;
  unmappable: boolean;
  common: boolean;
  restaurantCount: number;
  restaurants: { restaurantId: string; name: string; parked: number }[];
  examples: { jobId: string; eventKey: string; restaurantId: string; lastError: string | null }[];
  psql: string;
}

/** Texts that could end a literal, a word of a shell, or a line. */
const HOSTILE = [
  `it's "all" of $HOME; \`id\` $(id) \\ $$ -- %_!`,
  `'; UPDATE outbox_jobs SET status = 'PENDING' --`,
  `' -c 'DROP TABLE audit_entries`,
  `:'cause' :{?cause} \\gset \\! id`,
  'Mesa – São João 🍕',
  `\\'; touch pwned; #`,
  `history! repeats`,
  'a `backtick` and a $VARIABLE',
  'PowerShell \u2019 ends a word here',
  'an escape \u001b[201~ that pastes a\nline',
  'turned \u202e around',
];

/** sh, and the other shells that are installed. */
const SHELLS = ['sh', 'bash', 'zsh', 'fish'].filter((shell) => shell === 'sh' || isInstalled(shell));

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['-c', 'exit 0']).status === 0;
}

describe('the parked jobs by cause (R22)', () => {
  const scenario = Scenario.ofSuite();
  let admin: Caller;
  let roma: string;
  let osteria: string;

  beforeAll(async () => {
    admin = await scenario.person('ADMIN');
    roma = (await scenario.restaurant('STORE-1')).id;
    osteria = (await scenario.restaurant('STORE-2')).id;
  });
  afterEach(() => scenario.database.query('DELETE FROM outbox_jobs'));

  let keys = 0;
  /** @returns the id of a parked job */
  async function park(error: string | null, changes: Record<string, unknown> = {}): Promise<string> {
    const { restaurantId = roma, minutesAgo = 0, action = 'CREATE', ...columns } = changes;
    const key = `PARKED-${++keys}`;
    await scenario.database.query(
      `INSERT INTO terminal_events (transaction_key, source_key, test_mode, restaurant_id, payload) VALUES ($1, $1, false, $2, '{}')`,
      [key, restaurantId],
    );
    const [row] = await scenario.database.query<{ id: string }>(
      `INSERT INTO outbox_jobs (id, event_key, restaurant_id, action, status, attempts, next_run_at, last_error, updated_at, withdrawn,
         cause, subject)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, 1, now(), $5, now() - $6::int * interval '1 minute', $7, $8, $9) RETURNING id`,
      [
        ...[key, restaurantId, action, columns.status ?? 'DLQ', error, minutesAgo, columns.withdrawn ?? false],
        ...[columns.kind ?? null, columns.subject ?? null],
      ],
    );
    return row?.id as string;
  }
  const read = async (): Promise<{ data: Cause[]; meta: { causes: number; more: boolean } }> =>
    (await scenario.api.get('/admin/parked', admin.token).expect(200)).body;

  test('errors that differ in numbers and ids only are one cause; answers that differ are two', async () => {
    const first = await park('HTTP 422, POS error 310: unknown product X1', { minutesAgo: 90 });
    const second = await park('HTTP 422, POS error 310: unknown product X2', { restaurantId: osteria, minutesAgo: 5 });
    const third = await park('HTTP 422, POS error 310: unknown product 4711', { minutesAgo: 60 });
    await park('HTTP 400, POS error 310: unknown product X1');
    const { data, meta } = await read();
    expect(meta).toEqual({ causes: 2, more: false });
    expect(data[0]).toMatchObject({
      ...{ cause: 'HTTP 422, POS error 310: unknown product #', parked: 3, cancels: 0, unmappable: false },
      restaurantCount: 2,
      restaurants: [
        { restaurantId: roma, parked: 2 },
        { restaurantId: osteria, parked: 1 },
      ],
    });
    // of each restaurant in turn, the newest first
    expect(data[0]?.examples.map(({ jobId }) => jobId)).toEqual([third, second, first]);
    expect(data[0]?.examples[1]).toMatchObject({ restaurantId: osteria, lastError: expect.stringContaining('X2') });
    const minutes = (time = '') => Math.round((Date.now() - Date.parse(time)) / 60_000);
    expect([minutes(data[0]?.since), minutes(data[0]?.newest)]).toEqual([90, 5]);
  });

  test('a cause has what its newest refusal is about (O47)', async () => {
    await park('HTTP 422, POS error 310: unknown product X1', { kind: 'refused', minutesAgo: 5 });
    await park('HTTP 422, POS error 310: unknown product X2', { kind: 'refused', subject: 'product' });
    await park('HTTP 422: no', { kind: 'refused', minutesAgo: 5 });
    const { data } = await read();
    expect(data.map(({ subject, examples }) => [subject, Object.keys(examples[0] ?? {}).includes('subject')])).toEqual([
      ['product', false],
      [null, false],
    ]);
  });

  test('a cause is common that restaurants of three founders had within a day; those of one founder are one (R22, L200)', async () => {
    const others = [await scenario.restaurant(), await scenario.restaurant()];
    const places = [roma, osteria, ...others.map(({ id }) => id)];
    const found = (by: string | null) =>
      scenario.database.query('UPDATE restaurants SET founded_by = $1 WHERE id = ANY ($2)', [by, places.slice(0, 3)]);
    const common = async () => (await read()).data.map((cause) => cause.common);
    await found(admin.id);
    for (const restaurantId of places) await park('cannot be mapped: items', { restaurantId, kind: 'unmappable' });
    expect(await common()).toEqual([false]);
    await found(null);
    expect(await common()).toEqual([true]);
    await scenario.database.query(
      `UPDATE outbox_jobs SET updated_at = now() - interval '25 hours' WHERE restaurant_id = ANY ($1)`,
      [places.slice(0, 2)],
    );
    expect(await common()).toEqual([false]);
  });

  test('counts what is parked (O23): nothing withdrawn, waiting, or of a deleted restaurant', async () => {
    const { id: gone } = await scenario.restaurant();
    await scenario.people.deleteRestaurant(gone);
    for (const changes of [{ withdrawn: true }, { status: 'FAILED' }, { status: 'SENT' }, { restaurantId: gone }])
      await park('HTTP 422: no', changes);
    expect((await read()).data).toEqual([]);
    await park(null);
    await park('HTTP 422: too late', { action: 'CANCEL' });
    expect((await read()).data.map(({ cause, parked, cancels }) => [cause, parked, cancels]).toSorted()).toEqual([
      ['(none)', 1, 0],
      ['HTTP 422: too late', 1, 1],
    ]);
  });

  test.each([
    ['unmappable', true],
    ['refund', true],
    ['refused', false],
    [null, false],
  ])(
    'a group has the cause of its jobs as kind, %p: whether a reset alone parks them again (R34)',
    async (kind, unmappable) => {
      await park('only the kind counts: cannot be mapped: items', { kind });
      expect((await read()).data).toMatchObject([{ kind, unmappable }]);
    },
  );

  test('at most 50 causes, those with most jobs; more says that there are others', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz'].flatMap((a) => [`${a}x`, `${a}y`]);
    for (const text of letters) await park(text);
    await park('zy');
    const { data, meta } = await read();
    expect(data).toHaveLength(50);
    expect(data[0]).toMatchObject({ cause: 'zy', parked: 2 });
    expect(meta).toEqual({ causes: 52, more: true });
  });

  testWithPsql(`the psql line resets exactly the jobs of its cause, for any error text${NEEDS_PSQL}`, async () => {
    const errors = ['HTTP 422, POS error 310: unknown product X1', ...HOSTILE];
    const ids: string[] = [];
    for (const error of errors) ids.push(await park(error));
    const waiting = await park('it waits', { status: 'FAILED' });
    const withdrawn = await park(HOSTILE[0] as string, { withdrawn: true });
    const statuses = async () => Promise.all(ids.map(async (id) => (await scenario.jobs.get(id)).status));
    const left = ids.map(() => 'DLQ');
    for (const [place, id] of ids.entries()) {
      const { data } = await read();
      const line = data.find(({ examples }) => examples.some(({ jobId }) => jobId === id))?.psql as string;
      // one line without control characters
      expect(line).toMatch(/^psql "\$DATABASE_URL" [^\p{C}]+$/u);
      const env = { ...process.env, DATABASE_URL: scenario.database.url };
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { env });
      expect(stdout).toContain(id);
      left[place] = 'PENDING';
      expect(await statuses()).toEqual(left);
    }
    expect([(await scenario.jobs.get(waiting)).status, (await scenario.jobs.get(withdrawn)).status]).toEqual([
      'FAILED',
      'DLQ',
    ]);
  });

  // in single quotes fish reads \\' and \\\\, csh reads !, PowerShell typographic quotes; other characters are literal in every shell
  const PLAIN_IN_ANY_SHELL = /^cause='[^\\'!`$\u2018-\u201b\p{C}]*'$/u;

  test.each([...HOSTILE, 'HTTP 422, POS error 310: it is "#" & (x) | <y>; {z} *?~ # %_'])(
    'R31: every shell reads %j as one word, or gets its hash',
    async (cause) => {
      const variable = / -v (.*) -f /.exec(resetLine('psql', cause))?.[1] as string;
      expect(variable).toMatch(/^md5=[0-9a-f]{32}$/.test(variable) ? /^md5/ : PLAIN_IN_ANY_SHELL);
      for (const shell of SHELLS) {
        const { stdout } = await promisify(execFile)(shell, ['-c', resetLine('printf "%s\\n"', cause)]);
        const [option, word, ...rest] = stdout.trimEnd().split('\n');
        expect([option, rest]).toEqual(['-v', ['-f', 'prisma/sql/reset-parked-with-cause.sql']]);
        expect(word).toBe(variable.startsWith('md5=') ? variable : `cause=${cause}`);
      }
    },
  );
});
