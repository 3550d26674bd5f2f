/** Why a call failed: it was not allowed, the other side did not answer in time or in full, or it answered with a redirect. */
export type OutboundFailure = 'REFUSED' | 'UNANSWERED' | 'REDIRECT';

/** A call of {@link OutboundTransport} without a usable answer. */
export class OutboundError extends Error {
  /**
   * @param reason for people; without the address, which may be a secret
   * @param details `code` of an UNANSWERED call: TIMEOUT, or that of the connection; `status` of a REDIRECT
   */
  constructor(
    readonly failure: OutboundFailure,
    readonly reason: string,
    readonly details: { readonly code?: string; readonly status?: number } = {},
  ) {
    super(reason);
  }
}
