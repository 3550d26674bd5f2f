import { lookup, Resolver } from 'node:dns/promises';
import { OutboundError } from './outbound-error.js';

/** An IP address of a host, as `dns.lookup` gives it. */
export interface HostAddress {
  readonly address: string;
  readonly family: number;
}

/** How names are looked up in DNS (L175). */
export interface ResolverOptions {
  /** `address:port` of the name servers; absent: those of the system */
  readonly servers?: readonly string[];
  /** look-ups under way */
  readonly most: number;
  /** limit of a look-up, in ms */
  readonly lookUpMs: number;
  /** how long a name server has to answer before the question is sent once more, in ms */
  readonly questionMs: number;
}

const OPTIONS: ResolverOptions = { most: 32, lookUpMs: 5_000, questionMs: 2_000 };

/** Who looks up a name, and how. */
export interface LookUpRequest {
  /** aborted: the caller waits no longer */
  readonly signal: AbortSignal;
  /** as the machine does it, `/etc/hosts` included: only for names that the operator chose */
  readonly bySystem: boolean;
}

/**
 * Looks up the addresses of hosts that people typed (G48). `dns.lookup` has two threads of the process for all look-ups, those of the POS
 * too, and cannot be ended: two names whose servers never answer would hold up every order. So names are asked of DNS directly, without
 * a thread, with a limit. Those who ask for one host at the same time share the look-up, and it ends with the last of them.
 */
export class HostResolver {
  private readonly options: ResolverOptions;
  /** by host, the oldest first */
  private readonly underWay = new Map<string, DnsLookUp>();
  /** by host: one of them holds one thread, however many wait for it */
  private readonly underWayBySystem = new Map<string, Promise<HostAddress[]>>();

  /** @param options in place of the usual ones (L175), for tests */
  constructor(options: Partial<ResolverOptions> = {}) {
    this.options = { ...OPTIONS, ...options };
  }

  /**
   * @param host as in `URL.hostname`, no literal address
   * @throws the reason of the signal; OutboundError `UNANSWERED` when the look-up gave way to newer ones (L175); an error with the code
   * ENOTFOUND (there is no such name, or it has no address) or EAI_AGAIN, as `dns.lookup` has them, and without the name
   */
  async resolve(host: string, { signal, bySystem }: LookUpRequest): Promise<HostAddress[]> {
    signal.throwIfAborted();
    if (bySystem) return unlessAborted(this.systemLookUpOf(host), signal);
    const lookUp = this.underWay.get(host) ?? this.begin(host);
    lookUp.waiting++;
    try {
      return await unlessAborted(lookUp.found, signal);
    } finally {
      if (--lookUp.waiting === 0) this.end(host, lookUp);
    }
  }

  /** Begins a look-up. When there are too many, the oldest gives way: names that are answered need a fraction of the time until then. */
  private begin(host: string): DnsLookUp {
    const [oldest] = this.underWay;
    if (oldest && this.underWay.size >= this.options.most) {
      oldest[1].gaveWay = true;
      this.end(...oldest);
    }
    const lookUp = new DnsLookUp(host, this.options);
    this.underWay.set(host, lookUp);
    return lookUp;
  }

  private end(host: string, lookUp: DnsLookUp): void {
    if (this.underWay.get(host) === lookUp) this.underWay.delete(host);
    lookUp.cancel();
  }

  private systemLookUpOf(host: string): Promise<HostAddress[]> {
    const shared = this.underWayBySystem.get(host);
    if (shared) return shared;
    const found = lookup(host, { all: true, verbatim: true }).finally(() => this.underWayBySystem.delete(host));
    this.underWayBySystem.set(host, found);
    return found;
  }
}

/** A look-up in DNS: both kinds of addresses of a host. */
class DnsLookUp {
  /** callers that wait for it */
  waiting = 0;
  /** cancelled because there were too many */
  gaveWay = false;
  readonly found: Promise<HostAddress[]>;
  /**
   * Each look-up has its own, which takes 0.2 ms: `cancel` ends all questions of a resolver, and a resolver reads the system's name servers
   * (`/etc/resolv.conf`) only when it is made. So a change of them counts from the next look-up on.
   */
  private readonly resolver: Resolver;

  constructor(host: string, { servers, lookUpMs, questionMs }: ResolverOptions) {
    this.resolver = new Resolver({ timeout: questionMs, tries: 2 });
    if (servers) this.resolver.setServers(servers);
    // of several name servers each has its own time: the whole has a limit, too
    const timer = setTimeout(() => this.cancel(), lookUpMs);
    this.found = this.ask(host).finally(() => clearTimeout(timer));
  }

  cancel(): void {
    this.resolver.cancel();
  }

  /** What one kind of question found counts even if the other is not answered: some name servers know only the first. */
  private async ask(host: string): Promise<HostAddress[]> {
    const kinds = await Promise.allSettled([this.resolver.resolve4(host), this.resolver.resolve6(host)]);
    const found = kinds.flatMap((kind, n) =>
      kind.status === 'fulfilled' ? kind.value.map((address) => ({ address, family: n === 0 ? 4 : 6 })) : [],
    );
    if (found.length > 0) return found;
    if (this.gaveWay) throw new OutboundError('UNANSWERED', 'the name cannot be looked up now');
    throw failureOf(kinds.map((kind) => kind.status === 'rejected' && kind.reason.code));
  }
}

/** The codes of a name that does not exist, cannot exist, or has no address of this kind. */
const NOT_FOUND = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

function failureOf(codes: readonly string[]): Error {
  const code = codes.every((each) => NOT_FOUND.includes(each)) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error('the name was not found'), { code });
}

/** @throws the reason of the signal when it is aborted first */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
