import type { Setting } from '../outbox/store/waiting.js';
import type { AuditedAct } from '../platform/audit/actions.js';
import { auditAction } from '../platform/audit/actions.js';
import type { Restaurant } from '../platform/database/generated/client.js';

const RESTAURANT_CREATED = auditAction('restaurant.created', { mostInADay: 200 });
const RESTAURANT_CHANGED = auditAction('restaurant.changed', { mostInADay: 2_000 });
const RESTAURANT_CREDENTIALS_CHANGED = auditAction('restaurant.credentials_changed', { mostInADay: 2_000 });

/** The fields of the POS credentials. The audit does not show their values. */
const CREDENTIALS = ['posIdPartner', 'posSecret'] as const satisfies readonly (keyof Restaurant)[];
const FIELDS = [
  'name',
  'slug',
  'address',
  'codeStoreTerminal',
  'codeStorePos',
  'timezone',
  'dayClosesAt',
  'currency',
  'defaultItemCode',
  'posVendor',
  'posBaseUrl',
] as const satisfies readonly (keyof Restaurant)[];

type Act = AuditedAct & { readonly restaurantId: string };

/** The audited act of a new restaurant (R27). */
export function createdAct({ id, name, slug, posIdPartner, posSecret }: Restaurant): Act {
  const details = { slug, credentials: posIdPartner !== null || posSecret !== null };
  return { action: RESTAURANT_CREATED, restaurantId: id, target: name, details };
}

/**
 * The audited acts of a change: one act names the changed fields, one names the changed credentials. An act that would name nothing is
 * left out. The acts contain no values.
 */
export function changedActs(before: Restaurant, after: Restaurant): Act[] {
  const act = (action: AuditedAct['action'], fields: readonly string[]): Act[] =>
    fields.length === 0 ? [] : [{ action, restaurantId: after.id, target: after.name, details: { fields } }];
  return [
    ...act(RESTAURANT_CHANGED, differing(before, after, FIELDS)),
    ...act(RESTAURANT_CREDENTIALS_CHANGED, differing(before, after, CREDENTIALS)),
  ];
}

/** The changed settings that FAILED orders may wait for (R32). */
export function changedSettings(before: Restaurant, after: Restaurant): Setting[] {
  const changed = (...names: (keyof Restaurant)[]) => differing(before, after, names).length > 0;
  // another POS may need none of them, and answer where the one of before did not
  if (vendorOf(before) !== vendorOf(after)) return ['codeStorePos', 'credentials', 'currency', 'address'];
  return [
    ...(changed('codeStorePos') ? (['codeStorePos'] as const) : []),
    ...(changed(...CREDENTIALS) ? (['credentials'] as const) : []),
    ...(changed('posBaseUrl') ? (['credentials', 'address'] as const) : []),
    ...(changed('currency') ? (['currency'] as const) : []),
  ];
}

/** The kind of POS of a restaurant (Q1): null is the deployment's, to which the relay sends. */
export function vendorOf({ posVendor }: Pick<Restaurant, 'posVendor'>): string {
  return posVendor ?? 'partner';
}

function differing(before: Restaurant, after: Restaurant, names: readonly (keyof Restaurant)[]): string[] {
  return names.filter((name) => before[name] !== after[name]);
}
