import { ClientGoneError } from '../http/client-gone.js';
import { problem } from '../http/problem.js';

/** More concurrent work would delay calls to the POS: bcrypt shares libuv's thread pool with DNS lookups. */
const MAX_RUNNING = 2;
/** About 8 s of work at the default BCRYPT_COST. */
const MAX_WAITING = 64;
const MAX_WAITING_PER_ADDRESS = 32;
const RETRY_AFTER_SECONDS = 5;

/** The client of a password check. */
export interface PasswordSender {
  /** IP address */
  readonly address: string;
  /** aborts when the client has closed its connection */
  readonly gone?: AbortSignal;
  /** the id of the request, for the audit (R27) */
  readonly requestId?: string | null;
}

interface Entry {
  /** whether the check concerns an account that exists */
  readonly known: boolean;
  readonly start: () => void;
  readonly refuse: (error: Error) => void;
}

/**
 * The bounded queue of bcrypt work (A7); two entries run concurrently. The entries of one address run in order of arrival, so that the
 * order does not reveal which accounts exist (A6). Addresses whose first entry concerns an existing account are served first. Among
 * equals, the address that was served least recently is next.
 */
export class PasswordQueue {
  /** address -> its waiting entries, at least one; ordered by the last time the address was served */
  private readonly waiting = new Map<string, Entry[]>();
  private size = 0;
  private running = 0;

  /**
   * Runs the work; waits in the queue while two others run.
   * @param known whether the check concerns an account that exists
   * @throws 503 TOO_MANY_PASSWORD_CHECKS when the queue is full; ClientGoneError when the client disconnected during the wait
   */
  async run<T>({ address, gone }: PasswordSender, known: boolean, work: () => Promise<T>): Promise<T> {
    if (this.running >= MAX_RUNNING) await this.turn(address, gone, known);
    else this.running++;
    try {
      if (gone?.aborted) throw new ClientGoneError();
      return await work();
    } finally {
      this.running--;
      this.startNext();
    }
  }

  /** Waits in the queue. */
  private turn(address: string, gone: AbortSignal | undefined, known: boolean): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const start = () => {
        gone?.removeEventListener('abort', leave);
        this.running++;
        resolve();
      };
      const entry: Entry = { known, start, refuse: reject };
      const leave = () => {
        this.remove(address, entry);
        reject(new ClientGoneError());
      };
      this.add(address, entry);
      gone?.addEventListener('abort', leave, { once: true });
      if (gone?.aborted) leave();
    });
  }

  /** Adds an entry. When the queue is full, the latest entry of the address with the most entries is refused; this may be the new entry. */
  private add(address: string, entry: Entry): void {
    const own = this.waiting.get(address) ?? [];
    if (own.length >= MAX_WAITING_PER_ADDRESS) throw full();
    if (this.size >= MAX_WAITING) {
      const [longest, entries] = [...this.waiting].reduce((most, each) =>
        each[1].length > most[1].length ? each : most,
      );
      const latest = entries.at(-1);
      if (entries.length <= own.length + 1 || !latest) throw full();
      this.remove(longest, latest);
      latest.refuse(full());
    }
    own.push(entry);
    this.waiting.set(address, own);
    this.size++;
  }

  private startNext(): void {
    if (this.running >= MAX_RUNNING || this.size === 0) return;
    const addresses = [...this.waiting];
    const next = addresses.find(([, [head]]) => head?.known) ?? addresses[0];
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

function full() {
  return problem(
    'TOO_MANY_PASSWORD_CHECKS',
    `too many password checks are waiting; try again in ${RETRY_AFTER_SECONDS} s`,
    RETRY_AFTER_SECONDS,
  );
}
