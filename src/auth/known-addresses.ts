import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BoundedMap } from '../platform/bounded-map.js';
import { networkOf } from '../platform/http/limits/network.js';

const KNOWN_MS = 24 * 3_600_000;
/** The most pairs in memory; the oldest is removed first. */
const MAX_KNOWN = 50_000;

/**
 * The addresses from which the password of an account was right within 24 hours: they do not wait for what others try at the account
 * (A34), and their checks are the last to be refused (A7). In memory: each instance knows its own.
 */
@Injectable()
export class KnownAddresses {
  /** account and network -> when the password was right, in ms of performance.now() */
  private readonly pairs = new BoundedMap<number>(MAX_KNOWN);

  /** The password of the account was right from this address. */
  add(email: string, address: string): void {
    this.pairs.set(pairOf(email, address), performance.now());
  }

  has(email: string, address: string): boolean {
    const since = this.pairs.get(pairOf(email, address));
    return since !== undefined && performance.now() - since < KNOWN_MS;
  }
}

/** @returns a digest of bounded length of the account, and of the network of the address */
export function pairOf(email: string, address: string): string {
  return digestOf(email, networkOf(address));
}

/** @returns a digest, so that a key in memory has the same length whatever was sent */
export function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
