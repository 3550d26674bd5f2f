import { createHmac } from 'node:crypto';
import { sale } from '../../support/client.js';
import type { TestRelay } from '../../support/relay.js';

/** A key as the API shows it; `token` or `secret` only when it is new. */
export interface ShownKey {
  readonly id: string;
  readonly keyId: string;
  readonly name: string;
  readonly kind: 'TOKEN' | 'SIGNING';
  readonly scopes: string[];
  readonly live: boolean;
  readonly lastUsedAt: string | null;
  readonly foreignStoreAt: string | null;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly replacedBy: string | null;
  readonly token: string;
  readonly secret: string;
  readonly path?: string;
}

/** The sender keys of a restaurant, or of the platform, through this relay. @param token of the user who manages them */
export function keysOf(relay: TestRelay, restaurantId: string | null, token: string) {
  const path = restaurantId ? `/restaurants/${restaurantId}/sender-keys` : '/admin/sender-keys';
  const post = (fields: object = {}) => relay.api.post(path, token, { name: 'Bar', kind: 'TOKEN', ...fields });
  return {
    path,
    post,
    create: async (fields?: object): Promise<ShownKey> => (await post(fields).expect(201)).body.data,
    list: async (): Promise<ShownKey[]> => (await relay.api.get(path, token).expect(200)).body.data,
    rotate: (id: string, body?: object) => relay.api.post(`${path}/${id}/rotate`, token, body),
    revoke: (id: string) => relay.api.delete(`${path}/${id}`, token),
  };
}

/** Posts a sale with this token. */
export const sendBy = (relay: TestRelay, token: string, fields: Record<string, unknown> = {}) =>
  relay.api.post('/webhooks/terminal', token, sale({ storeCode: undefined, ...fields }));

/** The signature of Standard Webhooks, written down independently of the relay. */
export function signatureOf(secret: string, id: string, timestamp: string | number, body: string | Buffer): string {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

export const nowSeconds = () => Math.floor(Date.now() / 1_000);
