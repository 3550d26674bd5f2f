import { type ConditionDetails, conditionOf } from '../../platform/conditions/condition.js';

/** Who may acknowledge (G9): who may also mend what the alert is about. To acknowledge stops the steps to OWNERs and MANAGERs. */
export const ACKNOWLEDGE_PERMISSIONS = ['manage_operations', 'manage_data'] as const;

/** Begins the token of a message (G9). */
export const ACKNOWLEDGE_PREFIX = 'ack_';

/** An alert waits this time before the first step, in seconds: a POS that comes back tells nobody (G4). */
export const FIRST_STEP_AFTER_S = 60;
const MINUTE_S = 60;
export const DAY_S = 86_400;
/** The longest time between two steps, except for what is slow; in seconds (G4). */
export const REPEAT_S = 30 * MINUTE_S;

/**
 * Who is notified in a step (G4). people: OWNERs and MANAGERs, and who has switched it on; of the platform: its administrators.
 * reachable: by push whom push reaches, the others by mail.
 */
interface Step {
  readonly push?: 'people';
  readonly mail?: 'people' | 'owners' | 'people without push';
  readonly webhook?: true;
  /** seconds until the next step; null: it is the last */
  readonly nextAfterS: number | null;
}

function roundOf(repeatAfterS: number): readonly Step[] {
  const repeat: Step = { push: 'people', mail: 'people without push', nextAfterS: repeatAfterS };
  return [
    { push: 'people', nextAfterS: 5 * MINUTE_S },
    { mail: 'people', nextAfterS: 10 * MINUTE_S },
    { mail: 'owners', webhook: true, nextAfterS: repeatAfterS },
    ...[repeat, repeat, repeat, repeat],
    { ...repeat, nextAfterS: null },
  ];
}

const ROUND = roundOf(REPEAT_S);
/** Of what is wrong only in some days (G31). */
const DAILY_ROUND = roundOf(DAY_S);

/** The steps of a round of this alert, in order (G4, G31). */
export function stepsOf(kind: string, details: ConditionDetails): readonly Step[] {
  return conditionOf(kind)?.isSlow?.(details) ? DAILY_ROUND : ROUND;
}

/** The step of the message that the alert is closed. */
export const CLOSING_STEP = -1;

/** States of a notification (G5). */
export const NOTIFICATION_STATES = ['WAITING', 'SENDING', 'SENT', 'FOLDED', 'SKIPPED', 'FAILED'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];
