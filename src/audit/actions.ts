/** The audited actions (R27). An action that is also a log event has the name of the event. */
export const AUDIT_ACTIONS = [
  'auth.signed_in',
  /** written for existing accounts only */
  'auth.sign_in_failed',
  'auth.password_changed',
  /** a platform administrator ended all sessions and tokens of a user */
  'auth.sessions_ended',
  'restaurant.created',
  'restaurant.changed',
  'restaurant.credentials_changed',
  'restaurant.deleted',
  'restaurant.alert_webhook_set',
  'restaurant.alert_webhook_removed',
  'user.linked',
  'user.link_accepted',
  'user.invited',
  'user.invitation_revoked',
  'user.role_changed',
  'user.unlinked',
  'ownership.transferred',
  'order.cancel_requested',
  'order.resent',
  /** a platform administrator opened an order of the restaurant */
  'order.read_by_operator',
  'jobs.reset',
  'alert.acknowledged',
  /** parked orders of earlier days were settled by hand */
  'orders.resolved',
  /** a person closed a business day */
  'day.closed',
  /** the content of one sale was erased */
  'order.erased',
  /** the content of old parked and cancelled sales was erased */
  'orders.erased',
  'terminal_file.confirmed',
  'terminal_file.removed',
  /** a person accepted, or refused, the sale that was suggested for a row */
  'terminal_file.match_accepted',
  'terminal_file.match_refused',
  /** a person has entered a missing sale in the POS */
  'terminal_file.row_entered',
  'printer.added',
  'printer.removed',
  'sender_key.created',
  'sender_key.rotated',
  'sender_key.revoked',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** The user who acts, and the request. */
export interface Actor {
  readonly userId: string;
  readonly email: string;
  /** null outside a request */
  readonly requestId: string | null;
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
