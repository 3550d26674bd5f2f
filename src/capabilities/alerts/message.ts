import type { Cause } from '../../domain/cause.js';
import { type ConditionDetails, conditionOf } from '../../platform/conditions/condition.js';
import { remedyKeyOf } from '../../platform/conditions/remedy.js';
import { WAITING, waitingHelp } from '../../platform/conditions/waiting.js';
import type { Language } from '../../platform/http/fields/languages.js';
import type { Channel, Message } from '../channels/channel.js';
import { CLOSING_STEP } from './alert.js';
import { REMEDIES, WORDS } from './words.js';

/** An alert, as a message tells it. */
export interface ToldAlert {
  readonly alertId: string;
  readonly kind: string;
  readonly cause: Cause | null;
  readonly count: number;
  readonly details: ConditionDetails;
  /** null: the platform's */
  readonly restaurantId: string | null;
  readonly restaurantName: string | null;
  readonly timezone: string | null;
  /** ISO 4217; null: amounts have no currency (R46) */
  readonly currency: string | null;
}

/** An alert and its message to one recipient. */
export interface ToldMessage extends ToldAlert {
  readonly id: string;
  readonly step: number;
  readonly channel: Channel;
  readonly language: Language;
}

/** What the title of an alert is made of. */
type Said = Pick<ToldMessage, 'kind' | 'count' | 'details' | 'timezone' | 'language'>;

/**
 * The text of a notification (G8). Its path is the page of what it is about (N30), else that of the page of alerts. A mail leads to the page that acknowledges, because a link that is followed must change nothing (G9).
 * @param more how many other alerts are folded into it
 * @param token acknowledges the alert; undefined: for nobody in particular
 */
export function messageOf(told: ToldMessage, more: number, token: string | undefined): Message {
  const { id, alertId, kind, cause, count, details, restaurantId, restaurantName, step, channel, language } = told;
  const words = WORDS[language];
  const isClosed = step === CLOSING_STEP;
  const own = conditionOf(kind)?.words(details)[language];
  // a message about a key names the restaurant of the key, or the platform
  const place = restaurantName ?? details.restaurant ?? (details.keyId === undefined ? '' : words.platform);
  const ended = details.solved === false ? own?.ended : undefined;
  const said = isClosed ? (ended ?? own?.closed(nameOf(details)) ?? kind) : sayingOf(told);
  const title = place === '' ? said : `${place}: ${said}`;
  const lines = isClosed
    ? [ended === undefined ? words.over : words.left]
    : [own?.help ?? helpOf(told), orderLine(told)];
  if (isClosed && details.seconds) lines.push(words.away(Math.ceil(details.seconds / 60)));
  if (more > 0) lines.push(words.more(more));
  const page = pageOf(told);
  const mayAcknowledge = token !== undefined && !isClosed;
  const acknowledgePath = mayAcknowledge && channel === 'mail' ? `/console/acknowledge#${token}` : undefined;
  return {
    id,
    topic: alertId,
    title,
    text: lines.filter((line) => line !== '').join('\n'),
    path: acknowledgePath ?? page,
    links: [
      ...(acknowledgePath === undefined ? [] : [{ label: words.acknowledge, path: acknowledgePath }]),
      { label: openLabel(told), path: page },
    ],
    fields: {
      alertId,
      kind,
      cause,
      state: isClosed ? 'closed' : 'open',
      count,
      restaurantId,
      restaurant: restaurantName,
      ...(mayAcknowledge && channel === 'push' && { acknowledge: token }),
    },
  };
}

/** What an alert says while it is open, without the name of the restaurant; the kind, where this process has not loaded it. */
function sayingOf(told: Said): string {
  const { kind, count, details, language } = told;
  return conditionOf(kind)?.words(details)[language].title(count, nameOf(details), timeOf(told)) ?? kind;
}

/** The title of an alert on a page, in a language (G56). */
export function titleOf(alert: Said): string {
  const said = sayingOf(alert);
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

/** The page of the console that shows what an alert is about. */
export function pageOf({
  kind,
  count,
  details,
  restaurantId,
}: Pick<ToldAlert, 'kind' | 'count' | 'details' | 'restaurantId'>) {
  const condition = conditionOf(kind);
  const page = restaurantId === null ? condition?.platformPage : condition?.page?.(restaurantId, details, count);
  return page ?? alertsPage(restaurantId);
}

/** Why, and what helps, in the words of the console: `The POS does not know a product. Enter the product in the POS …`. */
function helpOf({ kind, cause, count, details, language }: ToldMessage): string {
  const { reason, inShort } = REMEDIES[language][remedyKeyOf(cause, details.subject)];
  const [one, other] = reason;
  const areWaiting = conditionOf(kind)?.areWaiting ?? false;
  // the page that it leads to says it to those who may not
  const help = areWaiting ? waitingHelp(WAITING[language], cause, count, true) : inShort;
  // nobody has asked the POS yet
  if (areWaiting && cause === null) return help;
  const why = count === 1 ? one : other;
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}. ${help}`;
}

/** `Bar (7Hq2mZx9)`: the process, the printer or the sender key; empty when the alert is about orders. */
function nameOf({ name = '', keyId }: ConditionDetails): string {
  return keyId === undefined ? name : `${name} (${keyId})`;
}

/** `Nov 30, 21:58`: when the sender key expires, or since when it holds, by the clock of the restaurant; empty without either. */
function timeOf({ details: { expiresAt, since }, timezone, language }: Said): string {
  const time = expiresAt ?? since;
  if (time === undefined) return '';
  const format = new Intl.DateTimeFormat(language, {
    ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...{ timeZone: timezone ?? 'UTC', ...(timezone === null && { timeZoneName: 'short' }) },
  });
  return format.format(new Date(time));
}

/** What the link to the page says: the order, where the page is that of one. */
function openLabel({ count, details: { transactionKey, transactionNumber }, language }: ToldMessage): string {
  const words = WORDS[language];
  const number = transactionNumber || transactionKey;
  return count === 1 && number !== undefined ? words.openOrder(number) : words.openPage;
}

/** `No. 107 · 42.50 · 21:58`: the newest order; empty when the alert is about none. */
function orderLine({ count, details, timezone, language, currency }: ToldMessage): string {
  const { transactionKey, transactionNumber, paidCents, receivedAt } = details;
  if (transactionKey === undefined) return '';
  const words = WORDS[language];
  const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const amount = new Intl.NumberFormat(language, currency ? { style: 'currency', currency, ...digits } : digits);
  const clock = new Intl.DateTimeFormat(language, {
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone: timezone ?? 'UTC' },
  });
  const line = [
    `${words.number} ${transactionNumber || transactionKey}`,
    ...(paidCents === undefined ? [] : [amount.format(paidCents / 100)]),
    ...(receivedAt === undefined ? [] : [clock.format(new Date(receivedAt))]),
  ].join(' · ');
  return count > 1 ? `${line} (${words.newest})` : line;
}

/** Path of the console's page of alerts. @param restaurantId null: of the platform */
function alertsPage(restaurantId: string | null): string {
  return restaurantId === null ? '/console/operators/alerts' : `/console/r/${restaurantId}/alerts`;
}
