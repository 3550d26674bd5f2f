import { randomUUID } from 'node:crypto';
import type { Scenario } from '../../support/scenario.js';

export interface Event {
  readonly eventId: string;
  readonly eventType: string;
  readonly orderId: string;
  readonly orderURL: string;
  readonly createdAt: string;
}

/** A POS that pulls, written from the standard. @param opened is called when a test runs, because a scenario is opened after the tests are named */
export class PullingPos {
  token = '';

  private constructor(
    private readonly opened: () => Scenario,
    readonly credentials: { readonly id: string; readonly clientId: string; readonly clientSecret: string },
  ) {}

  /** A restaurant whose POS pulls, and a POS of it that is signed in. */
  static async ofRestaurant(opened: () => Scenario, fields: object = {}) {
    const restaurant = await opened().restaurant(`PULLS-${randomUUID()}`);
    const { api } = opened();
    const settings = { posVendor: 'open-delivery', currency: 'BRL', codeStorePos: null, ...fields };
    await api.patch(`/restaurants/${restaurant.id}`, restaurant.token, settings).expect(200);
    // long ago: tests move the times of attempts back (Q5, Q30)
    await opened().database.query(
      `UPDATE restaurants SET pos_since = pos_since - interval '1 day', mapped_since = mapped_since - interval '1 day' WHERE id = $1::uuid`,
      [restaurant.id],
    );
    return { restaurant, pos: await PullingPos.of(opened, restaurant) };
  }

  /** Another POS of the restaurant, with credentials of its own. */
  static async of(opened: () => Scenario, { id, token }: { readonly id: string; readonly token: string }) {
    const path = `/restaurants/${id}/pos-credentials`;
    const { data } = (await opened().api.post(path, token, { name: 'Till' }).expect(201)).body;
    const pos = new PullingPos(opened, data);
    pos.token = (await pos.signIn().expect(200)).body.access_token;
    return pos;
  }

  signIn(secret = this.credentials.clientSecret, id = this.credentials.clientId) {
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret };
    return this.opened().relay.http.post('/oauth/token').type('form').send(form);
  }

  ask = (query = '') => this.opened().api.get(`/v1/events:polling${query}`, this.token);
  read = (orderId: string) => this.opened().api.get(`/v1/orders/${orderId}`, this.token);
  acknowledgeAll = (body: unknown) => this.opened().api.post('/v1/events/acknowledgment', this.token, body);
  /** @param path the last part of the path, as the standard has it */
  say = (orderId: string, path: string, body?: object) =>
    this.opened().api.post(`/v1/orders/${orderId}/${path}`, this.token, body);
  accept = (orderId: string, orderExternalCode: string) =>
    this.say(orderId, 'confirm', { createdAt: new Date().toISOString(), orderExternalCode });
  refuse = (orderId: string, more: object = {}) =>
    this.say(orderId, 'requestCancellation', {
      reason: 'unknown product',
      code: 'OUTDATED_MENU',
      mode: 'AUTO',
      ...more,
    });

  async poll(query?: string): Promise<Event[]> {
    const { status, body } = await this.ask(query);
    if (status === 204) return [];
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return body;
  }

  acknowledge(...events: Event[]) {
    return this.acknowledgeAll(
      events.map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType })),
    ).expect(202);
  }
}
