/** How the printer misbehaves; each applies to the next print. */
export type PrinterFault =
  /** prints, and its DELETE is lost */
  | 'lost_delete'
  /** the download times out: nothing is printed, DELETE with 520 */
  | 'timeout'
  /** nothing is printed, DELETE with 410 */
  | 'paper'
  /** nothing is printed, DELETE with 420 */
  | 'cover'
  /** fetches and prints the ticket a second time before its DELETE */
  | 'twice';

const CODES: Readonly<Partial<Record<PrinterFault, string>>> = {
  timeout: '520 Download Timeout',
  paper: '410 Paper Out',
  cover: '420 Cover Open',
};

type Query = Readonly<Record<string, string>>;

interface PollAnswer {
  readonly jobReady: boolean;
  readonly mediaTypes?: readonly string[];
  readonly jobToken?: string;
}

/** A receipt printer that polls an address (Star CloudPRNT) and prints to a list. Used by tests and demonstrations. */
export class PrinterSimulator {
  /** what was printed, the oldest first */
  readonly printed: string[] = [];
  /** what it says of itself in a poll; null: nothing */
  statusCode: string | null = '200%20OK';
  private readonly faults: PrinterFault[] = [];

  /**
   * @param address of the printer, as the relay gave it
   * @param sendsToken false: older firmware, which does not send the `jobToken` back
   */
  constructor(
    readonly address: string,
    private readonly sendsToken = true,
  ) {}

  /** The next prints go wrong in this way, one after the other. */
  fail(...faults: PrinterFault[]): void {
    this.faults.push(...faults);
  }

  /**
   * Polls once, and prints if there is something to print.
   * @returns whether the relay had a ticket
   * @throws when the relay answers with an error
   */
  async poll(): Promise<boolean> {
    const { jobReady, mediaTypes = [], jobToken } = await this.ask();
    if (!jobReady) return false;
    const token: Query = this.sendsToken && jobToken !== undefined ? { token: jobToken } : {};
    const fault = this.faults.shift();
    const prints = fault === undefined || CODES[fault] === undefined;
    const text = await this.fetchTicket({ ...token, type: mediaTypes[0] ?? '' });
    if (prints) this.printed.push(text);
    if (fault === 'twice') this.printed.push(await this.fetchTicket({ ...token, type: mediaTypes[0] ?? '' }));
    if (fault !== 'lost_delete') await this.end((fault && CODES[fault]) ?? '200 OK', token);
    return true;
  }

  /** Only polls. */
  async ask(changes: object = {}): Promise<PollAnswer> {
    const body = {
      status: '23 6 0 0 0 0 0 0 0',
      printerMAC: '00:11:62:00:00:01',
      uniqueID: null,
      statusCode: this.statusCode,
      printingInProgress: false,
      clientAction: null,
      ...changes,
    };
    const response = await fetch(this.address, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`poll: HTTP ${response.status}`);
    return (await response.json()) as PollAnswer;
  }

  private async fetchTicket(query: Query): Promise<string> {
    const response = await fetch(this.at(query));
    if (!response.ok) throw new Error(`GET: HTTP ${response.status}`);
    return response.text();
  }

  private async end(code: string, query: Query): Promise<void> {
    const response = await fetch(this.at({ ...query, code }), { method: 'DELETE' });
    if (!response.ok) throw new Error(`DELETE: HTTP ${response.status}`);
  }

  private at(query: Query): string {
    return `${this.address}?${new URLSearchParams({ mac: '00:11:62:00:00:01', ...query })}`;
  }
}
