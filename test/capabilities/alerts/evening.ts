import { Escalation } from '../../../src/capabilities/alerts/escalation.js';
import { Reconciler } from '../../../src/capabilities/alerts/reconciler.js';
import {
  Channels,
  type Message,
  type Preferences,
  type Recipient,
  type Sent,
} from '../../../src/capabilities/channels/channel.js';
import { Outgoing } from '../../../src/capabilities/channels/outgoing.js';
import type { RestaurantRole } from '../../../src/domain/role.js';
import type { ConditionDetails } from '../../../src/platform/conditions/condition.js';
import type { TestRelay } from '../../support/relay.js';
import { type Caller, Scenario } from '../../support/scenario.js';

export interface Delivered {
  readonly recipient: Recipient;
  readonly message: Message;
}

export interface AlertRow {
  id: string;
  kind: string;
  cause: string | null;
  count: number;
  restaurant_id: string | null;
  closed_at: Date | null;
  acknowledged_at: Date | null;
  step: number;
  next_step_at: Date | null;
  details: ConditionDetails;
}

export interface NotificationRow {
  id: string;
  step: number;
  channel: string;
  recipient: string;
  state: string;
  attempts: number;
  reason: string | null;
}

/** An evening with alerts: channels that record what they send, and a clock that a test moves. */
export class Evening {
  /** what was sent, in order */
  readonly sent: Delivered[] = [];
  /** by user */
  readonly preferences = new Map<string, Preferences>();
  hasWebhook = false;
  answer: (to: Delivered) => Sent | Promise<Sent> = () => ({ outcome: 'SENT' });

  private constructor(readonly scenario: Scenario) {}

  /** An evening of a suite, and of hooks that are declared after it; each test begins with an empty one. */
  /** @param changes environment variables of its relay */
  static ofSuite(changes: Readonly<Record<string, string>> = {}): Evening {
    const evening = new Evening(Scenario.ofSuite(changes));
    beforeAll(() => evening.replaceChannels(evening.scenario.relay.withoutIntervals()));
    beforeEach(async () => {
      await evening.scenario.empty();
      // processes that a test has invented
      await evening.scenario.database.query('DELETE FROM relay_instances');
      evening.sent.length = 0;
      evening.preferences.clear();
      evening.hasWebhook = false;
      evening.answer = () => ({ outcome: 'SENT' });
    });
    return evening;
  }

  static on(scenario: Scenario): Evening {
    const evening = new Evening(scenario);
    // its heartbeat would say that no process delivers (G58)
    scenario.relay.withoutIntervals();
    evening.replaceChannels(scenario.relay);
    return evening;
  }

  replaceChannels(relay: TestRelay): void {
    Object.assign(relay.get(Channels), {
      preferencesOf: async (ids: string[]) => ids.map((id) => this.preferences.get(id)).filter(Boolean),
      hasWebhook: async () => this.hasWebhook,
      send: async (recipient: Recipient, message: Message) => {
        const delivered = { recipient, message };
        this.sent.push(delivered);
        return this.answer(delivered);
      },
    });
  }

  /** The user can be reached over these channels. */
  reach(userId: string, changes: Partial<Preferences> = {}): void {
    this.preferences.set(userId, {
      ...{ userId, channels: ['push', 'mail'], language: 'en', always: false, quiet: null },
      ...changes,
    });
  }

  /** A new user with this role, who has accepted the link (W32). */
  async staff(restaurantId: string, role: RestaurantRole): Promise<Caller> {
    const caller = await this.scenario.staff(restaurantId, role);
    await this.scenario.database.query('UPDATE user_restaurants SET accepted_at = now() WHERE user_id = $1', [
      caller.id,
    ]);
    return caller;
  }

  /** A round, as the schedule runs it each 15 s. */
  async round(relay = this.scenario.relay): Promise<void> {
    // the relay of a test, whose schedule is off, stands for one that delivers (G58)
    await this.scenario.database.query('UPDATE relay_instances SET worker_enabled = true WHERE id = $1', [
      relay.config.instance,
    ]);
    await relay.get(Reconciler).reconcile();
    await relay.get(Escalation).advance();
    await relay.get(Outgoing).send();
  }

  /** Moves parked orders, sender keys, alerts and messages into the past, then runs a round. */
  async after(minutes: number): Promise<void> {
    const by = `interval '${minutes} minutes'`;
    await this.scenario.database.query(`UPDATE outbox_jobs SET updated_at = updated_at - ${by} WHERE status = 'DLQ'`);
    await this.scenario.database.query(
      `UPDATE sender_keys SET expires_at = expires_at - ${by}, last_used_at = last_used_at - ${by}`,
    );
    await this.scenario.database.query(
      `UPDATE alerts SET opened_at = opened_at - ${by}, last_at = last_at - ${by}, acknowledged_at = acknowledged_at - ${by},
         covered_until = covered_until - ${by}, next_step_at = next_step_at - ${by}, closed_at = closed_at - ${by}`,
    );
    await this.scenario.database.query(
      `UPDATE notifications SET ended_at = ended_at - ${by}, next_try_at = next_try_at - ${by}, claimed_at = claimed_at - ${by},
         created_at = created_at - ${by}`,
    );
    await this.round();
  }

  /** Opens the alerts of now and takes their first step. */
  async begin(): Promise<void> {
    await this.round();
    await this.after(1.1);
  }

  alerts = () => this.scenario.database.query<AlertRow>('SELECT * FROM alerts ORDER BY opened_at, id');
  notifications = () =>
    this.scenario.database.query<NotificationRow>('SELECT * FROM notifications ORDER BY created_at, id');
  /** `channel title` of what was sent since the last call */
  told = () => this.sent.splice(0).map(({ recipient, message }) => `${recipient.channel} ${message.title}`);
}
