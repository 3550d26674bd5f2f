/** What a key may be used for (V4). */
export const SCOPES = ['sales:write', 'sales:test', 'receipts:read'] as const;
export type Scope = (typeof SCOPES)[number];

/** How a key proves who the sender is (V1): the key sends its token, or signs each sale with a secret. */
export const KEY_KINDS = ['TOKEN', 'SIGNING'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** Whether a key of these scopes sends such sales (V4). The statement that stores a sale decides by the same rule. */
export function maySend(scopes: readonly Scope[], testMode: boolean): boolean {
  return scopes.includes('sales:write') || (testMode && scopes.includes('sales:test'));
}
