import { randomBytes } from 'node:crypto';
import { normalized } from '../domain/text.js';

/**
 * Derives a slug: `Pizzeria São João` -> `pizzeria-sao-joao`. A name with fewer than three Latin letters and digits gets a random
 * suffix: `مطعم` -> `restaurant-3f9c1b`.
 */
export function slugOf(name: string): string {
  const plain = normalized(name, 'NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const slug = plain
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, '');
  return slug.length >= 3 ? slug : `${slug || 'restaurant'}-${randomSuffix()}`;
}

/** Six random hexadecimal digits. */
export function randomSuffix(): string {
  return randomBytes(3).toString('hex');
}
