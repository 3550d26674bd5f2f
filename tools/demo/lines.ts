import { money } from '../simulator/amounts.js';
import { shortId } from './evening.js';
import type { AttemptRecord, JobRecord } from './journey.js';
import { type Entry, paidCents } from './ledger.js';
import { type Paint, printable, type Tone } from './paint.js';
import type { Receipt } from './receipts.js';

/** The output of the demo: a line for each step of an order, and a table of all orders at the end. */

interface Ending {
  readonly tone: Tone;
  readonly text: string;
}

/** `20:15:03  1003   what happened` */
export function stepLine(at: number, sale: string, { tone, text }: Ending, paint: Paint): string {
  const clock = new Date(at).toTimeString().slice(0, 8);
  return ` ${paint('dim', clock)}  ${paint('strong', cell(printable(shortId(sale)), 8))} ${paint(tone, printable(text))}`;
}

/** The answer to the terminal. */
export function answered({ sale, isRepeat, answer }: Entry): Ending {
  const what = `${sale.what}${isRepeat ? '' : `, ${money(paidCents(sale))}`}, auth ${sale.by}`;
  if (answer?.status === 200) return { tone: 'plain', text: `${what}: stored, 200` };
  return { tone: 'bad', text: `${what}: refused, ${answer?.status} ${answer?.body.code}` };
}

/** The result of an attempt. @param isLast whether no attempt of the job has followed it */
export function attempted({ action, dueInMs }: JobRecord, attempt: AttemptRecord, isLast: boolean): Ending {
  const { number, outcome, httpStatus, error, isEarly } = attempt;
  const early = isEarly ? ' (the POS is back: sent early)' : '';
  const what = `attempt ${number}${action === 'CANCEL' ? ' to cancel' : ''}${early}`;
  if (outcome === 'SENT' && (httpStatus ?? 0) >= 400)
    return { tone: 'good', text: `${what}: SENT, HTTP ${httpStatus} duplicate: an earlier attempt had arrived` };
  if (outcome === 'SENT')
    return { tone: 'good', text: `${what}: SENT${httpStatus ? `, HTTP ${httpStatus}` : ' without a call'}` };
  if (outcome === 'DLQ') return { tone: 'bad', text: `${what}: parked, ${error}` };
  const again = isLast && outcome === 'FAILED' ? `; next attempt in ${Math.max(0, Math.ceil(dueInMs / 1_000))} s` : '';
  return { tone: 'wait', text: `${what}: ${outcome}, ${error}${again}` };
}

/** What the relay tells the terminal of a sale. */
export function receipted({ type, cause }: Receipt): Ending {
  const what = type.replace('order.', '');
  return {
    tone: type === 'order.parked' ? 'bad' : 'dim',
    text: `receipt for the terminal: ${what}${cause ? `, ${cause}` : ''}`,
  };
}

/** A row for each sale of the evening. */
export function ordersTable(
  entries: readonly Entry[],
  jobOf: (entry: Entry) => JobRecord | undefined,
  paint: Paint,
): string {
  const row = (id: string, what: string, amount: string, by: string, attempts: string) =>
    ` ${cell(id, 6)} ${cell(what, 21)} ${amount.padStart(7)}  ${cell(by, 6)} ${attempts.padStart(8)}  `;
  return [
    paint('dim', `${row('sale', 'description', 'amount', 'auth', 'attempts')}result`),
    ...entries.map((entry) => {
      const { sale, isRepeat } = entry;
      const job = jobOf(entry);
      const amount = isRepeat ? '' : money(paidCents(sale));
      const { tone, text } = endingOf(entry, job);
      return `${row(shortId(sale.transactionKey), sale.what, amount, sale.by, String(job?.attempts ?? ''))}${paint(tone, text)}`;
    }),
  ].join('\n');
}

function endingOf({ answer }: Entry, job: JobRecord | undefined): Ending {
  if (!job) return { tone: 'bad', text: `refused: ${answer?.status} ${answer?.body.code}` };
  if (job.status === 'SENT') return { tone: 'good', text: 'in the POS' };
  if (job.status === 'DLQ') return { tone: 'bad', text: `parked: ${printable(job.lastError ?? '')}` };
  return { tone: 'wait', text: job.status };
}

function cell(text: string, columns: number): string {
  return text.padEnd(columns);
}
