import { createHash } from 'node:crypto';

/** Strings, integers, and lists and objects of these: what a closing consists of. */
export type Canonical = string | number | bigint | readonly Canonical[] | { readonly [key: string]: Canonical };

/** Begins what is hashed for a closing (B4), so that no other text has its hash. */
const DOMAIN = 'relay-day-1\n';

/** What a line tells (B5): a sale of an earlier day came late, was delivered, was cancelled, or was settled by hand (R40). */
export const LINE_KINDS = ['LATE', 'DELIVERED', 'CANCELLED', 'NOTE'] as const;

/** Why a chain breaks at a day (B7). */
export const BREAKS = ['MISSING', 'CHANGED', 'SALES', 'LINES', 'HEAD'] as const;
export type Break = (typeof BREAKS)[number];

/** JSON without spaces, with the keys in the order of the object (B4). Integers are written with all their digits. */
export function canonical(value: Canonical): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`)
    .join()}}`;
}

/** The hash of a closing (B4): SHA-256, in hex. @param previous the hash of the closing before; empty for the first */
export function dayHash(previous: string, content: string): string {
  return createHash('sha256').update(`${DOMAIN}${previous}\n${content}`).digest('hex');
}
