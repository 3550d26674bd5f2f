/**
 * Why an attempt failed, in one word (O30). Programs decide by this word; `lastError` has a text for people. In the parked jobs by cause
 * (R22) `cause` is such a text, and this word is in the field `kind`. Clients depend on the words: a word is never renamed.
 */
export const CAUSES = {
  refused: 'the POS refused it for good (D12 to D14)',
  unanswered: 'no HTTP response: timeout, refused or reset connection, DNS, TLS (D11)',
  failing:
    'the POS answered 5xx, 408, 425, 429 without Retry-After, or with a body that broke off or is unreadable (D11, D24)',
  busy: 'the POS asked for another try: 429 with Retry-After, or a code of POS_TEMPORARY_ERROR_CODES (D10)',
  sign_in: 'the POS refused the credentials or granted no token (D8, D16)',
  no_code_store_pos: 'the restaurant has no codeStorePos (M13)',
  no_currency: 'the restaurant has no currency, which its POS needs (Q8)',
  no_credentials: 'there are no POS credentials, or the posSecret cannot be decrypted (D3)',
  unmappable: 'no order can be made of the sale (M10)',
  refund: 'the sale is a refund, which is entered in the POS by hand (M15)',
  unconfirmed: 'the order may have arrived, and the POS has not said clearly whether it has it (D20, O25)',
  lost: 'the lease expired before the attempt was settled (O17)',
  internal: 'the relay could not make or end the attempt: a bug, or too little time in the lease (D4)',
  withdrawn: 'the order was cancelled before it was sent (C8)',
} as const;

export type Cause = keyof typeof CAUSES;

/**
 * What a POS refuses for good is about (O47). Programs decide by this word; the vendor says which, by the POS's error code. People mend each
 * of them in another place.
 */
export const SUBJECTS = ['product', 'store', 'credentials', 'other'] as const;
export type Subject = (typeof SUBJECTS)[number];

/** The causes in the order of the specification. */
export const CAUSE_WORDS = Object.keys(CAUSES) as Cause[];

/** The causes of an outage of the POS or of its sign-in: they concern every order of a restaurant, not one (O33). */
export const OUTAGE_CAUSES: readonly Cause[] = ['unanswered', 'failing', 'sign_in'];

/** Whether an attempt failed of an outage. */
export function isOutage(cause: Cause | null): boolean {
  return cause !== null && OUTAGE_CAUSES.includes(cause);
}
