import type { Capability } from '../../session/capabilities.js';
import { useHas } from '../../session/session.js';
import type { Action } from './queries.js';

/**
 * The audited actions in the order of the filter, each with the capability that records it; null: every relay does. The type is that of the
 * API: an action that is missing here does not compile.
 */
const ACTIONS: Readonly<Record<Action, Capability | null>> = {
  'auth.signed_in': null,
  'auth.sign_in_failed': null,
  'auth.password_changed': null,
  'auth.password_replaced': null,
  'auth.sessions_ended': null,
  'user.linked': null,
  'user.link_accepted': null,
  'user.invited': null,
  'user.invitation_revoked': null,
  'user.password_link_made': null,
  'user.role_changed': null,
  'user.unlinked': null,
  'ownership.transferred': null,
  'restaurant.created': null,
  'restaurant.changed': null,
  'restaurant.credentials_changed': null,
  'restaurant.alert_webhook_set': 'channels',
  'restaurant.alert_webhook_removed': 'channels',
  'restaurant.paused': null,
  'restaurant.resumed': null,
  'restaurant.deleted': null,
  'order.cancel_requested': null,
  'order.resent': 'resend',
  'order.read_by_operator': null,
  'jobs.reset': 'resend',
  'orders.resolved': 'resend',
  'alert.acknowledged': 'alerts',
  'day.closed': 'days',
  'order.entered': 'resend',
  'order.erased': 'personal-data',
  'orders.erased': 'personal-data',
  'terminal_file.confirmed': 'terminal-files',
  'terminal_file.read_again': 'terminal-files',
  'terminal_file.taken_back': 'terminal-files',
  'terminal_file.removed': 'terminal-files',
  'terminal_file.match_accepted': 'terminal-files',
  'terminal_file.match_refused': 'terminal-files',
  'terminal_file.row_entered': 'terminal-files',
  'terminal_file.row_checked': 'terminal-files',
  'terminal_file.decision_undone': 'terminal-files',
  'catalogue.replaced': 'codes',
  'catalogue.removed': 'codes',
  'code.set': 'codes',
  'code.removed': 'codes',
  'order.mapped': 'codes',
  'printer.added': 'tickets',
  'printer.removed': 'tickets',
  'pos_credential.created': 'open-delivery',
  'pos_credential.rotated': 'open-delivery',
  'pos_credential.revoked': 'open-delivery',
  'sender_key.created': null,
  'sender_key.rotated': null,
  'sender_key.revoked': null,
};

/** The actions that the relay can be asked for: it refuses the name of an action that it has not loaded. */
export function useActions(): readonly Action[] {
  const has = useHas();
  return (Object.keys(ACTIONS) as Action[]).filter((action) => {
    const capability = ACTIONS[action];
    return capability === null || has(capability);
  });
}
