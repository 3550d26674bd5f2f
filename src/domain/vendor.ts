/**
 * The kinds of POS that a restaurant can have (Q1). `partner`: the relay sends orders to it. `open-delivery`: it reads its orders at the relay, by the
 * open standard of this name.
 */
export const VENDOR_NAMES = ['partner', 'open-delivery'] as const;
export type VendorName = (typeof VENDOR_NAMES)[number];

/** Whether a POS reads its orders at the relay, by Open Delivery. @param vendor null: the deployment's */
export function isOpenDelivery(vendor: VendorName | null): boolean {
  return vendor === 'open-delivery';
}

/** Whether a POS asks for events itself: no worker of the relay claims its jobs (Q2). One with an address gets events from them (Q19). */
export function isPulling(vendor: VendorName | null, posBaseUrl: string | null): boolean {
  return isOpenDelivery(vendor) && posBaseUrl === null;
}
