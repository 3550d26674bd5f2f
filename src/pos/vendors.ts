import type { PosConfig, PosVendorName, PosWireSettings } from '../platform/config/pos-config.js';
import type { PosVendor } from './vendor.js';
import { partner } from './vendors/partner/partner.js';

/** The vendors by the value of POS_VENDOR (config.ts lists the values). */
const VENDORS: Readonly<Record<PosVendorName, (settings: PosWireSettings) => PosVendor>> = {
  partner,
};

/** Creates the configured vendor with the operator's settings for its wire format. */
export function vendorOf({ vendor, wire }: PosConfig): PosVendor {
  return VENDORS[vendor](wire);
}
