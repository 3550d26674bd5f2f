/** What stands before the message of a POS in `lastError`: status and error code, which are no codes of products. */
const ANSWER = /^HTTP \d{3}(?:, POS error [^:]{0,100})?: /;
/** Codes have hyphens and underscores in them: `P` is not named by `P-2`. */
const PART_OF_WORD = /[\p{L}\p{N}_-]/u;

/**
 * Whether the message of a POS names a code: as it is, and not as a part of a longer word or number.
 * @param lastError the error of a job, as `answerLine` writes it
 */
export function namesCode(lastError: string, code: string): boolean {
  if (code === '') return false;
  const message = lastError.replace(ANSWER, '');
  for (let at = message.indexOf(code); at >= 0; at = message.indexOf(code, at + 1)) {
    const [before, after] = [message.charAt(at - 1), message.charAt(at + code.length)];
    if (!PART_OF_WORD.test(before) && !PART_OF_WORD.test(after)) return true;
  }
  return false;
}

/** An item of a sale, with the code by which it was sent to the POS, or would be now. */
export interface CodedItem {
  /** the terminal's code */
  readonly code: string;
  readonly name: string | null;
  readonly posCode: string;
}

/** An item that the POS named in refusals, and how many orders. */
export interface NamedItem extends CodedItem {
  readonly orders: number;
}

/**
 * The items that the POS names in its refusals, those of most orders first.
 * @param refusals the error of each order, and items of the order
 * @param most how many are returned
 */
export function namedItems(
  refusals: readonly { readonly lastError: string; readonly items: readonly CodedItem[] }[],
  most: number,
): NamedItem[] {
  const found = new Map<string, NamedItem>();
  for (const { lastError, items } of refusals) {
    const named = items.filter(({ posCode }) => namesCode(lastError, posCode));
    for (const item of new Map(named.map((each) => [each.code, each])).values())
      found.set(item.code, { ...item, orders: (found.get(item.code)?.orders ?? 0) + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.orders - a.orders).slice(0, most);
}
