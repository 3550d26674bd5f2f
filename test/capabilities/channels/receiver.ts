import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  /** runs before the request is answered */
  readonly before?: () => Promise<void>;
}

/** A server that keeps every request: a push service, or the other end of a webhook. */
export class Receiver {
  readonly received: Received[] = [];
  /** the answer by path; default: 201 */
  readonly answers = new Map<string, Answer>();
  private readonly server: Server;

  constructor() {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method, url: path, headers } = request;
      this.received.push({ method, path, headers, body: Buffer.concat(chunks) });
      const { status, headers: sent = {}, before }: Answer = this.answers.get(path ?? '') ?? { status: 201 };
      await before?.();
      response.writeHead(status, sent).end('answered');
    });
  }

  /** @returns its address, without a slash at its end */
  async listen(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forgets the requests and the answers. */
  reset(): void {
    this.received.length = 0;
    this.answers.clear();
  }

  close(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((closed) => this.server.close(() => closed()));
  }
}
