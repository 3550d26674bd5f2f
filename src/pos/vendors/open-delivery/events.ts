import { createHmac } from 'node:crypto';
import type { JobAction } from '../../../domain/job.js';
import type { PosCredentials } from '../../../platform/config/pos-config.js';
import type { PosWire, WireError, WireReply, WireRequest } from '../../vendor.js';
import { orderPath } from './open-delivery.js';
import { uuidOf } from './uuid-of.js';

/** The events of orders (Q4). */
export const EVENT_OF = { CREATE: 'CREATED', CANCEL: 'CANCELLED' } as const satisfies Record<JobAction, string>;

/** An event of an order that is sent to its POS (Q19). */
export interface OrderEvent {
  readonly eventId: string;
  readonly action: JobAction;
  readonly orderId: string;
  readonly createdAt: Date;
}

/** The request with an event (Q19), the same whenever the event is sent again. @param publicUrl PUBLIC_URL, where the POS reads the order */
export function newEvent({ eventId, action, orderId, createdAt }: OrderEvent, publicUrl: string): WireRequest {
  const orderURL = publicUrl + orderPath(orderId);
  return { path: '/v1/newEvent', body: { eventId, eventType: EVENT_OF[action], orderId, orderURL, createdAt } };
}

/**
 * A POS to which events are sent (Q20): each request is signed with the client secret of its credentials.
 * @param publicUrl PUBLIC_URL; the id of this deployment follows from it
 */
export function eventReceiver(publicUrl: string): PosWire {
  const appId = appIdOf(publicUrl);
  return {
    headers: ({ partnerId, secret }: PosCredentials, _, { body = '' }) => ({
      'X-App-Id': appId,
      'X-App-MerchantId': partnerId,
      'X-App-Signature': createHmac('sha256', secret).update(body).digest('hex'),
    }),
    readError,
  };
}

/** `X-App-Id`: the same UUID in every request of a deployment. */
export function appIdOf(publicUrl: string): string {
  return uuidOf(`open-delivery/${publicUrl}`);
}

/** The standard has no error codes: `title` says what is wrong. */
function readError({ body }: WireReply): WireError {
  return { errorCode: null, message: titleOf(body) ?? (body.trim() || null), meaning: null };
}

function titleOf(body: string): string | undefined {
  try {
    const { title } = JSON.parse(body) ?? {};
    return typeof title === 'string' ? title : undefined;
  } catch {
    return undefined;
  }
}
