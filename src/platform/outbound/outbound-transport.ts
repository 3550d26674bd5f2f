import type { LookupFunction } from 'node:net';
import { Injectable } from '@nestjs/common';
import { Config } from '../config/config.js';
import { isInNetwork, isPublicAddress, literalIn } from './addresses.js';
import { textOf } from './answer-text.js';
import { isException, isNamed, refusalOf } from './guard.js';
import { type HostAddress, HostResolver } from './host-resolver.js';
import { HttpClient } from './http-client.js';
import { OutboundError } from './outbound-error.js';

/** Deadline of a call, from its look-up to the last byte of its answer, in ms (L40). */
const TIMEOUT_MS = 10_000;
/** The most bytes of an answer that are read (L40). */
const MAX_BODY_BYTES = 4_096;

/** The most time of a look-up before an address is saved, in ms (L175). */
const LOOK_UP_MS = 3_000;
const NOT_PUBLIC = 'the address does not lead to the public internet';

export interface OutboundRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** An answer of any status but 3xx. */
export interface OutboundAnswer {
  readonly status: number;
  /** names in lower case; a header that was sent more than once is joined by commas */
  readonly headers: Readonly<Record<string, string>>;
  /** the first 4 KiB */
  readonly body: string;
}

/**
 * The one transport for addresses that people typed (G28). It calls public addresses only, without proxy or redirects, and checks
 * the addresses that it connects to, so that a name whose answer changes after it was saved leads nowhere else.
 */
@Injectable()
export class OutboundTransport {
  constructor(
    private readonly config: Config,
    private readonly resolver: HostResolver,
  ) {}

  /** Why the address may not be called, in words for people; undefined: it may (G28). To be asked when an address is saved. */
  refusalOf(url: string): string | undefined {
    return refusalOf(url, this.config.alerts.outboundAllow);
  }

  /**
   * As {@link refusalOf}, and also for the addresses that the name leads to now. A name that cannot be looked up is not refused: each call
   * checks it again.
   */
  async refusalNow(url: string): Promise<string | undefined> {
    const refusal = this.refusalOf(url);
    if (refusal !== undefined) return refusal;
    const target = new URL(url);
    if (literalIn(target.hostname) !== undefined) return undefined;
    const found = await this.lookUp(target, AbortSignal.timeout(LOOK_UP_MS)).catch(() => []);
    const mayCall = this.mayCallOf(target);
    return found.length > 0 && !found.some(({ address }) => mayCall(address)) ? NOT_PUBLIC : undefined;
  }

  /**
   * Sends a POST request on a connection of its own.
   * @throws OutboundError when the address is not allowed, there is no complete answer in time, or the answer is a redirect
   */
  async post(
    url: string,
    { headers, body }: OutboundRequest,
    { timeoutMs = TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<OutboundAnswer> {
    const refusal = this.refusalOf(url);
    if (refusal) throw new OutboundError('REFUSED', refusal);
    const over = new AbortController();
    const client = new HttpClient({ lookup: this.guardedLookup(new URL(url), over.signal) });
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const answer = await client.post(url, { headers, body, signal, most: MAX_BODY_BYTES });
      const { status, broken } = answer;
      if (status >= 300 && status < 400)
        throw new OutboundError('REDIRECT', `the other side answered HTTP ${status}: redirects are not followed`, {
          status,
        });
      if (broken) throw broken;
      return { status, headers: joined(answer.headers), body: await textOf(answer, MAX_BODY_BYTES) };
    } catch (error) {
      if (error instanceof OutboundError) throw error;
      if (signal.aborted)
        throw new OutboundError('UNANSWERED', `no answer within ${Math.round(timeoutMs / 1_000)} s`, {
          code: 'TIMEOUT',
        });
      // the text of an error may quote the address
      const { code = 'the connection failed' } = error as NodeJS.ErrnoException;
      throw new OutboundError('UNANSWERED', `no answer (${code})`, { code });
    } finally {
      over.abort();
      client.close();
    }
  }

  /** The addresses that the name of the URL leads to now (G48). @param signal aborted: they are not needed any more */
  private lookUp(url: URL, signal: AbortSignal): Promise<HostAddress[]> {
    const bySystem = isNamed(url, this.config.alerts.outboundAllow);
    return this.resolver.resolve(url.hostname, { signal, bySystem });
  }

  /** Whether an address that the name of the URL leads to may be called. */
  private mayCallOf(url: URL): (address: string) => boolean {
    const { outboundAllow: allow } = this.config.alerts;
    return (address) => isPublicAddress(address) || isInNetwork(address, allow) || isException(url, allow);
  }

  /**
   * The look-up of a connector: only addresses that may be called. A literal address is not looked up: {@link refusalOf} has checked it.
   * @param signal aborted: the call is over
   */
  private guardedLookup(url: URL, signal: AbortSignal): LookupFunction {
    const mayCall = this.mayCallOf(url);
    return (_, { all }, callback) => {
      this.lookUp(url, signal).then(
        (found) => {
          const allowed = found.filter(({ address }) => mayCall(address));
          const [first] = allowed;
          if (!first) callback(new OutboundError('REFUSED', NOT_PUBLIC), '', 0);
          else if (all) callback(null, allowed as never);
          else callback(null, first.address, first.family);
        },
        (error) => callback(error, '', 0),
      );
    };
  }
}

function joined(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]));
}
