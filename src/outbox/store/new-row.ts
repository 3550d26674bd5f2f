import { currencyOf, otherCurrency } from '../../domain/currency.js';
import { isBlank } from '../../domain/pos-codes.js';
import type { Sale } from '../../domain/sale.js';
import { firstCharacters } from '../../domain/text.js';
import { storedTrace, type Trace } from '../../domain/trace.js';
import { MAX_NUMBER_LENGTH } from '../../domain/transaction.js';
import type { Warning } from '../../domain/warnings.js';
import type { BatchedRow } from '../../platform/database/batch/row-queue.js';
import { uuidV7 } from '../../platform/database/uuid.js';
import type { Place } from './place.js';

/** A sale to be stored, as a row of `terminal_events`. */
export interface NewEvent {
  readonly sale: Sale;
  readonly place: Place;
  /** the stored key: in test mode with its suffix (W22) */
  readonly transactionKey: string;
  readonly testMode: boolean;
  readonly trace: Trace;
}

/** The warnings of items that a catalogue lacks (I17), and the restaurant that they suppose. */
export interface CatalogueWarnings {
  /** restaurant, version of its codes, and catalogue, as the statement writes them */
  readonly basis: string;
  readonly warnings: readonly Warning[];
}

/** A row for `enqueueAll`: an event as JSON. */
export interface NewRow extends BatchedRow {
  readonly jobId: string;
  readonly event: NewEvent;
  /** what the statement stores if its restaurant is as it supposes (I17) */
  readonly ofCatalogue: CatalogueWarnings | undefined;
  readonly columns: string;
  readonly payload: string;
}

/**
 * @param ofCatalogue the warnings of items that the catalogue of the restaurant lacks
 * @returns the event as a row of `enqueueAll`, with the id of its job
 */
export function rowOf(event: NewEvent, ofCatalogue?: CatalogueWarnings): NewRow {
  const { place, testMode, transactionKey, trace } = event;
  const { transaction, paid, mismatchCents, tipCents, serviceFeeCents, warnings, payload: body } = event.sale;
  const { transactionKey: sourceKey, storeCode, transactionNumber, transactionDate } = transaction;
  const jobId = uuidV7();
  const saleCurrency = currencyOf(body);
  const tenders = Object.entries(paid?.byTender ?? {}).map(([tender, cents]) => [tender, Number(cents)]);
  const ofPlatform = place.sender === 'terminal' || undefined;
  // a field that is undefined is left out
  const columns = JSON.stringify({
    jobId,
    transactionKey,
    sourceKey,
    testMode,
    storeCode,
    transactionNumber: transactionNumber && firstCharacters(transactionNumber, MAX_NUMBER_LENGTH),
    transactionDate,
    // JSON has no bigint: amounts of columns are sent as text, which Postgres reads exactly. Amounts inside the stored JSON are numbers,
    // for reports.
    amountMismatchCents: mismatchCents?.toString(),
    paidCents: String(paid?.total ?? 0n),
    paidByTender: Object.fromEntries(tenders),
    tipCents: tipCents?.toString(),
    serviceFeeCents: serviceFeeCents?.toString(),
    warnings: warnings.map(({ text }) => text),
    withoutCode: hasItemWithoutCode(event.sale) || undefined,
    tenders: unknownTenders(warnings),
    ofCatalogue: ofCatalogue && { basis: ofCatalogue.basis, warnings: ofCatalogue.warnings.map(({ text }) => text) },
    saleCurrency: saleCurrency ?? undefined,
    currencyWarning: saleCurrency === null ? undefined : otherCurrency(saleCurrency).text,
    placeId: place.restaurantId,
    // bytea as Postgres writes it
    trace: `\\x${storedTrace(trace)}`,
    senderKey: place.key,
    ...(place.sender === 'key' && { namedCode: place.storeCode, namedId: place.named }),
    ofPlatform,
    placeCode: place.sender === 'terminal' ? place.storeCode : undefined,
  });
  const payload = JSON.stringify(body);
  const source = place.restaurantId ?? (place.sender === 'terminal' ? place.storeCode : null) ?? '';
  const keys = [`${source}/${transactionKey}`, `${source}/${sourceKey}`];
  const length = columns.length + payload.length;
  return { jobId, event, ofCatalogue, columns, payload, length, keys, source, party: place.party };
}

function hasItemWithoutCode({ order }: Sale): boolean {
  return 'items' in order && order.items.some(({ code }) => isBlank(code));
}

/** The warnings of tenders that the vendor does not know, with the codes by which the restaurant may (I6); undefined: it knows all of them. */
function unknownTenders(warnings: readonly Warning[]): { keys: readonly string[]; text: string }[] | undefined {
  const found = warnings.flatMap(({ tender, text }) => (tender && tender.length > 0 ? { keys: tender, text } : []));
  return found.length > 0 ? found : undefined;
}
