import { OTHER_TENDERS } from '../../domain/tenders.js';
import { homePage } from '../../platform/http/console-paths.js';
import type { Language } from '../../platform/http/fields/languages.js';
import type { PosVendor } from '../../pos/vendor.js';
import type { TipsView } from '../../restaurants/reports/money.dto.js';
import type { Message } from '../channels/channel.js';
import { WORDS } from './closing-words.js';
import { moneyOfClosing, type Said, tipsOfClosing } from './said.js';

/** A closing, as a mail tells it. */
export interface ToldClosing {
  readonly id: string;
  readonly restaurantId: string;
  readonly restaurantName: string;
  readonly number: number;
  readonly content: string;
  readonly hash: string;
  /** the last closing that was sent to the person; null: none is known */
  readonly toldBefore: number | null;
}

/**
 * The mail about closings to one person (B12): count and amounts in the currency of the closing, by tender, what was not in the POS, and the
 * head of the chain.
 * @param closings at least one; the id of the mail is that of the first
 */
export function messageOf(
  closings: readonly [ToldClosing, ...ToldClosing[]],
  language: Language,
  vendor: Pick<PosVendor, 'tenderName'>,
): Message {
  const words = WORDS[language];
  const [first] = closings;
  const isOne = closings.length === 1;
  const sections = closings.map((closing) => {
    const title = titleOf(closing, language);
    return [...(isOne ? [] : [title]), ...linesOf(closing, language, vendor)].join('\n');
  });
  return {
    id: first.id,
    topic: first.id,
    title: isOne ? titleOf(first, language) : words.titleOfSome(closings.length),
    text: [...sections, words.help].join('\n\n'),
    path: isOne ? daysPage(first.restaurantId) : homePage(),
    fields: {},
  };
}

function titleOf({ restaurantName, content }: ToldClosing, language: Language): string {
  const said = JSON.parse(content) as Said;
  const { netCents } = moneyOfClosing(said);
  return WORDS[language].title(restaurantName, dayOf(said.day, language), amountsIn(language, said.currency)(netCents));
}

function linesOf(
  { content, hash, number, toldBefore }: ToldClosing,
  language: Language,
  vendor: Pick<PosVendor, 'tenderName'>,
): string[] {
  const words = WORDS[language];
  const said = JSON.parse(content) as Said;
  const amount = amountsIn(language, said.currency);
  const counted = (name: string, { count, cents }: { readonly count: number; readonly cents: number }) =>
    `${name}: ${amount(cents)} (${count})`;
  const { tenders: tips, severalTenders } = tipsOfClosing(said);
  const tipsOf = (of: TipsView) => tipsText(of, language, amount);
  const [all, several] = [tipsOf(moneyOfClosing(said)), tipsOf(severalTenders)];
  const open = (['waiting', 'parked'] as const).filter((state) => said.states[state].count > 0);
  return [
    countsLine(said, language),
    moneyLine(said, language, amount),
    ...(all === '' ? [] : [words.included(all)]),
    ...(said.states.cancelled.count > 0 ? [all === '' ? words.cancelledHelp : words.cancelledAndTipsHelp] : []),
    ...(said.tenders.length > 0 ? [`${words.tenders}:`] : []),
    ...said.tenders.map(
      ([type, count, cents], i) =>
        `- ${[counted(tenderNameOf(type, language, vendor), { count, cents }), tipsOf(tips[i] as TipsView)].filter(Boolean).join(', ')}`,
    ),
    ...(several === '' ? [] : [`- ${words.several}: ${several}`]),
    ...(said.states.resolved ? [counted(words.resolved, said.states.resolved)] : []),
    ...(open.length > 0
      ? [`${words.notInPos}:`]
      : said.sales.count > 0
        ? [said.states.resolved ? words.othersInPos : words.allInPos]
        : []),
    ...open.map((state) => `- ${counted(words.states[state], said.states[state])}`),
    `${words.perpetual}: ${amount(said.perpetualCents)}`,
    ...(toldBefore !== null && number - toldBefore > 1 ? [words.more(number - toldBefore - 1)] : []),
    // the day as the check wants it (B7)
    `${words.head(number, said.day)}`,
    `${words.seal}: ${hash}`,
  ];
}

/** `122 sales, 2 cancelled, 1 refund`, as the pages of the console write it */
function countsLine(said: Said, language: Language): string {
  const { sales, cancelled, refunds } = moneyOfClosing(said).counts;
  const words = WORDS[language];
  return [
    words.saleCount(sales),
    ...(cancelled > 0 ? [words.cancelledCount(cancelled)] : []),
    ...(refunds > 0 ? [words.refundCount(refunds)] : []),
  ].join(', ');
}

/** `Taken 12,473.25 · cancelled 196.47 · refunded 54.97 · net 12,418.28`, as the pages of the console write it: without what is zero */
function moneyLine(said: Said, language: Language, amount: (cents: number) => string): string {
  const { takenCents, cancelledCents, refundedCents, netCents } = moneyOfClosing(said);
  const words = WORDS[language];
  const parts = [
    ...(cancelledCents === 0 ? [] : [`${words.cancelled} ${amount(cancelledCents)}`]),
    ...(refundedCents === 0 ? [] : [`${words.refunded} ${amount(refundedCents)}`]),
  ];
  return [
    `${words.taken} ${amount(takenCents)}`,
    ...parts,
    ...(refundedCents === 0 ? [] : [`${words.net} ${amount(netCents)}`]),
  ].join(' · ');
}

/** `tip 12.00, service fee 5.00`: without what is zero or not known, so it may be empty */
function tipsText(
  { tipCents, serviceFeeCents }: TipsView,
  language: Language,
  amount: (cents: number) => string,
): string {
  const words = WORDS[language];
  return [
    ...(tipCents ? [`${words.tip} ${amount(tipCents)}`] : []),
    ...(serviceFeeCents ? [`${words.serviceFee} ${amount(serviceFeeCents)}`] : []),
  ].join(', ');
}

/** What stands in place of a tender for tip and service fee of sales with several tenders (R69). */
export const severalName = (language: Language): string => WORDS[language].several;

/** The name of a tender type in a language, with its number where it has one; `others`: the rest. */
export function tenderNameOf(type: string, language: Language, vendor: Pick<PosVendor, 'tenderName'>): string {
  const words = WORDS[language];
  if (type === OTHER_TENDERS) return words.others;
  const name = vendor.tenderName(type);
  return name === null ? words.unknownTender(type) : `${words.tender[name] ?? name} (${type})`;
}

/** `Nov 20, 2026` */
function dayOf(day: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    new Date(`${day}T12:00:00Z`),
  );
}

/** Writes cents in a currency (R46), always with hundredths (decisions/059). @param currency empty: amounts have no name */
function amountsIn(language: Language, currency: string | null): (cents: number) => string {
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const format = new Intl.NumberFormat(language, currency ? { style: 'currency', currency, ...digits } : digits);
  return (cents) => format.format(cents / 100);
}

/** Path of the console's page of the closed days of a restaurant. */
function daysPage(restaurantId: string): string {
  return `/console/r/${restaurantId}/days`;
}
