// The encryption contexts: the associated data (AAD) that binds a sealed secret to its row.

/** The context of a restaurant's `posSecret`. */
export function posSecretContext(restaurantId: string): string {
  return `restaurant:${restaurantId}`;
}

/** The context of the client secret of a POS; `id` is the id of its row in pos_credentials. */
export function clientSecretContext(id: string): string {
  return `pos-credential:${id}`;
}

/** The context of a POS token; `tokenId` is the id of its row in pos_tokens. */
export function tokenContext(tokenId: string): string {
  return `pos-token:${tokenId}`;
}

/** The context of the `secret` of a restaurant's alert webhook. */
export function webhookSecretContext(restaurantId: string): string {
  return `alert-webhook:${restaurantId}`;
}

/** The context of a private key in platform_keys. */
export function platformKeyContext(name: string): string {
  return `platform-key:${name}`;
}

/** The context of the secret of a sender key; `id` is the id of its row in sender_keys. */
export function senderKeyContext(id: string): string {
  return `sender-key:${id}`;
}
