import { pino } from 'pino';
import { PrismaClient } from '../../../src/platform/database/generated/client.js';
import { ConnectionPool } from '../../../src/platform/database/pool.js';
import { inUtc, ZonedPrismaPg } from '../../../src/platform/database/times.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { openDatabase, type TestDatabase } from '../../support/database.js';

const log = pino({ level: 'silent' }) as unknown as Log;

describe('times do not depend on the zone of the session', () => {
  let database: TestDatabase;
  let pool: ConnectionPool;
  let prisma: PrismaClient;

  beforeAll(async () => {
    database = await openDatabase();
    // one connection, so that what is set stays
    pool = new ConnectionPool(database.url, { size: 1, connectMs: 5_000, statementMs: 5_000 }, undefined, log);
    prisma = new PrismaClient({ adapter: new ZonedPrismaPg(pool) });
  });
  afterAll(async () => {
    await pool.close(prisma.$disconnect());
    await database.close();
  });

  test('a session of ours starts in UTC', async () => {
    expect(await prisma.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone: 'UTC' }]);
  });

  test.each(['UTC', 'America/Sao_Paulo', 'Asia/Kolkata', 'Pacific/Chatham'])('%s', async (zone) => {
    await prisma.$executeRawUnsafe(`SET TIME ZONE '${zone}'`);
    const at = new Date('2026-02-15T23:30:00.123Z');
    const { id } = await prisma.restaurant.create({ data: { name: zone, slug: zone.toLowerCase(), createdAt: at } });
    const [raw] = await prisma.$queryRaw<{ epoch: number; at: Date; passed: Date; list: Date[] }[]>`
      SELECT extract(epoch FROM created_at)::float8 * 1000 AS epoch, created_at AS at, ${at}::timestamptz AS passed,
        ARRAY[created_at, NULL] AS list
      FROM restaurants WHERE id = ${id}::uuid AND created_at = ${at}::timestamptz`;
    expect(raw).toMatchObject({ epoch: at.getTime(), at, passed: at });
    expect(new Date(raw?.list[0] as Date)).toEqual(at);
    expect(await prisma.restaurant.findFirst({ where: { id, createdAt: at } })).toMatchObject({ createdAt: at });
    await prisma.$transaction(async (tx) => {
      await tx.restaurant.update({ where: { id }, data: { deletedAt: at } });
      expect(await tx.restaurant.findMany({ where: { deletedAt: { gte: at, lte: at }, id } })).toHaveLength(1);
    });
    await prisma.$executeRaw`DELETE FROM restaurants`;
  });

  test.each([
    ['2026-11-21 16:00:00.123456-03', '2026-11-21 19:00:00.123456+00'],
    ['2026-11-21 00:15:00+05:30', '2026-11-20 18:45:00+00'],
    ['1900-01-01 00:00:00-03:06:28', '1900-01-01 03:06:28+00'],
    ['2026-11-21 19:00:00.5+00', '2026-11-21 19:00:00.5+00'],
    ['infinity', 'infinity'],
  ])('%s is %s', (text, utc) => {
    const parse = inUtc({ getTypeParser: () => (raw: string) => raw } as never)(1184, 'text');
    expect(parse(text as never)).toBe(utc);
  });
});
