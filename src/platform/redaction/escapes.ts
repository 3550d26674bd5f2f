import { type MappedText, MappedWriter } from './mapped-text.js';

/** The most levels of nested escapes that are undone. */
const MAX_ROUNDS = 6;

/** What no secret has in place of a character: it is visible, and not ASCII. */
export const OTHER = 0xfffd;

/** The names of HTML for characters of ASCII, and for those that are invisible. */
const NAMED: Readonly<Record<string, string>> = {
  ...{
    excl: '!',
    quot: '"',
    num: '#',
    dollar: '$',
    percnt: '%',
    amp: '&',
    apos: "'",
    lpar: '(',
    rpar: ')',
    ast: '*',
    midast: '*',
  },
  ...{
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    lt: '<',
    equals: '=',
    gt: '>',
    quest: '?',
    commat: '@',
  },
  ...{ lsqb: '[', lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', hat: '^', lowbar: '_', underbar: '_', grave: '`' },
  ...{
    diacriticalgrave: '`',
    lcub: '{',
    lbrace: '{',
    verbar: '|',
    vert: '|',
    verticalline: '|',
    rcub: '}',
    rbrace: '}',
  },
  ...{ tab: '\t', newline: '\n', nbsp: ' ', shy: '\u00ad', zerowidthspace: '\u200b' },
};
const NAMES = Object.keys(NAMED).toSorted((a, b) => b.length - a.length);

/**
 * A character as encoders write it: after backslashes (JSON, JavaScript, C), in HTML by number or name, in URLs; and the end of a line that a mail
 * has broken. The oldest names of HTML need no semicolon.
 */
const ESCAPED = new RegExp(
  [
    String.raw`\\+(?:u\{0*([\da-f]{1,6})\}|u([\da-f]{4})|x([\da-f]{2})|([0-3][0-7]{2})|([nrt]))?`,
    String.raw`&#0*(\d{1,7});?|&#x0*([\da-f]{1,6});?`,
    `&(${NAMES.join('|')});|&(quot|amp|apos|lt|gt)`,
    String.raw`%u([\da-f]{4})|%([\da-f]{2})`,
    String.raw`=[ \t]*\r?\n`,
  ].join('|'),
  'gi',
);

/** Undoes escapes, nested ones too. All backslashes are removed, since nested JSON has any number of them. */
export function withoutEscapes(text: MappedText): MappedText {
  let shown = text;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = undone(shown);
    if (!next) break;
    shown = next;
  }
  return shown;
}

/** @returns undefined when there is no escape */
function undone(from: MappedText): MappedText | undefined {
  const { text } = from;
  let writer: MappedWriter | undefined;
  let end = 0;
  for (const match of text.matchAll(ESCAPED)) {
    writer ??= new MappedWriter(from);
    writer.copy(end, match.index);
    end = match.index + match[0].length;
    const code = codeOf(match);
    if (code !== undefined) writer.write(code, match.index, end);
  }
  writer?.copy(end, text.length);
  return writer?.done();
}

/** @returns undefined for backslashes alone and for a broken line, which stand for nothing */
function codeOf([, point, unit, byte, octal, letter, decimal, hex, name, old, wide, url]: RegExpExecArray) {
  if (letter) return letter === 'r' ? 0x0d : 0x0a;
  const named = name ?? old;
  if (named) return (NAMED[named.toLowerCase()] as string).charCodeAt(0);
  if (octal) return Number.parseInt(octal, 8);
  const digits = point ?? unit ?? byte ?? hex ?? wide ?? url;
  const code = decimal ? Number(decimal) : Number.parseInt(digits ?? '', 16);
  if (Number.isNaN(code)) return undefined;
  return code > 0xffff ? OTHER : code;
}

const VISIBLE_ASCII = /[\x21-\x7e]+/g;
const VISIBLE = /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The visible characters of a text, so without white space, control and format characters. Those that are not ASCII become {@link OTHER}.
 */
export function visible(from: MappedText): MappedText {
  const { text } = from;
  const writer = new MappedWriter(from);
  let end = 0;
  const skip = (to: number) => {
    if (to > end && VISIBLE.test(text.slice(end, to))) writer.write(OTHER, end, to);
  };
  for (const { 0: run, index } of text.matchAll(VISIBLE_ASCII)) {
    skip(index);
    end = index + run.length;
    writer.copy(index, end);
  }
  skip(text.length);
  return writer.done();
}
