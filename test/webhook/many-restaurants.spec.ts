import type { PreparedStatement } from '../../src/platform/database/prepared.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import { Scenario } from '../support/scenario.js';

const OTHERS = 1_000;

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly Node[];
}

/** As on a server right after many were added, and before its autovacuum has looked: a plan needs no statistics (decisions/032). */
describe('a sale among a thousand restaurants', () => {
  const scenario = Scenario.ofSuite();

  test('the statement that stores it reads its own restaurant, and no other', async () => {
    const { sell } = await scenario.restaurant('STORE-1');
    await scenario.database.query(
      `INSERT INTO restaurants (id, name, slug, code_store_terminal)
       SELECT gen_random_uuid(), 'Restaurant ' || n, 'restaurant-' || n, 'OTHER-' || n FROM generate_series(1, $1::int) n`,
      [OTHERS],
    );
    const prisma = scenario.relay.get(PrismaService);
    const said: [PreparedStatement, readonly unknown[]][] = [];
    jest.spyOn(prisma, 'prepared').mockImplementation(async (statement, values) => {
      said.push([statement, values]);
      return prisma.unprepared(statement.text, values);
    });
    await sell();
    const [{ text }, values] = said.find(([{ text }]) =>
      text.includes('INSERT INTO terminal_events'),
    ) as (typeof said)[0];
    // the same sale again, so that all of its statement but the new rows is executed, by the settings of the relay's sessions
    const plan = await prisma.$transaction(async (client) => {
      await client.$executeRawUnsafe('SET LOCAL enable_seqscan = off');
      const [row] = await client.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: Node }] }[]>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
        ...values,
      );
      return row?.['QUERY PLAN'][0].Plan as Node;
    });
    const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)];
    const reads = flat(plan).filter((node) => node['Relation Name'] === 'restaurants');
    expect(reads.length).toBeGreaterThan(1);
    for (const node of reads)
      expect((node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']).toBeLessThanOrEqual(
        1,
      );
  });
});
