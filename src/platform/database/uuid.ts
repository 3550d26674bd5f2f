import { randomUUID } from 'node:crypto';

/**
 * A new UUID of version 7 (RFC 9562), for jobs and claims: its first 48 bits are the time in ms, so that new rows go to the end of an
 * index.
 */
export function uuidV7(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
