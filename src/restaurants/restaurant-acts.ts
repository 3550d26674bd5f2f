import type { AuditedAct } from '../audit/actions.js';
import type { Restaurant } from '../database/generated/client.js';
import type { Setting } from '../outbox/store/waiting.js';

/** What a restaurant signs in with at the POS: of these not even the id is told. */
const CREDENTIALS = ['posIdPartner', 'posSecret'] as const satisfies readonly (keyof Restaurant)[];
const FIELDS = [
  'name',
  'slug',
  'address',
  'codeStoreTerminal',
  'codeStorePos',
  'timezone',
  'dayClosesAt',
] as const satisfies readonly (keyof Restaurant)[];

type Act = AuditedAct & { readonly restaurantId: string };

/** A new restaurant, as the audit tells it (R27). */
export function createdAct({ id, name, slug, posIdPartner, posSecret }: Restaurant): Act {
  const details = { slug, credentials: posIdPartner !== null || posSecret !== null };
  return { action: 'restaurant.created', restaurantId: id, target: name, details };
}

/** What a change of a restaurant comes to: the names of the fields that differ, its credentials by themselves; perhaps nothing. */
export function changedActs(before: Restaurant, after: Restaurant): Act[] {
  const act = (action: AuditedAct['action'], fields: readonly string[]): Act[] =>
    fields.length === 0 ? [] : [{ action, restaurantId: after.id, target: after.name, details: { fields } }];
  return [
    ...act('restaurant.changed', differing(before, after, FIELDS)),
    ...act('restaurant.credentials_changed', differing(before, after, CREDENTIALS)),
  ];
}

/** The settings among what has changed that orders may wait for (R32). None waits for a codeStoreTerminal: without it no sale is stored. */
export function changedSettings(before: Restaurant, after: Restaurant): Setting[] {
  const changed = (...names: (keyof Restaurant)[]) => differing(before, after, names).length > 0;
  return [
    ...(changed('codeStorePos') ? (['codeStorePos'] as const) : []),
    ...(changed(...CREDENTIALS) ? (['credentials'] as const) : []),
  ];
}

function differing(before: Restaurant, after: Restaurant, names: readonly (keyof Restaurant)[]): string[] {
  return names.filter((name) => before[name] !== after[name]);
}
