import { pino } from 'pino';
import { loadConfig } from '../../../src/platform/config/config.js';
import { within } from '../../../src/platform/database/deadline.js';
import { isDatabaseAway, reasonOf } from '../../../src/platform/database/errors.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { NEEDS_SERVER, whereServer } from '../../support/database.js';
import { Scenario } from '../../support/scenario.js';

const log = pino({ level: 'silent' }) as unknown as Log;

describe(`a server that became read-only${NEEDS_SERVER}`, () => {
  let scenario: Scenario;
  let database: Scenario['database'];
  let prisma: PrismaService;

  beforeEach(async () => {
    scenario = await Scenario.ofProcesses();
    database = scenario.database;
    prisma = await open();
  });
  afterEach(async () => {
    await prisma.onApplicationShutdown();
    await scenario.close();
  });

  const open = (changes = {}) => PrismaService.open(loadConfig({ ...scenario.environment, ...changes }), log);

  /** New sessions are read-only, as on a standby; those there are keep what they have. */
  async function becomeReadOnly(on: boolean): Promise<void> {
    const name = new URL(database.url).pathname.slice(1);
    await database.query(`ALTER DATABASE ${name} ${on ? 'SET default_transaction_read_only = on' : 'RESET ALL'}`);
  }
  async function endSessions(): Promise<void> {
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'relay'`,
    );
  }
  const write = () => prisma.$executeRaw`DELETE FROM spent_keys`;
  const sleepers = () => Promise.all(Array.from({ length: 5 }, () => prisma.$queryRaw`SELECT pg_sleep(0.2)::text`));

  whereServer.each([
    ['a statement', write],
    ['a transaction', () => prisma.$transaction(async (tx) => tx.$executeRaw`DELETE FROM spent_keys`)],
  ])('%s fails as an outage, and its connections are closed', async (_, work) => {
    await becomeReadOnly(true);
    await endSessions();
    // five connections to the server that takes no writes
    await sleepers().catch(sleepers);
    expect(await prisma.canWrite()).toBe(false);
    const error = await work().catch((thrown: unknown) => thrown);
    expect(isDatabaseAway(error)).toBe(true);
    expect(reasonOf(error)).toMatch(/read-only transaction/);
    await becomeReadOnly(false);
    await Promise.all(Array.from({ length: 5 }, write));
    expect(await prisma.canWrite()).toBe(true);
  });

  whereServer('after a statement failed with a full disk, canWrite is false', async () => {
    expect(await prisma.canWrite()).toBe(true);
    const full = prisma.$executeRawUnsafe(
      `DO $$ BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$`,
    );
    expect(isDatabaseAway(await full.catch((thrown: unknown) => thrown))).toBe(true);
    expect(await prisma.canWrite()).toBe(false);
  });

  whereServer('a request of several statements has a limit of its own', async () => {
    const slow = prisma.$queryRaw`SELECT pg_sleep(0.3)::text AS slept`;
    const error = await within(50, slow).catch((thrown: unknown) => thrown);
    expect([isDatabaseAway(error), reasonOf(error)]).toEqual([true, expect.stringContaining('within 50 ms')]);
    expect(await within(5_000, Promise.resolve('done'))).toBe('done');
    await slow;
  });

  whereServer('a statement beyond its limit is ended on the server too, and counts as an outage', async () => {
    const impatient = await open({ DATABASE_TIMEOUT_MS: '300' });
    const error = await impatient.$queryRaw`SELECT pg_sleep(20)::text`.catch((thrown: unknown) => thrown);
    expect(isDatabaseAway(error)).toBe(true);
    expect(reasonOf(error)).toMatch(/statement timeout/);
    const running = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(20)%' AND state = 'active' AND datname = current_database() AND pid <> pg_backend_pid()`;
    // the error may arrive before the session is idle
    await scenario.jobs.until(async () => (await database.query(running)).length === 0, 5_000);
    // reports have a longer limit
    expect(await impatient.reports.$queryRaw`SELECT pg_sleep(0.5)::text AS slept`).toEqual([{ slept: '' }]);
    await impatient.onApplicationShutdown();
  });
});
