import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request that went over the line. */
export interface Passed {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** of the answer of the relay */
  readonly status: number;
}

/** A line to the relay that carries requests out and may lose their answers. */
export class LossyLine {
  readonly passed: Passed[] = [];
  private readonly server: Server;

  /** @param loses whether the answer to this request is lost; asked once for each, in their order */
  constructor(relayUrl: string, loses: (passed: Passed) => boolean = () => false) {
    this.server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      const body = await text(request);
      const { authorization, 'content-type': type } = headers;
      const answer = await fetch(`${relayUrl}${url}`, {
        method,
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        body: body === '' ? null : body,
      });
      const passed = { method, path: url, body, status: answer.status };
      this.passed.push(passed);
      const answered = await answer.text();
      if (loses(passed)) response.destroy();
      else
        response
          .writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
          .end(answered);
    });
  }

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
