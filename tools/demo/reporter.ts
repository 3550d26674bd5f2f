import type { JobRecord } from './journey.js';
import type { Entry } from './ledger.js';
import { answered, attempted, receipted, stepLine } from './lines.js';
import { type Paint, printable } from './paint.js';
import type { Receipt } from './receipts.js';

/** Prints each step of each order once, as a line. */
export class Reporter {
  /** job id -> number of attempts that were printed */
  private readonly printed = new Map<string, number>();

  constructor(
    private readonly print: (line: string) => void,
    private readonly paint: Paint,
  ) {}

  /** The relay answered the terminal. */
  sold(entry: Entry): void {
    this.print(stepLine(Date.now(), entry.sale.transactionKey, answered(entry), this.paint));
  }

  /** The terminal asked what became of its sales. */
  receipt(receipt: Receipt): void {
    this.print(stepLine(Date.parse(receipt.at), receipt.transactionKey, receipted(receipt), this.paint));
  }

  /** The kitchen printed a ticket. */
  cooked(orderId: string, meal: string): void {
    this.print(stepLine(Date.now(), orderId, { tone: 'dim', text: `the kitchen prints ${meal}` }, this.paint));
  }

  /** The printer in the kitchen printed a ticket of an order that the POS does not have. */
  ticket(text: string): void {
    this.print(
      stepLine(
        Date.now(),
        '',
        { tone: 'dim', text: 'the printer in the kitchen prints, because the POS has it not:' },
        this.paint,
      ),
    );
    for (const line of text.trim().split('\n')) this.print(`          ${printable(line)}`);
  }

  /** A mail arrived. */
  told(address: string, subject: string): void {
    this.print(stepLine(Date.now(), '', { tone: 'bad', text: `mail to ${address}: ${subject}` }, this.paint));
  }

  /** The webhook refused a request that the demo did not send. */
  refused(status: unknown, code: unknown): void {
    this.print(stepLine(Date.now(), '', { tone: 'bad', text: `refused, ${status} ${code}` }, this.paint));
  }

  /** Prints the attempts that have ended since the last call. */
  looked(jobs: readonly JobRecord[]): void {
    const ended = jobs.flatMap((job) => {
      const { id, history } = job;
      const before = this.printed.get(id) ?? 0;
      this.printed.set(id, history.length);
      return history.slice(before).map((attempt) => ({ job, attempt, isLast: attempt === history.at(-1) }));
    });
    for (const { job, attempt, isLast } of ended.sort((one, other) => one.attempt.endedAt - other.attempt.endedAt))
      this.print(stepLine(attempt.endedAt, job.sourceKey, attempted(job, attempt, isLast), this.paint));
  }
}
