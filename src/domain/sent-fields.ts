import { maskCards } from './card-numbers.js';
import { AMOUNT_LIMIT, amountCents, type Cents, isAmount } from './money.js';
import type { Evidence } from './order.js';
import { firstCharacters, identifier, storableText } from './text.js';
import type { JsonObject } from './transaction.js';
import type { Warning } from './warnings.js';

/** The most characters of notes; a longer text is cut (L221). */
export const MAX_NOTES = 255;
/** The most characters of a text of {@link Evidence}; a longer one is left out (L222). */
export const MAX_EVIDENCE = 40;
export const MAX_INSTALLMENTS = 99;

/** What ends a line, and tabs. */
const BREAKS = /[\t-\r\u0085\u2028\u2029]+/g;
/** Control characters, and those that turn the direction of the text; the joiners of emoji stay. */
const UNPRINTABLE = /[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Notes for the kitchen as the order has them (M21): one line without control characters, at most {@link MAX_NOTES} characters.
 * @param sent of any type
 * @returns undefined when there are none
 */
export function readNotes(sent: unknown, field: string, warnings: Warning[]): string | undefined {
  if ((sent ?? '') === '') return undefined;
  if (typeof sent !== 'string') return ignored(field, 'must be text; the order has none', warnings);
  const notes = storableText(sent.replaceAll(BREAKS, ' ')).replaceAll(UNPRINTABLE, '').trim();
  const shown = firstCharacters(notes, MAX_NOTES);
  if (shown !== notes) {
    const text = `${field}: has more than ${MAX_NOTES} characters; the order has the first ${MAX_NOTES}`;
    warnings.push({ kind: 'changed_field', text });
  }
  return shown === '' ? undefined : shown;
}

/**
 * A part of what was paid, tip or service fee, in cents (M20).
 * @param sent currency units, of any type
 * @param isPaidBack whether the sale is a refund: its parts are below zero, whatever sign the terminal sends
 * @returns null when there is none, or it cannot be read
 */
export function readPart(sent: unknown, field: string, isPaidBack: boolean, warnings: Warning[]): Cents | null {
  if ((sent ?? null) === null) return null;
  if (!isAmount(sent) || (sent < 0 && !isPaidBack)) {
    ignored(field, `must be a number from 0 to below ${AMOUNT_LIMIT}; it is left out`, warnings);
    return null;
  }
  return isPaidBack ? -amountCents(Math.abs(sent)) : amountCents(sent);
}

/** The evidence of a payment (M22). @param place `payments[0]` @returns undefined when the terminal sent none */
export function readEvidence(payment: JsonObject, place: string, warnings: Warning[]): Evidence | undefined {
  const { authorizationCode, acquirerDocument, brand, installments, terminalId } = payment;
  if ((authorizationCode ?? acquirerDocument ?? brand ?? installments ?? terminalId ?? null) === null) return undefined;
  const text = (name: string, sent: unknown) => evidenceText(sent, `${place}.${name}`, warnings);
  const found = {
    authorizationCode: text('authorizationCode', authorizationCode),
    acquirerDocument: documentOf(acquirerDocument, `${place}.acquirerDocument`, warnings),
    brand: text('brand', brand),
    installments: installmentsOf(installments, `${place}.installments`, warnings),
    terminalId: text('terminalId', terminalId),
  };
  const read = Object.entries(found).filter(([, value]) => value !== undefined);
  return read.length === 0 ? undefined : Object.fromEntries(read);
}

function evidenceText(sent: unknown, field: string, warnings: Warning[]): string | undefined {
  if ((sent ?? '') === '') return undefined;
  const text = identifier(sent)?.trim();
  if (text === '') return undefined;
  if (text !== undefined && !/\p{Cc}/u.test(text) && firstCharacters(text, MAX_EVIDENCE) === text)
    // an older version has stored it without a search for card numbers
    return maskCards(text);
  return ignored(field, `must be text of at most ${MAX_EVIDENCE} characters; it is left out`, warnings);
}

function documentOf(sent: unknown, field: string, warnings: Warning[]): string | undefined {
  if ((sent ?? '') === '') return undefined;
  const text = identifier(sent)?.trim();
  if (text !== undefined && /^\d{14}$/.test(text)) return text;
  return ignored(field, 'must be 14 digits; it is left out', warnings);
}

function installmentsOf(sent: unknown, field: string, warnings: Warning[]): number | undefined {
  if ((sent ?? null) === null) return undefined;
  if (Number.isInteger(sent) && (sent as number) >= 1 && (sent as number) <= MAX_INSTALLMENTS) return sent as number;
  return ignored(field, `must be a whole number from 1 to ${MAX_INSTALLMENTS}; it is left out`, warnings);
}

function ignored(field: string, text: string, warnings: Warning[]): undefined {
  warnings.push({ kind: 'ignored_field', text: `${field}: ${text}` });
  return undefined;
}
