import { Connection } from '../../../src/capabilities/doctor/connection.js';
import { settingsCheck } from '../../../src/capabilities/doctor/settings.check.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import { RELIED_ON } from '../../../src/platform/database/session-settings.js';
import { connected } from '../../runner/template.js';
import { sale } from '../../support/client.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { EAGER, TERMINAL_TOKEN } from '../../support/environment.js';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { Role } from './hostile-role.js';
import { NOT_SET, WRONG } from './settings.js';

interface Setting {
  readonly name: string;
  readonly category: string;
}

const server = process.env.TEST_DATABASE_URL as string;
const nameOf = (url: string) => new URL(url).pathname.slice(1);
const settable = () =>
  connected(server, async (client) => {
    const { rows } = await client.query<Setting>(
      `SELECT name, category FROM pg_settings WHERE context IN ('user', 'superuser') ORDER BY 1`,
    );
    return rows;
  });

describe('S16: what a session of the relay relies on', () => {
  whereServer(
    `each setting of the server that a session can have is set, or listed with its reason${NEEDS_SERVER}`,
    async () => {
      const unlisted = (await settable()).filter(
        ({ name, category }) =>
          !(name in WRONG) && !NOT_SET.some(([names]) => names.test(name) || names.test(category)),
      );
      expect(unlisted).toEqual([]);
      // and each that is set has a wrong value below
      for (const name of Object.keys(RELIED_ON)) expect(Object.keys(WRONG)).toContain(name);
    },
  );

  describe.each(['DATABASE', 'ROLE'])('each of them wrong by ALTER %s', (level) => {
    let scenario: Scenario;
    let role: Role;
    let database: string;

    beforeAll(async () => {
      if (whereServer !== test) return;
      scenario = await Scenario.ofProcesses({ ...EAGER, OUTBOX_MAX_ATTEMPTS: '4' }, { migrated: false });
      // from another database: each session in this one has the wrong settings
      role = await Role.create(server, 'SUPERUSER');
      database = nameOf(scenario.database.url);
      const there = new Set((await settable()).map(({ name }) => name));
      const name = level === 'DATABASE' ? database : 'ROLE_NAME';
      for (const [setting, value] of Object.entries(WRONG))
        if (there.has(setting)) await role.run(`ALTER ${level} ${name} SET ${setting} = '${value}'`);
    });
    afterAll(async () => {
      await role?.run(`ALTER DATABASE ${database} RESET ALL`);
      await scenario?.close();
      await role?.drop(server);
    });

    whereServer(
      `the relay migrates; sales are SENT once, cancels, lists, reports and the end of a day are right${NEEDS_SERVER}`,
      async () => {
        const relay = await scenario.start({ DATABASE_URL: role.url(scenario.database.url) });
        const prisma = relay.get(PrismaService);
        for (const client of [prisma, prisma.reports])
          expect(
            await client.$queryRawUnsafe(
              `SELECT current_setting('synchronous_commit') AS commit, current_setting('array_nulls') AS nulls`,
            ),
          ).toEqual([{ commit: 'on', nulls: 'on' }]);
        const token = await relay.login();
        const id = await relay.createRestaurant({ timezone: 'America/Sao_Paulo' });
        const sold = [1, 2, 3].map(() =>
          sale({ transactionDate: new Date().toISOString(), itemNote: "Café “da casa” '\\" }),
        );
        const ids: string[] = [];
        for (const each of sold) ids.push(await relay.accept(each));
        const stateOf = async (job: string) => {
          const [row] = await prisma.$queryRawUnsafe<{ status: string; attempts: number }[]>(
            `SELECT status, attempts FROM outbox_jobs WHERE id = '${job}'`,
          );
          return row;
        };
        for (const job of ids) await until(async () => (await stateOf(job))?.status === 'SENT');
        expect(await Promise.all(ids.map(stateOf))).toEqual(ids.map(() => ({ status: 'SENT', attempts: 1 })));
        expect(scenario.pos.orderCalls).toBe(3);
        // a sale that is there already is told so, and ends no session
        expect((await relay.post(sold[0])).status).toBe(400);
        const key = String(sold[0]?.transactionKey);
        const cancelled = await relay.api.post(`/restaurants/${id}/orders/${key}/cancel`, token).expect(202);
        await until(async () => (await stateOf(cancelled.body.data.jobId))?.status === 'SENT');
        const list = await relay.api.get(`/restaurants/${id}/orders`, token).expect(200);
        expect(list.body.data).toHaveLength(3);
        expect((await relay.api.get(`/restaurants/${id}/statistics`, token).expect(200)).body).toBeDefined();
        await relay.api.get(`/restaurants/${id}/days`, token).expect(200);
        const receipts = await relay.api.get('/webhooks/terminal/receipts', TERMINAL_TOKEN).expect(200);
        expect(receipts.body.data.filter(({ type }: { type: string }) => type === 'order.stored')).toHaveLength(3);
        const [closed] = await prisma.$queryRawUnsafe<{ closed: number }[]>(
          `SELECT count(*)::int AS closed FROM day_chain_break('${id}'::uuid, 0, 100, true) WHERE reason IS NOT NULL`,
        );
        expect(closed).toEqual({ closed: 0 });
        expect(relay.logged.filter(({ event }) => /foreign|not_durable|settle_delayed/.test(String(event)))).toEqual(
          [],
        );
      },
    );

    whereServer(`the doctor's session is the same, and finds nothing${NEEDS_SERVER}`, async () => {
      const doctor = await Connection.open(role.url(scenario.database.url), 'the test');
      expect(await settingsCheck(doctor)).toMatchObject({ level: 'ok' });
      await doctor.close();
    });
  });
});

