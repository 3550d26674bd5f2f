import type { Order } from './order.js';
import { isBlank, type PosCodes } from './pos-codes.js';
import { shownWarnings, type Warning } from './warnings.js';

/** The codes of a catalogue of a POS: {@link digestOf} of each, sorted. 20,000 codes take 160 kB, whatever their length. */
export type CodeDigests = Float64Array;

/**
 * A digest of a code: a whole number below 2^53 (cyrb53). Two codes of one catalogue have the same in one of a hundred million million cases: a warning is
 * then left out.
 */
export function digestOf(code: string): number {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < code.length; i++) {
    const unit = code.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return 0x1_0000_0000 * (low & 0x1f_ffff) + (high >>> 0);
}

/** The digests of codes. */
export function digestsOf(codes: readonly string[]): CodeDigests {
  return Float64Array.from(codes, digestOf).sort();
}

/** Whether a catalogue has a code. */
export function hasCode(digests: CodeDigests, code: string): boolean {
  const wanted = digestOf(code);
  let [from, to] = [0, digests.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((digests[middle] as number) < wanted) from = middle + 1;
    else to = middle;
  }
  return digests[from] === wanted;
}

/** The first items of a sale are looked up (L242): it is done outside of the turns of large sales. */
const MOST_ITEMS = 1_000;

/**
 * The warnings of items whose code at the POS is not in its catalogue (I17), each code once. An item without a code has the default of the restaurant,
 * or none.
 * @param codes of the restaurant, by which its codes at the POS are found
 */
export function notInCatalogue(
  items: Order['items'],
  { items: known, defaultItem }: PosCodes,
  digests: CodeDigests,
): readonly Warning[] {
  const texts = new Set<string>();
  const lacks = (code: string) => code !== '' && !hasCode(digests, code);
  const sentFor = (code: string) => (isBlank(code) ? (defaultItem ?? '') : (known.get(code)?.code ?? code));
  for (const { code, name, options } of items.slice(0, MOST_ITEMS)) {
    const sent = sentFor(code);
    if (lacks(sent)) {
      const what = isBlank(code) ? `the default item code ${sent}` : sent === code ? code : `${code}, sent as ${sent},`;
      texts.add(`items: itemCode ${what} is not in the catalogue of the POS; the order is sent all the same`);
    }
    // PAYLOAD_HIDE may hide options: their codes are not named
    if (options?.some((option) => lacks(sentFor(option.code))))
      texts.add(
        `items: options of ${name || code || 'an item'} have an itemCode that is not in the catalogue of the POS; the order is sent all the same`,
      );
  }
  return shownWarnings([...texts].map((text) => ({ kind: 'not_in_catalogue', text })));
}
