/** What is audited (R27); the names of the log's events, where there is one. */
export const AUDIT_ACTIONS = [
  'auth.signed_in',
  /** of an account that exists; of others nothing is known */
  'auth.sign_in_failed',
  'auth.password_changed',
  'restaurant.created',
  'restaurant.changed',
  'restaurant.credentials_changed',
  'restaurant.deleted',
  'user.linked',
  'user.link_accepted',
  'user.invited',
  'user.invitation_revoked',
  'user.role_changed',
  'user.unlinked',
  'ownership.transferred',
  'order.cancel_requested',
  'jobs.reset',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who acts: the user of a request, as it was authenticated. */
export interface Actor {
  readonly userId: string;
  readonly email: string;
  /** null where the act is no request's */
  readonly requestId: string | null;
}

/** What was done. Nothing in it is a secret, nor says what one was or has become. */
export interface AuditedAct {
  readonly action: AuditAction;
  /** whose OWNERs read it; null: platform administrators only */
  readonly restaurantId: string | null;
  /** whom or what it was done to, in words of the field: an email, a key, a name */
  readonly target?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}
