/** Why a request that names a known key was refused (V40). Clients depend on the words. */
export const REFUSAL_REASONS = [
  'revoked',
  'expired',
  'deleted',
  'wrong_token',
  'wrong_signature',
  'wrong_clock',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** The reasons that only who holds the token or secret can cause (V40); the others anybody who knows the key id, which is no secret. */
export const PROVEN_REASONS: readonly RefusalReason[] = ['revoked', 'expired', 'deleted', 'wrong_clock'];
