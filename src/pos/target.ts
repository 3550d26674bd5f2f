import { Config, type PosCredentials } from '../config.js';
import type { SecretBox } from '../secret-box.js';

/** Where an order goes, and as whom. */
export interface PosTarget {
  readonly baseUrl: string;
  readonly credentials: PosCredentials;
}

/** What the target depends on; `posSecret` is encrypted. */
export interface PosAccount {
  readonly restaurantId: string;
  readonly testMode: boolean;
  readonly posIdPartner: string | null;
  readonly posSecret: string | null;
}

/** The context under which a restaurant's posSecret is encrypted. */
export function posSecretContext(restaurantId: string): string {
  return `restaurant:${restaurantId}`;
}

/**
 * The POS deployment and credentials of an order: in test mode the test deployment's own credentials, if it has any; else
 * the restaurant's; else the ones configured for restaurants that hold none.
 */
export function posTarget(
  account: PosAccount,
  config: Config,
  box: SecretBox,
): PosTarget | { readonly missing: string } {
  const { pos } = config;
  const baseUrl = account.testMode ? pos.testBaseUrl : pos.baseUrl;
  if (account.testMode && pos.testCredentials) return { baseUrl, credentials: pos.testCredentials };
  if (account.posIdPartner && account.posSecret) {
    const secret = box.open(account.posSecret, posSecretContext(account.restaurantId));
    if (secret === undefined)
      return { missing: "the restaurant's posSecret cannot be decrypted: SECRETS_KEY changed; set posSecret again" };
    return { baseUrl, credentials: { partnerId: account.posIdPartner, secret } };
  }
  if (pos.credentials) return { baseUrl, credentials: pos.credentials };
  return { missing: 'no POS credentials: the restaurant holds none, and POS_PARTNER_ID is not set' };
}
