/** Who may acknowledge (G9): who may also mend what the alert is about. To acknowledge stops the steps to OWNERs and MANAGERs. */
export const ACKNOWLEDGE_PERMISSIONS = ['manage_operations', 'manage_data'] as const;

/** What an alert is about (G1). Clients depend on the words. */
export const ALERT_KINDS = {
  ORDER_PARKED: 'orders are parked for one cause, the last within 24 h',
  ORDER_LATE: 'orders have waited for the POS for more than 5 min',
  POS_REFUSES: 'every attempt of the restaurant fails: its POS is away, or refuses the sign-in',
  PRINTER_AWAY: 'a printer has stopped asking for tickets',
  KEY_EXPIRES: 'a sender key expires within a week, or has expired in use',
  MISSING_HERE: "sales of a terminal's file never reached the relay",
  KEY_REUSED: 'sales came under the key of another one, the last within 24 h: no order was made of them',
  INSTANCE_LOST: 'a process of the relay ended without a stop',
  DATABASE: 'no sale could be stored',
} as const;
export type AlertKind = keyof typeof ALERT_KINDS;
export const KINDS = Object.keys(ALERT_KINDS) as AlertKind[];

/** The kinds that quiet hours never hold back (G7). */
export const URGENT_KINDS: readonly AlertKind[] = ['ORDER_PARKED', 'KEY_REUSED', 'INSTANCE_LOST', 'DATABASE'];

/** An alert waits this time before the first step, in seconds: a POS that comes back tells nobody (G4). */
export const FIRST_STEP_AFTER_S = 60;
const MINUTE_S = 60;
export const DAY_S = 86_400;
/** The longest time between two steps, except for KEY_EXPIRES; in seconds (G4). */
export const REPEAT_S = 30 * MINUTE_S;

/**
 * Who is told in a step (G4). people: OWNERs and MANAGERs, and who has switched it on; of the platform: its administrators.
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
export function stepsOf(kind: AlertKind, details: AlertDetails): readonly Step[] {
  return kind === 'KEY_EXPIRES' && !hasExpired(details) ? DAILY_ROUND : ROUND;
}

/** The step of the message that the alert is closed. */
export const CLOSING_STEP = -1;

/** States of a notification (G5). */
export const NOTIFICATION_STATES = ['WAITING', 'SENDING', 'SENT', 'FOLDED', 'SKIPPED', 'FAILED'] as const;
export type NotificationState = (typeof NOTIFICATION_STATES)[number];

/** The newest order of an alert, or the name of what is away. */
export interface AlertDetails {
  readonly transactionKey?: string;
  readonly transactionNumber?: string | null;
  readonly paidCents?: number;
  /** ISO 8601 */
  readonly receivedAt?: string;
  /** the instance, the printer, the sender key or the terminal's file */
  readonly name?: string;
  /** of the terminal's file */
  readonly fileId?: string;
  /** of the sender key */
  readonly keyId?: string;
  /** ISO 8601: when the sender key expires or has expired */
  readonly expiresAt?: string;
  /** how long it was away, in seconds */
  readonly seconds?: number;
}

/** Whether the sender key that an alert is about has expired, by this machine's clock. */
export function hasExpired({ expiresAt }: AlertDetails): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}