describe('what a session cannot set itself', () => {
  let scenario: Scenario;

  beforeAll(async () => {
    if (whereServer === test) scenario = await Scenario.ofProcesses();
  });
  afterAll(() => scenario?.close());

  const alter = (setting: string) =>
    scenario.database.query(`ALTER DATABASE ${nameOf(scenario.database.url)} ${setting}`);
  const startsWith = (url: string) =>
    scenario.start({ DATABASE_URL: url }).then(
      () => 'started',
      (error: Error) => error.message,
    );

  whereServer.each([
    ['session_replication_role', 'replica', ''],
    ['array_nulls', 'off', '-c array_nulls=off'],
    ['synchronous_commit', 'local', '-c synchronous_commit=local'],
  ])(
    `%s = %s: the start refuses in one line, and the doctor says bad (S25)${NEEDS_SERVER}`,
    async (name, value, options) => {
      if (options === '') await alter(`SET ${name} = '${value}'`);
      const url = Object.assign(new URL(scenario.database.url));
      if (options) url.searchParams.set('options', options);
      const line = await startsWith(url.href);
      expect(line).toMatch(new RegExp(`^the relay's sessions have ${name} = ${value}, .*Reset it.*$`));
      if (options === '') {
        const doctor = await Connection.open(url.href, 'the test');
        expect(await settingsCheck(doctor)).toMatchObject({ level: 'bad', details: [`${name} = ${value}`] });
        await doctor.close();
        await alter(`RESET ${name}`);
      }
    },
  );

  whereServer(`remote_apply of the database stays: it is more than on (S16)${NEEDS_SERVER}`, async () => {
    await alter('SET synchronous_commit = remote_apply');
    const relay = await scenario.start();
    const shown = await relay.get(PrismaService).$queryRawUnsafe(`SHOW synchronous_commit`);
    await alter('RESET synchronous_commit');
    expect(shown).toEqual([{ synchronous_commit: 'remote_apply' }]);
  });

  whereServer(
    `zero_damaged_pages = on: a line at the start, and the doctor says bad (S26)${NEEDS_SERVER}`,
    async () => {
      await alter('SET zero_damaged_pages = on');
      const relay = await scenario.start();
      const doctor = await Connection.open(scenario.database.url, 'the test');
      const found = await settingsCheck(doctor);
      await doctor.close();
      await alter('RESET zero_damaged_pages');
      const settings = ['zero_damaged_pages = on'];
      expect(relay.logged).toContainEqual(expect.objectContaining({ event: 'database.not_durable', settings }));
      expect(found).toMatchObject({ level: 'bad', details: settings });
    },
  );

  whereServer.each(['LATIN1', 'SQL_ASCII'])(
    `a database of the encoding %s: the start refuses in one line and changes nothing, and the doctor says bad (S25)${NEEDS_SERVER}`,
    async (encoding) => {
      const name = `${nameOf(scenario.database.url)}_${encoding.toLowerCase()}`;
      await scenario.database.query(
        `CREATE DATABASE ${name} TEMPLATE template0 ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C'`,
      );
      const url = Object.assign(new URL(scenario.database.url), { pathname: `/${name}` }).href;
      const line = await startsWith(url);
      const doctor = await Connection.open(url, 'the test');
      const [found, tables] = [
        await settingsCheck(doctor),
        await doctor.query(`SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
      ];
      await doctor.close();
      await scenario.database.query(`DROP DATABASE ${name} WITH (FORCE)`);
      expect(line).toMatch(
        new RegExp(`^the database "${name}" of DATABASE_URL has the encoding ${encoding}, .*UTF8.*$`),
      );
      expect(found).toMatchObject({ level: 'bad' });
      expect(tables).toEqual([]);
    },
  );
});
