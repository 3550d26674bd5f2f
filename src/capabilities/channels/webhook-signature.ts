import { createHmac } from 'node:crypto';
import { SIGNING_SECRET_PREFIX } from '../../platform/secrets/token.js';

/**
 * The headers of Standard Webhooks 1.0.0 (G27).
 * @param id `webhook-id`: the same for each retry of a message
 * @param timestamp `webhook-timestamp`: seconds since 1970
 * @param secret `whsec_` and base64
 */
export function signatureHeaders(id: string, timestamp: number, body: string, secret: string): Record<string, string> {
  const key = Buffer.from(secret.slice(SIGNING_SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
