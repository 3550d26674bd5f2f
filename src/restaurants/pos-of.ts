import { isOpenDelivery, isPulling, type VendorName } from '../domain/vendor.js';
import type { Restaurant } from '../platform/database/generated/client.js';
import { problem } from '../platform/http/problem.js';

type PosFields = Pick<Restaurant, 'posVendor' | 'posBaseUrl'>;
/** Of a restaurant that says nothing of its POS. */
export const NO_POS: PosFields = { posVendor: null, posBaseUrl: null };

/**
 * The address of the POS, and whether it fetches its orders, where a change names vendor or address (Q2, Q19). The address is of one POS: it goes
 * with the vendor.
 * @throws 400 VALIDATION_FAILED when the vendor has no address
 */
export function posOf(
  given: { readonly posVendor?: VendorName | null; readonly posBaseUrl?: string | null },
  before: PosFields,
): Partial<Pick<Restaurant, 'posBaseUrl' | 'pulls'>> {
  if (given.posVendor === undefined && given.posBaseUrl === undefined) return {};
  const vendor = given.posVendor === undefined ? (before.posVendor as VendorName | null) : given.posVendor;
  if (given.posBaseUrl && !isOpenDelivery(vendor))
    throw problem('VALIDATION_FAILED', ['posBaseUrl: only a restaurant with posVendor open-delivery has one']);
  const kept = given.posBaseUrl === undefined ? before.posBaseUrl : given.posBaseUrl;
  const posBaseUrl = isOpenDelivery(vendor) ? kept : null;
  return { posBaseUrl, pulls: isPulling(vendor, posBaseUrl) };
}

/** Why no path can be appended to an address; undefined: it can. */
export function refusalOfBase({ href }: URL): string | undefined {
  // `search` and `hash` are empty for a bare ? or # at the end
  return !/[?#]/.test(href) ? undefined : 'the address must have neither ? nor #: a path is appended to it';
}
