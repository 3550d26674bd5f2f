import { Injectable } from '@nestjs/common';
import type { Actor } from '../platform/audit/actions.js';
import { auditAction } from '../platform/audit/actions.js';
import { AuditTrail } from '../platform/audit/audit-trail.js';
import { BoundedMap } from '../platform/bounded-map.js';
import type { PasswordSender } from './password-queue.js';

const AUTH_SIGNED_IN = auditAction('auth.signed_in');
/** Written for existing accounts only. */
const AUTH_SIGN_IN_FAILED = auditAction('auth.sign_in_failed');

/** Each instance writes at most one entry in this time for the failed sign-ins of an account; ms. */
const FAILURES_TOGETHER_MS = 60_000;
const MAX_ACCOUNTS = 10_000;
/** Each instance writes at most this many entries for the sign-ins of an account within {@link FAILURES_TOGETHER_MS} (L153). */
const MOST_SIGN_INS = 20;

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

  /** account id -> when its minute began, in ms of performance.now(), its entries, and the sign-ins that have none */
  private readonly successes = new BoundedMap<{ readonly beganAt: number; entries: number; without: number }>(
    MAX_ACCOUNTS,
  );

  constructor(private readonly trail: AuditTrail) {}

  /**
   * Writes an entry; beyond {@link MOST_SIGN_INS} in a minute the sign-ins are counted in the next entry. Never throws: a sign-in succeeds even
   * if its entry cannot be written.
   */
  async succeeded(account: Account, sender: PasswordSender): Promise<void> {
    const now = performance.now();
    const known = this.successes.get(account.id);
    const isOld = !known || now - known.beganAt >= FAILURES_TOGETHER_MS;
    const minute = isOld ? { beganAt: now, entries: 0, without: known?.without ?? 0 } : known;
    if (minute !== known) this.successes.set(account.id, minute);
    if (minute.entries >= MOST_SIGN_INS) {
      minute.without++;
      return;
    }
    minute.entries++;
    const { without } = minute;
    minute.without = 0;
    const details = { address: sender.address, ...(without > 0 && { signInsBefore: without }) };
    await this.trail.recordAfter(actorOf(account, sender), { action: AUTH_SIGNED_IN, details });
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
      void this.trail.recordAfter(actorOf(account, sender), { action: AUTH_SIGN_IN_FAILED, details });
    });
  }
}

function actorOf({ id, email }: Account, { requestId = null }: PasswordSender): Actor {
  return { userId: id, email, requestId };
}
