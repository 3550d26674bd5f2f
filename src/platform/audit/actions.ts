import type { Prisma } from '../database/generated/client.js';

declare const declared: unique symbol;
/** The name of an audited action (R27). An action that is also a log event has the name of the event. */
export type AuditAction = string & { readonly [declared]: true };

/** The declared actions, by name. */
export const AUDIT_ACTIONS: AuditAction[] = [];

/** How often a user does an act within 24 hours (L152); absent: it is bounded by what it is about, as a cancel is by its sale. */
export const DAILY_QUOTAS = new Map<AuditAction, number>();

/** Declares an action, beside the code that records it. */
export function auditAction(name: string, { mostInADay }: { readonly mostInADay?: number } = {}): AuditAction {
  const action = name as AuditAction;
  AUDIT_ACTIONS.push(action);
  AUDIT_ACTIONS.sort();
  if (mostInADay !== undefined) DAILY_QUOTAS.set(action, mostInADay);
  return action;
}

/** The user who acts, and the request. */
export interface Actor {
  readonly userId: string;
  readonly email: string;
  /** null outside a request */
  readonly requestId: string | null;
  /**
   * Refuses the act when what allows it has ended since the request began (A40); absent: nothing can end it.
   * @param client of the transaction of the change
   * @throws 401 UNAUTHENTICATED, 403 NO_ACCESS or INSUFFICIENT_ROLE, 404 for a deleted restaurant
   */
  readonly confirm?: ((client: Prisma.TransactionClient) => Promise<unknown>) | undefined;
}

/** An audited act; contains no secret. */
export interface AuditedAct {
  readonly action: AuditAction;
  /** the restaurant whose OWNERs may read the entry; null: only platform administrators may read the entry */
  readonly restaurantId: string | null;
  /** the object of the act: an email, a transaction key, a name */
  readonly target?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
