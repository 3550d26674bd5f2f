import { Prisma } from '../../src/platform/database/generated/client.js';
import type { PreparedStatement } from '../../src/platform/database/prepared.js';
import { PrismaService } from '../../src/platform/database/prisma.service.js';
import type { Scenario } from './scenario.js';

interface Node {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Index Recheck'?: number;
  readonly Plans?: readonly Node[];
}

/** A Prisma client that records how many rows each raw statement reads. */
export function countingRows(scenario: Scenario): { readonly prisma: PrismaService; readonly read: number[] } {
  const real = scenario.relay.get(PrismaService);
  const read: number[] = [];
  const rowsOf = (node: Node): number => {
    const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const own = node['Relation Name'] ? (node['Actual Rows'] + removed) * node['Actual Loops'] : 0;
    return own + (node.Plans ?? []).reduce((sum, inner) => sum + rowsOf(inner), 0);
  };
  async function count(text: string, values: readonly unknown[]): Promise<void> {
    // with the settings of the relay's connections: compiling the plan of a long statement takes seconds
    const [row] = await real.unprepared<{ 'QUERY PLAN': [{ Plan: Node }] }>(
      `EXPLAIN (ANALYZE, TIMING off, FORMAT JSON) ${text}`,
      values,
    );
    read.push(rowsOf((row as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan));
  }
  const $queryRaw = async (strings: TemplateStringsArray, ...values: unknown[]) => {
    const { text, values: bound } = Prisma.sql(strings, ...values);
    await count(text, bound);
    return real.$queryRaw(strings, ...values);
  };
  const unprepared = async (text: string, values: unknown[]) => {
    await count(text, values);
    return real.unprepared(text, values);
  };
  const report = async (text: string, values: unknown[]) => {
    await count(text, values);
    return real.report(text, values);
  };
  const prepared = ({ text }: PreparedStatement, values: unknown[]) => unprepared(text, values);
  const { restaurant, outboxJob } = real;
  const prisma = { $queryRaw, unprepared, prepared, report, restaurant, outboxJob, reports: { $queryRaw } };
  return { prisma: prisma as unknown as PrismaService, read };
}
