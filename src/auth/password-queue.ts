import { ClientGoneError } from '../platform/http/client-gone.js';
import { networkOf } from '../platform/http/limits/network.js';
import { problem } from '../platform/http/problem.js';

/** More concurrent work would delay calls to the POS: bcrypt shares libuv's thread pool with DNS lookups. */
const MAX_RUNNING = 2;
/** About 8 s of work at the default BCRYPT_COST. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_ADDRESS = 32;
const RETRY_AFTER_SECONDS = 5;

/** How well a check is known; a full queue refuses those of a lower number first (A7). */
export const Standing = {
  /** of an account that does not exist */
  Stranger: 0,
  /** of an account that exists */
  Account: 1,
  /** of an account whose password was right from this address within 24 hours */
  Known: 2,
} as const;
export type Standing = (typeof Standing)[keyof typeof Standing];

/** The client of a password check. */
export interface PasswordSender {
  /** IP address */
  readonly address: string;
  /** the id of the user who is signed in: the check then has a place of this user, whatever the address */
  readonly account?: string;
  /** aborts when the client has closed its connection */
  readonly gone?: AbortSignal;
  /** the id of the request, for the audit (R27) */
  readonly requestId?: string | null;
}

interface Entry {
  /** counts the entries of the queue: a greater number arrived later */
  readonly arrival: number;
  readonly standing: Standing;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * The bounded queue of bcrypt work (A7, L155); two entries run concurrently. The entries of one address (of IPv6: its first 64 bits; of a
 * user who is signed in: the user, whatever the address) run in order of arrival, so that the order does not reveal which accounts exist (A6). Addresses whose first entry concerns an existing account
 * are served first. Among equals, the address that was served least recently is next. When the queue is full, see {@link PasswordQueue.add}.
 */
export class PasswordQueue {
  /** address -> its waiting entries, at least one; ordered by the last time the address was served */
  private readonly waiting = new Map<string, Entry[]>();
  private size = 0;
  private arrivals = 0;
  private running = 0;

  /**
   * Runs the work; waits in the queue while two others run.
   * @throws 503 TOO_MANY_PASSWORD_CHECKS when the queue is full, also during the wait, when a better known check takes the place;
   *   ClientGoneError when the client disconnected during the wait
   */
  async run<T>(sender: PasswordSender, standing: Standing, work: () => Promise<T>): Promise<T> {
    const { gone } = sender;
    if (this.running >= MAX_RUNNING) await this.turn(keyOf(sender), gone, standing);
    else this.running++;
    try {
      if (gone?.aborted) throw new ClientGoneError();
      return await work();
    } finally {
      this.running--;
      this.startNext();
    }
  }

  /** @throws 503 TOO_MANY_PASSWORD_CHECKS when the address has no place, whatever its account */
  refuseWithoutRoom(sender: PasswordSender): void {
    if ((this.waiting.get(keyOf(sender))?.length ?? 0) >= MAX_WAITING_PER_ADDRESS) throw full();
  }

  /** Waits in the queue. */
  private turn(address: string, gone: AbortSignal | undefined, standing: Standing): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const start = () => {
        gone?.removeEventListener('abort', leave);
        this.running++;
        resolve();
      };
      const entry: Entry = { arrival: ++this.arrivals, standing, start, refuse: reject };
      const leave = () => {
        this.remove(address, entry);
        reject(new ClientGoneError());
      };
      this.add(address, entry);
      gone?.addEventListener('abort', leave, { once: true });
      if (gone?.aborted) leave();
    });
  }

  /**
   * Adds an entry. When the queue is full, one is refused: of the entries that are less known than the new one, the latest of the least
   * known; if there is none, the latest entry of the address with the most entries, which may be the new one. An entry that is better known
   * than the new one stays. So strangers, however many their addresses, keep out neither people with an account nor terminals.
   */
  private add(address: string, entry: Entry): void {
    const own = this.waiting.get(address) ?? [];
    if (own.length >= MAX_WAITING_PER_ADDRESS) throw full();
    if (this.size >= MAX_WAITING) {
      const other = this.lessKnownThan(entry) ?? this.ofLongerAddress(own.length + 1, entry);
      if (!other) throw full();
      this.remove(...other);
      other[1].refuse(full());
    }
    own.push(entry);
    this.waiting.set(address, own);
    this.size++;
  }

  /** @returns the latest of the least known entries that are less known than this one */
  private lessKnownThan({ standing }: Entry): [address: string, entry: Entry] | undefined {
    const less = [...this.waiting].flatMap(([address, entries]) =>
      entries.filter((each) => each.standing < standing).map((each): [string, Entry] => [address, each]),
    );
    less.sort(([, a], [, b]) => a.standing - b.standing || b.arrival - a.arrival);
    return less[0];
  }

  /** @returns the latest entry of the address with the most entries, if they are more than `length` and it is not better known than this one */
  private ofLongerAddress(length: number, { standing }: Entry): [address: string, entry: Entry] | undefined {
    const longer = [...this.waiting].flatMap(([address, entries]) => {
      const latest = entries.at(-1);
      return latest && latest.standing <= standing && entries.length > length ? [{ address, latest, entries }] : [];
    });
    longer.sort((a, b) => b.entries.length - a.entries.length);
    return longer[0] && [longer[0].address, longer[0].latest];
  }

  private startNext(): void {
    if (this.running >= MAX_RUNNING || this.size === 0) return;
    const addresses = [...this.waiting];
    const next = addresses.find(([, [head]]) => head && head.standing > Standing.Stranger) ?? addresses[0];
    const [address, [head]] = next as [string, Entry[]];
    this.remove(address, head as Entry);
    const rest = this.waiting.get(address);
    if (rest) {
      this.waiting.delete(address);
      this.waiting.set(address, rest);
    }
    head?.start();
  }

  private remove(address: string, entry: Entry): void {
    const entries = this.waiting.get(address) ?? [];
    const index = entries.indexOf(entry);
    if (index < 0) return;
    entries.splice(index, 1);
    this.size--;
    if (entries.length === 0) this.waiting.delete(address);
  }
}

/** Who has places in the queue: an account, or a network. No network has a name like this. */
function keyOf({ address, account }: PasswordSender): string {
  return account === undefined ? networkOf(address) : `user ${account}`;
}

function full() {
  return problem(
    'TOO_MANY_PASSWORD_CHECKS',
    `too many password checks are waiting; try again in ${RETRY_AFTER_SECONDS} s`,
    RETRY_AFTER_SECONDS,
  );
}
