import { LONGEST, SHORTEST, shown } from './card-issuers.js';
import type { Hint } from './card-names.js';
import { DIGIT, DigitRun } from './digit-run.js';

/** What stands between two digits of a number: blanks of every kind and width, hyphens, what HTML and addresses write for a blank; or a sign. */
const BLANK = '[\\s\u00ad\u180e\u200b-\u200f\u2010-\u2015\u2060-\u2064\u2212\ufeff-]|&nbsp;|%20';
const RUN = new RegExp(`${DIGIT}(?:(?:${BLANK}|[.,/_:;|#*~\u00b7]){0,8}${DIGIT}){${SHORTEST - 1},}`, 'g');
const MAY_HAVE_RUN = new RegExp(RUN.source);
const IS_BLANK = new RegExp(`^(?:${BLANK})+$`);

/** What separates the digits of one number where nothing else says so: of an invoice key, a telephone (W39). */
const NARROW = /^[ \u00a0\u2010-\u2015-]{1,3}$/;
/** More digits, with {@link NARROW} between them, are the key of an invoice (44) or the line of a bank slip (47). */
const LONGEST_CHAIN = 40;
/** The most digits of a telephone after `+` (E.164). */
const LONGEST_TELEPHONE = 15;
/** More digits in the field of a card are masked unread: a number may stand anywhere in them. */
const LONGEST_SEARCHED = 200;
/** The line of a bank slip, which also has dots. */
const BANK_SLIP = [5, 5, 5, 6, 5, 6, 1, 14];

/** Groups of digits in which people write card numbers. */
const WRITTEN = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [6, 13],
  [4, 4, 4, 1],
  [5, 5, 5, 1],
  [5, 5, 5],
  [2, 2, 2, 2, 2, 2, 2, 2],
];

/** The expiry, service code and more that a magnetic stripe has after the number (W48): the second track, the first one with the name before. */
const TRACK_2 = /^([=D])\d[\d:;<>]{3,}/;
const TRACK_1 = /^(\^[^^?]{2,26}\^)\d[^?]{3,}/;

/** Whether a text has enough digits for a card number. */
export function mayHaveRun(text: string): boolean {
  return text.length >= SHORTEST && hasDigits(text) && MAY_HAVE_RUN.test(text);
}

/** A quick test: most texts of a sale have fewer digits, or characters that are no digits of ASCII. */
function hasDigits(text: string): boolean {
  let digits = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (((code >= 0x30 && code <= 0x39) || code >= 0x660) && ++digits >= SHORTEST) return true;
  }
  return false;
}

/** Masks what looks like a card number in a text, and what a track has after it (W38, W39, W48). The time is linear. */
export function maskText(text: string, hint: Hint): string {
  if (hint === 'other') return text;
  let masked = '';
  let end = 0;
  for (const match of text.matchAll(RUN)) {
    const at = match.index;
    // digits of the track of the number before
    if (at < end) continue;
    const run = maskRun(match[0], hint, text[at - 1], text[at + match[0].length]);
    masked += text.slice(end, at) + run;
    end = at + match[0].length;
    if (run === match[0]) continue;
    const rest = text.slice(end, end + 120);
    const track = TRACK_2.exec(rest) ?? TRACK_1.exec(rest);
    if (!track) continue;
    masked += `${track[1]}***`;
    end += track[0].length;
  }
  return end === 0 ? text : masked + text.slice(end);
}

/**
 * Masks the card numbers in digits with blanks and signs between them: a group alone, groups as people write them, or, where the field says
 * card, all of the digits.
 * @param before the character before the run
 * @param after the character after it
 */
function maskRun(text: string, hint: Hint, before: string | undefined, after: string | undefined): string {
  const run = new DigitRun(text);
  const left = hint === 'card' ? undefined : leftAlone(run, before);
  let masked = '';
  let end = 0;
  for (let i = 0; i < run.groups; ) {
    const taken = numberAt(run, i, hint, left);
    if (taken > 0) {
      const [from, to] = [run.startOf(i), run.endOf(i + taken - 1)];
      const isInWord = from === 0 && to === text.length && isLetter(before) && isLetter(after);
      if (hint === 'card' || !isInWord) {
        masked += text.slice(end, from) + shown(run.digitsOf(i, i + taken));
        end = to;
      }
    }
    i += Math.max(1, taken);
  }
  if (end > 0) return masked + text.slice(end);
  return hint === 'card' ? maskAny(run) : text;
}

/** How many groups from this one on are a number; 0: none. */
function numberAt(run: DigitRun, i: number, hint: Hint, left: Uint8Array | undefined): number {
  if (left?.[i]) return 0;
  if (run.isCard(i, i + 1, hint)) return 1;
  const size = run.sizeOf(i);
  for (const sizes of WRITTEN) {
    if (sizes[0] !== size || !run.haveSizes(i, sizes)) continue;
    const to = i + sizes.length;
    if (run.isCard(i, to, hint) && !isMarked(left, i, to) && areSeparatedAlike(run, i, to)) return sizes.length;
  }
  return 0;
}

function isMarked(left: Uint8Array | undefined, from: number, to: number): boolean {
  if (left) for (let group = from; group < to; group++) if (left[group] === 1) return true;
  return false;
}

/**
 * Blanks of any kind between the groups of a number, or one and the same sign. Numbers of two and five digits, and of six and thirteen, are
 * prices, dates and decimals more often: only blanks, and the same.
 */
function areSeparatedAlike(run: DigitRun, from: number, to: number): boolean {
  const size = run.sizeOf(from);
  const areOftenOthers = size === 2 || size === 5;
  const first = run.before(from + 1);
  let isSame = true;
  let areBlanks = IS_BLANK.test(first);
  for (let group = from + 2; group < to; group++) {
    const separator = run.before(group);
    if (separator === first) continue;
    isSame = false;
    areBlanks &&= IS_BLANK.test(separator);
    // a text may have a third of a million groups: most are no number, and that shows early
    if (areOftenOthers || !areBlanks) return false;
  }
  return areOftenOthers ? areBlanks && isSame : areBlanks || (isSame && size !== 6);
}

/** The groups of invoice keys, bank slips and telephones (W39), each marked with 1. @param sign the character before the run */
function leftAlone(run: DigitRun, sign: string | undefined): Uint8Array {
  const { groups } = run;
  const left = new Uint8Array(groups);
  for (let from = 0; from < groups; ) {
    let to = from + 1;
    while (to < groups && NARROW.test(run.before(to))) to++;
    const length = run.offsetOf(to) - run.offsetOf(from);
    const isTelephone = from === 0 && sign === '+' && length <= LONGEST_TELEPHONE;
    if (isTelephone || length > LONGEST_CHAIN) left.fill(1, from, to);
    from = to;
  }
  for (let from = 0; from + BANK_SLIP.length <= groups; from++)
    if (run.haveSizes(from, BANK_SLIP)) left.fill(1, from, from + BANK_SLIP.length);
  return left;
}

/** In a field of a card: all digits as one number, or the first number within them; many are masked unread. */
function maskAny({ text, digits }: DigitRun): string {
  const { length } = digits;
  if (length > LONGEST_SEARCHED || digits.isCard(0, length, 'card')) return shown(digits.text(0, length));
  for (let from = 0; from + SHORTEST <= length; from++)
    for (let to = Math.min(length, from + LONGEST); to >= from + SHORTEST; to--)
      if (digits.isCard(from, to, 'card'))
        return digits.text(0, from) + shown(digits.text(from, to)) + '*'.repeat(length - to);
  return text;
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\p{L}/u.test(character);
}
