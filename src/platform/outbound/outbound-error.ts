/** Why a call failed: it was not allowed, the other side did not answer in time or in full, or it answered with a redirect. */
export type OutboundFailure = 'REFUSED' | 'UNANSWERED' | 'REDIRECT';

/** A call of {@link OutboundTransport} without a usable answer. */
export class OutboundError extends Error {
  /** @param reason for people; without the address, which may be a secret */
  constructor(
    readonly failure: OutboundFailure,
    readonly reason: string,
  ) {
    super(reason);
  }
}
