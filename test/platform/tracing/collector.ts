import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../support/until.js';
import { problemsIn } from './otlp-schema.js';

/** A span as it was received, with its attributes as an object. */
export interface Received {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly links?: readonly { traceId: string; spanId: string }[];
  readonly status?: { code: number; message: string };
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}

/** How it answers. */
type Behaviour = (response: ServerResponse) => void;

export const takes: Behaviour = (response) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"partialSuccess":{}}');
export const says =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    response.writeHead(status, headers).end(body);
/** Never answers. */
export const silent: Behaviour = () => {};

type Attribute = { key: string; value: Record<string, string | number | boolean> };

/** An OTLP collector: it holds each request against the published schema. */
export class Collector {
  readonly requests: { path: string; headers: IncomingHttpHeaders; body: string }[] = [];
  readonly spans: Received[] = [];
  readonly resources: Record<string, unknown>[] = [];
  readonly problems: string[] = [];
  behaviour = takes;
  url = '';
  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      this.requests.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
      this.note(JSON.parse(body));
      this.behaviour(response);
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.server.listen(0, '127.0.0.1');
    await once(collector.server, 'listening');
    collector.url = `http://127.0.0.1:${(collector.server.address() as AddressInfo).port}`;
    return collector;
  }

  /** Waits until it has this many spans of the trace, or that link to it. */
  async spansOf(traceId: string, count: number): Promise<Received[]> {
    const found = () =>
      this.spans.filter((span) => span.traceId === traceId || span.links?.some((link) => link.traceId === traceId));
    await until(() => found().length >= count);
    return found();
  }

  async close(): Promise<void> {
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }

  // biome-ignore lint/suspicious/noExplicitAny: the schema has been checked
  private note(body: any): void {
    this.problems.push(...problemsIn(body));
    for (const { resource, scopeSpans } of body.resourceSpans) {
      this.resources.push(attributesOf(resource.attributes));
      for (const { spans } of scopeSpans)
        for (const span of spans) this.spans.push({ ...span, attributes: attributesOf(span.attributes) });
    }
  }
}

function attributesOf(attributes: readonly Attribute[]) {
  return Object.fromEntries(
    attributes.map(({ key, value: { intValue, ...value } }) => [
      key,
      intValue === undefined ? (Object.values(value)[0] as string) : Number(intValue),
    ]),
  );
}
