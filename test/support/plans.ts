import { Prisma } from '../../src/platform/database/generated/client.js';
import type { PreparedStatement } from '../../src/platform/database/prepared.js';
import type { PrismaService } from '../../src/platform/database/prisma.service.js';

interface Node {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Node[];
}

/** The tables that a statement reads. */
export interface Plan {
  readonly text: string;
  /** from the first row to the last */
  readonly scans: readonly string[];
  /** by an index */
  readonly indexes: readonly string[];
}

/** What sends statements: a client, or a transaction. */
type Sender = Prisma.TransactionClient;

/** A Prisma client that explains each raw statement before it is sent, also within transactions. */
export function planning(real: PrismaService): { readonly prisma: PrismaService; readonly plans: readonly Plan[] } {
  const plans: Plan[] = [];
  const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  // by the sender's own session: the embedded database has one, which a transaction holds
  async function explain(sender: Sender, text: string, values: readonly unknown[]): Promise<void> {
    const [row] = await sender.$queryRawUnsafe<{ 'QUERY PLAN': [{ Plan: Node }] }[]>(
      `EXPLAIN (FORMAT JSON) ${text}`,
      ...values,
    );
    const nodes = nodesOf((row as { 'QUERY PLAN': [{ Plan: Node }] })['QUERY PLAN'][0].Plan);
    const read = (isWanted: (type: string) => boolean) =>
      nodes.filter((node) => isWanted(node['Node Type'])).flatMap((node) => node['Relation Name'] ?? []);
    plans.push({
      text,
      scans: read((type) => type === 'Seq Scan'),
      indexes: read((type) => type.startsWith('Index') || type.startsWith('Bitmap')),
    });
  }
  const wrapped = <Client extends Sender>(client: Client, more: object = {}): Client =>
    new Proxy(client, {
      get(target, name) {
        if (name in more) return Reflect.get(more, name);
        const value = Reflect.get(target, name);
        if (name !== '$queryRaw' && name !== '$executeRaw') return value;
        return async (strings: TemplateStringsArray, ...values: unknown[]) => {
          const sql = Prisma.sql(strings, ...values);
          await explain(target, sql.text, sql.values);
          return target[name](strings, ...values);
        };
      },
    });
  const prisma = wrapped(real, {
    reports: wrapped(real.reports),
    prepared: async ({ text }: PreparedStatement, values: unknown[]) => {
      await explain(real, text, values);
      return real.unprepared(text, values);
    },
    $transaction: (run: (tx: Sender) => Promise<unknown>) => real.$transaction((tx) => run(wrapped(tx))),
  });
  return { prisma, plans };
}
