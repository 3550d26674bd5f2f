import type { Cause } from '../domain/cause.js';
import { Config } from '../platform/config/config.js';
import type { PosCredentials } from '../platform/config/pos-config.js';
import { posSecretContext } from '../platform/secrets/contexts.js';
import type { SecretBox } from '../platform/secrets/secret-box.js';
import type { PosWire } from './vendor.js';
import { vendorOf } from './vendors.js';

/** How the POS is called, its address, and the credentials of an order or cancel. */
export interface PosTarget {
  readonly vendor: PosWire;
  readonly baseUrl: string;
  readonly credentials: PosCredentials;
}

/** The fields that decide the target of an order; `posSecret` is encrypted. */
export interface PosAccount {
  readonly restaurantId: string;
  readonly testMode: boolean;
  readonly posIdPartner: string | null;
  readonly posSecret: string | null;
}

/** A setting that the restaurant lacks; it can be set while the job waits (D15). */
export interface MissingSetting {
  readonly missing: string;
  readonly cause: Cause;
}

/**
 * Chooses the vendor, the POS address (D2) and the credentials (D3) of an order. In test mode the configured test credentials come first;
 * then the restaurant's own; then the configured default credentials.
 * @returns `missing`: why there are no credentials
 */
export function posTarget(account: PosAccount, config: Config, box: SecretBox): PosTarget | MissingSetting {
  const { pos } = config;
  const at = { vendor: vendorOf(pos), baseUrl: account.testMode ? pos.testBaseUrl : pos.baseUrl };
  if (account.testMode && pos.testCredentials) return { ...at, credentials: pos.testCredentials };
  if (account.posIdPartner && account.posSecret) {
    const secret = box.open(account.posSecret, posSecretContext(account.restaurantId));
    if (secret === undefined)
      return missing("the restaurant's posSecret cannot be decrypted: SECRETS_KEY changed; set posSecret again");
    return { ...at, credentials: { partnerId: account.posIdPartner, secret } };
  }
  if (pos.credentials) return { ...at, credentials: pos.credentials };
  return missing('no POS credentials: the restaurant holds none, and POS_PARTNER_ID is not set');
}

const missing = (why: string): MissingSetting => ({ missing: why, cause: 'no_credentials' });
