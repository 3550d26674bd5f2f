import { isOpenDelivery, type VendorName } from '../domain/vendor.js';
import type { PosConfig, PosVendorName, PosWireSettings } from '../platform/config/pos-config.js';
import type { OrderFormat, PosVendor } from './vendor.js';
import { openDelivery } from './vendors/open-delivery/open-delivery.js';
import { partner } from './vendors/partner/partner.js';

/** The vendors to which the relay sends, by the value of POS_VENDOR (config.ts lists the values). */
const VENDORS: Readonly<Record<PosVendorName, (settings: PosWireSettings) => PosVendor>> = {
  partner,
};

/** One vendor for each configuration: every order has it in its target. */
const made = new WeakMap<PosConfig, PosVendor>();

/** The configured vendor with the operator's settings for its wire format. */
export function vendorOf(pos: PosConfig): PosVendor {
  let vendor = made.get(pos);
  if (!vendor) {
    vendor = VENDORS[pos.vendor](pos.wire);
    made.set(pos, vendor);
  }
  return vendor;
}

/** The format of the orders of a restaurant (Q1). @param vendor null: the deployment's */
export function formatOf(pos: PosConfig, vendor: VendorName | null): OrderFormat {
  return isOpenDelivery(vendor) ? openDelivery : vendorOf(pos);
}
