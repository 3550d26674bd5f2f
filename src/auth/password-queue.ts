import { ClientGoneError } from '../platform/http/client-gone.js';
import { networkOf } from '../platform/http/limits/network.js';
import { problem } from '../platform/http/problem.js';
import { AT_ONCE } from '../platform/spare-core.js';

/** The checks of people who are not known, as far as they fail, take at most this part of one core (L171). */
const PART_OF_STRANGERS = 0.5;
/** About 16 s of work at the default BCRYPT_COST, on one core. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_ADDRESS = 32;
const RETRY_AFTER_SECONDS = 5;

/** How well a check is known; a full queue refuses those of a lower number first (A7). */
export const Standing = {
  /** of an account that does not exist */
  Stranger: 0,
  /** of an account that exists */
  Account: 1,
  /** of an account whose password was right from this address within 24 hours, and wrong within the last minute */
  Doubtful: 2,
  /** as before, and not wrong within the last minute; it waits for no rest */
  Known: 3,
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
 * The bounded queue of bcrypt work (A7, L155); {@link AT_ONCE} entries run concurrently. The entries of one address (of IPv6: its first 64 bits; of a
 * user who is signed in: the user, whatever the address) run in order of arrival, so that the order does not reveal which accounts exist (A6). Addresses whose first entry concerns an existing account
 * are served first. Among equals, the address that was served least recently is next. When the queue is full, see {@link PasswordQueue.add}.
 * After a check that failed, checks that are not {@link Standing.Known} rest, so that strangers together leave the cores to the sales (L171). Whether
 * the account exists makes no difference (A6).
 */
export class PasswordQueue {
  /** address -> its waiting entries, at least one; ordered by the last time the address was served */
  private readonly waiting = new Map<string, Entry[]>();
  private size = 0;
  private arrivals = 0;
  private running = 0;
  /** until when checks rest that are not Known, in ms of performance.now() */
  private restsUntil = 0;
  private restTimer: NodeJS.Timeout | undefined;

  /** @param atOnce entries that run concurrently */
  constructor(private readonly atOnce = AT_ONCE) {}

  /**
   * Runs the work; waits in the queue while others run, or rest.
   * @param isGood whether the result shows that the sender is no stranger; others do not rest after it
   * @throws 503 TOO_MANY_PASSWORD_CHECKS when the queue is full, also during the wait, when a better known check takes the place;
   *   ClientGoneError when the client disconnected during the wait
   */
  async run<T>(
    sender: PasswordSender,
    standing: Standing,
    work: () => Promise<T>,
    isGood: (result: T) => boolean = () => true,
  ): Promise<T> {
    const { gone } = sender;
    if (this.running >= this.atOnce || !this.mayBegin(standing)) await this.turn(keyOf(sender), gone, standing);
    else this.running++;
    try {
      if (gone?.aborted) throw new ClientGoneError();
      const startedAt = performance.now();
      const result = await work();
      if (!isGood(result)) this.rest(performance.now() - startedAt);
      return result;
    } finally {
      this.running--;
      this.startNext();
    }
  }

  private mayBegin(standing: Standing): boolean {
    return standing === Standing.Known || performance.now() >= this.restsUntil;
  }

  /** Failed checks that ran at once are added up. */
  private rest(tookMs: number): void {
    const startedAt = performance.now() - tookMs;
    this.restsUntil = Math.max(this.restsUntil, startedAt) + tookMs / PART_OF_STRANGERS;
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
      // it waits for the end of a rest, and not of another check
      else if (this.running < this.atOnce) this.startNext();
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
    while (this.running < this.atOnce && this.size > 0) {
      const next = this.next();
      if (!next) {
        this.startAfterRest();
        return;
      }
      const [address, head] = next;
      this.remove(address, head);
      const rest = this.waiting.get(address);
      if (rest) {
        this.waiting.delete(address);
        this.waiting.set(address, rest);
      }
      head.start();
    }
  }

  /** @returns undefined while all that wait have to rest */
  private next(): [address: string, head: Entry] | undefined {
    const heads = [...this.waiting].flatMap(([address, [head]]) =>
      head && this.mayBegin(head.standing) ? [[address, head] as [string, Entry]] : [],
    );
    const best = (least: Standing) => heads.find(([, { standing }]) => standing >= least);
    return best(Standing.Known) ?? best(Standing.Account) ?? heads[0];
  }

  private startAfterRest(): void {
    this.restTimer ??= setTimeout(
      () => {
        this.restTimer = undefined;
        this.startNext();
      },
      Math.ceil(this.restsUntil - performance.now()),
    );
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
