import type { PosConfig, PosVendorName, PosWireSettings } from '../platform/config/pos-config.js';
import type { PosVendor } from './vendor.js';
import { partner } from './vendors/partner/partner.js';

/** The vendors by the value of POS_VENDOR (config.ts lists the values). */
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
