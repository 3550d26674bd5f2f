import { Injectable } from '@nestjs/common';
import type { Actor } from '../audit/actions.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { BoundedMap } from './bounded-map.js';
import type { PasswordSender } from './password-queue.js';

/** Each instance writes at most one entry in this time for the failed sign-ins of an account; ms. */
const FAILURES_TOGETHER_MS = 60_000;
const MAX_ACCOUNTS = 10_000;

/** The account whose password was compared. */
interface Account {
  readonly id: string;
  readonly email: string;
}

/** Audits sign-ins, and failed sign-ins of existing accounts (R27). */
@Injectable()
export class SignInAudit {
  /** account id -> the time of its last entry, in ms of performance.now(), and the number of failures since then */
  private readonly failures = new BoundedMap<{ readonly writtenAt: number; since: number }>(MAX_ACCOUNTS);

  constructor(private readonly trail: AuditTrail) {}

  /** Never throws: a sign-in succeeds even if its entry cannot be written. */
  async succeeded(account: Account, sender: PasswordSender): Promise<void> {
    const { address } = sender;
    await this.trail.recordAfter(actorOf(account, sender), { action: 'auth.signed_in', details: { address } });
  }

  /** Does not wait until the entry is written: the response time must not reveal that the account exists (A6). */
  failed(account: Account, sender: PasswordSender): void {
    const now = performance.now();
    const known = this.failures.get(account.id);
    if (known && now - known.writtenAt < FAILURES_TOGETHER_MS) {
      known.since++;
      return;
    }
    const details = { address: sender.address, attempts: 1 + (known?.since ?? 0) };
    this.failures.set(account.id, { writtenAt: now, since: 0 });
    setImmediate(() => {
      void this.trail.recordAfter(actorOf(account, sender), { action: 'auth.sign_in_failed', details });
    });
  }
}

function actorOf({ id, email }: Account, { requestId = null }: PasswordSender): Actor {
  return { userId: id, email, requestId };
}
