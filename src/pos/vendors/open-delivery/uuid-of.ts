import { hash } from 'node:crypto';

/** The same UUID for the same text: version 8 of RFC 9562, a form of our own. */
export function uuidOf(text: string): string {
  const digits = hash('sha256', text, 'hex');
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
