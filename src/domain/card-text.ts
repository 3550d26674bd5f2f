import { isCard, LONGEST, SHORTEST, shown } from './card-issuers.js';
import type { Hint } from './card-names.js';

/** A digit: ASCII, Arabic-Indic, Persian, or of full width. */
const DIGIT = '[0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]';
/** What stands between two digits of a number: blanks of every kind and width, hyphens, what HTML and addresses write for a blank; or a sign. */
const BLANK = '[\\s\u00ad\u180e\u200b-\u200f\u2010-\u2015\u2060-\u2064\u2212\ufeff-]|&nbsp;|%20';
const RUN = new RegExp(`${DIGIT}(?:(?:${BLANK}|[.,/_]){0,8}${DIGIT}){${SHORTEST - 1},}`, 'g');
const MAY_HAVE_RUN = new RegExp(RUN.source);
/** Digits, without those of `%20`. */
const GROUP = new RegExp(`(?<!%|%2)${DIGIT}+`, 'g');
const FOREIGN_DIGIT = /[\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]/g;
const IS_BLANK = new RegExp(`^(?:${BLANK})+$`);

/** What separates the digits of one number where nothing else says so: of an invoice key, a telephone (W39). */
const NARROW = /^[ \u00a0\u2010-\u2015-]{1,3}$/;
/** More digits, with {@link NARROW} between them, are the key of an invoice (44) or the line of a bank slip (47). */
const LONGEST_CHAIN = 40;
/** The most digits of a telephone after `+` (E.164). */
const LONGEST_TELEPHONE = 15;
/** More digits in the field of a card are not searched. */
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

/** Digits that stand together. */
interface Group {
  readonly digits: string;
  /** place in the run */
  readonly at: number;
  /** what stands before the group in the run; empty for the first one */
  readonly before: string;
}

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
function maskRun(run: string, hint: Hint, before: string | undefined, after: string | undefined): string {
  const groups = groupsOf(run);
  const left = hint === 'card' ? new Set<Group>() : leftAlone(groups, before);
  let masked = '';
  let end = 0;
  for (let i = 0; i < groups.length; ) {
    const taken = numberAt(groups, i, hint, left);
    const [first, last] = [taken?.[0], taken?.at(-1)];
    if (taken && first && last) {
      const to = last.at + last.digits.length;
      const isInWord = first.at === 0 && to === run.length && isLetter(before) && isLetter(after);
      if (hint === 'card' || !isInWord) {
        masked += run.slice(end, first.at) + shown(digitsOf(taken));
        end = to;
      }
    }
    i += taken?.length ?? 1;
  }
  if (end > 0) return masked + run.slice(end);
  return hint === 'card' ? maskAny(run, digitsOf(groups)) : run;
}

/** The groups from this one on that are a number; undefined: none. */
function numberAt(
  groups: readonly Group[],
  i: number,
  hint: Hint,
  left: ReadonlySet<Group>,
): readonly Group[] | undefined {
  const first = groups[i] as Group;
  if (left.has(first)) return undefined;
  if (isCard(first.digits, hint)) return [first];
  for (const sizes of WRITTEN) {
    if (sizes[0] !== first.digits.length) continue;
    const taken = groups.slice(i, i + sizes.length);
    const isWritten =
      taken.length === sizes.length &&
      taken.every((group, n) => group.digits.length === sizes[n] && !left.has(group)) &&
      areSeparatedAlike(taken);
    if (isWritten && isCard(digitsOf(taken), hint)) return taken;
  }
  return undefined;
}

/**
 * Blanks of any kind between the groups of a number, or one and the same sign. Numbers of two and five digits, and of six and thirteen, are
 * prices, dates and decimals more often: only blanks, and the same.
 */
function areSeparatedAlike(taken: readonly Group[]): boolean {
  const separators = taken.slice(1).map(({ before }) => before);
  const isSame = new Set(separators).size === 1;
  const areBlanks = separators.every((each) => IS_BLANK.test(each));
  const first = taken[0]?.digits.length;
  return first === 2 || first === 5 ? areBlanks && isSame : areBlanks || (isSame && first !== 6);
}

/** The groups of invoice keys, bank slips and telephones (W39). */
function leftAlone(groups: readonly Group[], before: string | undefined): Set<Group> {
  const left = new Set<Group>();
  const leave = (chain: readonly Group[]) => {
    for (const group of chain) left.add(group);
  };
  for (let from = 0; from < groups.length; ) {
    let to = from + 1;
    while (to < groups.length && NARROW.test((groups[to] as Group).before)) to++;
    const chain = groups.slice(from, to);
    const { length } = digitsOf(chain);
    const isTelephone = from === 0 && before === '+' && length <= LONGEST_TELEPHONE;
    if (isTelephone || length > LONGEST_CHAIN) leave(chain);
    from = to;
  }
  for (let from = 0; from + BANK_SLIP.length <= groups.length; from++) {
    const slip = groups.slice(from, from + BANK_SLIP.length);
    if (slip.every(({ digits }, n) => digits.length === BANK_SLIP[n])) leave(slip);
  }
  return left;
}

/** In a field of a card: all digits as one number, or the first number within them. So many digits that it takes long are masked unread. */
function maskAny(run: string, digits: string): string {
  if (isCard(digits, 'card') || digits.length > LONGEST_SEARCHED) return shown(digits);
  for (let from = 0; from + SHORTEST <= digits.length; from++)
    for (let length = Math.min(LONGEST, digits.length - from); length >= SHORTEST; length--)
      if (isCard(digits.slice(from, from + length), 'card'))
        return (
          digits.slice(0, from) + shown(digits.slice(from, from + length)) + '*'.repeat(digits.length - from - length)
        );
  return run;
}

function groupsOf(run: string): Group[] {
  let end = 0;
  return [...run.matchAll(GROUP)].map(({ 0: text, index: at }) => {
    const before = run.slice(end, at);
    end = at + text.length;
    return { digits: text.replaceAll(FOREIGN_DIGIT, asciiOf), at, before };
  });
}

/** U+0660 and U+06F0 begin a row of ten digits, as U+FF10. */
function asciiOf(digit: string): string {
  return String(digit.charCodeAt(0) & 0xf);
}

function digitsOf(groups: readonly Group[]): string {
  return groups.map(({ digits }) => digits).join('');
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /\p{L}/u.test(character);
}
