import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** the JSON sent, or the text when it was not JSON; undefined when there was none or it was not read */
  readonly body: unknown;
  readonly at: Date;
}

const REQUESTS_KEPT = 10_000;

/** The calls that the simulator got; only the newest are kept. */
export class RequestLog {
  readonly requests: RecordedRequest[] = [];

  constructor(private readonly now: () => Date) {}

  record({ method = '', headers }: IncomingMessage, path: string, body: unknown): void {
    this.requests.push({ method, path, headers, body, at: this.now() });
    if (this.requests.length > REQUESTS_KEPT) this.requests.shift();
  }
}
