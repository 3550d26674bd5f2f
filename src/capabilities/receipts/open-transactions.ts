import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { OpenTransaction, Read, Seen } from './receipt-cursor.js';
import { NO_SESSION, OPEN } from './receipts.sql.js';

/** The most open transactions of a cursor; of more, the youngest are one time. */
const MOST = 32;

/** What is open shortly before a snapshot is taken. */
export interface Before {
  /** µs since 1970, by the database's clock */
  readonly at: string;
  /** the same moment by the steady clock of this process, in ms */
  readonly clock: number;
  /** what began long before, the oldest first */
  readonly open: readonly OpenTransaction[];
  /** others may be open, whose begin this session cannot see */
  readonly hides: boolean;
  /** the ids, 32 bits of each, that this session may see */
  readonly known: readonly string[];
  /** the ids, 32 bits of each, of those whose begin it cannot see */
  readonly hidden: readonly string[];
}

/** Reads what is open now. Read before a snapshot, this has all that began before, and that the snapshot will not see. */
export async function readBefore(prisma: PrismaService): Promise<Before> {
  // no clock that is set, or that time synchronisation turns back
  const clock = Math.floor(performance.timeOrigin + performance.now());
  const [before] = await prisma.prepared<Omit<Before, 'clock'>>(OPEN, []);
  return { ...(before as Before), clock };
}

/**
 * What a cursor keeps of a snapshot that was taken after `before` (V28). Of a transaction that this session cannot see nobody knows when it
 * began: it counts as begun at `met` of the list that met it first. That is where this list would begin if no such transaction had ended: else
 * each list would go back further than the one before, where all transactions are hidden.
 * @param met µs since 1970
 * @param read the cursor of the list
 */
export function openBefore(
  before: Before,
  { snapshot, at: taken }: Pick<Seen, 'snapshot' | 'at'>,
  met: string,
  read: Read,
): Seen {
  const { clock, hides } = before;
  // the snapshot sees the mark of a step back that came between
  const at = BigInt(taken) < BigInt(before.at) ? taken : before.at;
  const hidden = hides ? hiddenIn(snapshot, before).map((xid) => hiddenSince(xid, met, read)) : [];
  return { snapshot, at, clock, open: atMost([...before.open, ...hidden]) };
}

/** The ids of the transactions that the snapshot does not see, and whose begin nobody knows: of those that it names, without `known`, and `hidden`. */
function hiddenIn(snapshot: string, { known, hidden }: Before): string[] {
  const [, next = '', running = ''] = snapshot.split(':');
  const seen = new Set(known);
  const named = running.split(',').filter((xid) => xid !== '' && !seen.has(String(BigInt.asUintN(32, BigInt(xid)))));
  return [...new Set([...named, ...hidden.map((xid) => wholeId(xid, BigInt(next)))])];
}

/** The whole id whose lower 32 bits are `xid`: of all such ids the nearest to `near`. */
function wholeId(xid: string, near: bigint): string {
  return String(near + BigInt.asIntN(32, BigInt(xid) - near));
}

function hiddenSince(xid: string, met: string, { open }: Read): OpenTransaction {
  return open.find((each) => each.xid === xid) ?? { pid: null, xid, begin: met };
}

function atMost(open: readonly OpenTransaction[]): OpenTransaction[] {
  const sorted = open.toSorted((a, b) => Number(BigInt(a.begin) - BigInt(b.begin)));
  const [first] = sorted.slice(MOST - 1);
  if (sorted.length <= MOST || !first) return sorted;
  return [...sorted.slice(0, MOST - 1), { pid: NO_SESSION, xid: null, begin: first.begin }];
}
