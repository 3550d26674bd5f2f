/**
 * The kinds of POS that a restaurant can have (Q1). `partner`: the relay sends orders to it. `open-delivery`: it asks the relay for orders, by the
 * open standard of this name.
 */
export const VENDOR_NAMES = ['partner', 'open-delivery'] as const;
export type VendorName = (typeof VENDOR_NAMES)[number];

/** Whether a POS of this kind fetches its orders itself: no worker of the relay sends them (Q2). @param vendor null: the deployment's */
export function isPulling(vendor: VendorName | null): boolean {
  return vendor === 'open-delivery';
}
