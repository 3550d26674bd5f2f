import type { PrismaService } from '../../platform/database/prisma.service.js';
import type { OpenTransaction, Read, Seen } from './receipt-cursor.js';
import { OPEN } from './receipts.sql.js';

/** The most open transactions of a cursor; of more, the youngest are one time. */
const MOST = 32;
/** A session's id that no session has: its transaction has always ended. */
const NO_SESSION = 0;

/** What is open shortly before a snapshot is taken. */
export interface Before {
  /** µs since 1970, by the database's clock */
  readonly at: string;
  /** the same moment by the steady clock of this process, in ms */
  readonly clock: number;
  /** what began long before, the oldest first */
  readonly open: readonly OpenTransaction[];
  /** others may be open, that this session may not see */
  readonly hides: boolean;
  /** the ids, 32 bits of each, that this session may see */
  readonly known: readonly string[];
}

/** Reads what is open now. Read before a snapshot, this has all that began before, and that the snapshot will not see. */
export async function readBefore(prisma: PrismaService): Promise<Before> {
  // no clock that is set, or that time synchronisation turns back
  const clock = Math.floor(performance.timeOrigin + performance.now());
  const [before] = await prisma.prepared<Omit<Before, 'clock'>>(OPEN, []);
  return { ...(before as Before), clock };
}

/**
 * What a cursor keeps of a snapshot that was taken after `before` (V28). Of a transaction that this session may not see nobody knows when it
 * began: as long as it is open, its list goes back to where the list began that met it first.
 * @param since where the list began; µs since 1970
 * @param read the cursor of the list
 */
export function openBefore(before: Before, snapshot: string, since: string, read: Read): Seen {
  const { at, clock, hides, known } = before;
  const hidden = hides ? hiddenIn(snapshot, known).map((xid) => hiddenSince(xid, since, read)) : [];
  return { snapshot, at, clock, open: atMost([...before.open, ...hidden]) };
}

/** The ids of the transactions that run, without those that `known` has. */
function hiddenIn(snapshot: string, known: readonly string[]): string[] {
  const running = snapshot.split(':')[2] ?? '';
  const seen = new Set(known);
  return running.split(',').filter((xid) => xid !== '' && !seen.has(String(BigInt.asUintN(32, BigInt(xid)))));
}

function hiddenSince(xid: string, since: string, { open }: Read): OpenTransaction {
  return open.find((each) => each.xid === xid) ?? { pid: null, xid, begin: since };
}

function atMost(open: readonly OpenTransaction[]): OpenTransaction[] {
  const sorted = open.toSorted((a, b) => Number(BigInt(a.begin) - BigInt(b.begin)));
  const [first] = sorted.slice(MOST - 1);
  if (sorted.length <= MOST || !first) return sorted;
  return [...sorted.slice(0, MOST - 1), { pid: NO_SESSION, xid: null, begin: first.begin }];
}
