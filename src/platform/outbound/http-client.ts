import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { AxiosInstance } from 'axios';
import { InterimAnswers } from './interim-answers.js';

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | undefined;
  /** the deadline, from the look-up to the last byte of the answer */
  readonly signal: AbortSignal;
  /** the most bytes of the answer's body that are read */
  readonly most: number;
}

/** An answer of any status, as received. */
export interface HttpAnswer {
  readonly status: number;
  /** names in lower case; a text, or several */
  readonly headers: Readonly<Record<string, unknown>>;
  /** of the body; all after `most` bytes is left out */
  readonly bytes: Buffer;
  /** why the body is incomplete; absent: it is complete, or has `most` bytes */
  readonly broken?: Error | undefined;
}

/**
 * The HTTP client for all calls but those that deliver orders ({@link OrderTransport}): POST with one deadline, no redirects, a bounded
 * body, a bounded number of interim answers (L168), and without a proxy.
 */
export class HttpClient {
  private readonly agents: { readonly httpAgent: http.Agent; readonly httpsAgent: https.Agent };
  private axios: Promise<AxiosInstance> | undefined;

  /** @param options of Node's agents: `lookup`, `keepAlive`, `maxSockets`; `timeout`: when an idle connection is closed, in ms */
  constructor(options: https.AgentOptions = {}) {
    this.agents = { httpAgent: new http.Agent(options), httpsAgent: new https.Agent(options) };
  }

  /**
   * Sends a POST request. Any HTTP status is an answer.
   * @throws the error of the connection or of the look-up, which has no header of the request
   */
  async post(url: string, { headers, body, signal, most }: HttpRequest): Promise<HttpAnswer> {
    const axios = await this.client();
    try {
      const { status, headers: answered, data } = await axios.post<Readable>(url, body, { headers, signal });
      return { status, headers: answered as Record<string, unknown>, ...(await received(data, most)) };
    } catch (error) {
      throw bare(error as NodeJS.ErrnoException);
    }
  }

  /** Loaded by the first call, so that the process starts faster. */
  private client(): Promise<AxiosInstance> {
    this.axios ??= import('axios').then(({ default: axios }) =>
      axios.create({
        ...this.agents,
        adapter: 'http',
        transport: COUNTING,
        responseType: 'stream',
        // `answerText` undoes encodings, for orders too (D23)
        decompress: false,
        // the body is sent as it was signed
        transformRequest: (body) => body,
        validateStatus: () => true,
        maxRedirects: 0,
        proxy: false,
        headers: { Accept: '*/*', 'Accept-Encoding': 'identity', 'User-Agent': 'terminal-pos-relay' },
      }),
    );
    return this.axios;
  }

  /** Closes all connections, also those in use. */
  close(): void {
    this.agents.httpAgent.destroy();
    this.agents.httpsAgent.destroy();
  }
}

/** The transport of axios: closes a connection with too many interim answers. */
const COUNTING = {
  request(options: http.RequestOptions, onAnswer: (answer: http.IncomingMessage) => void): http.ClientRequest {
    const request = (options.protocol === 'https:' ? https : http).request(options, onAnswer);
    const interim = new InterimAnswers();
    request.on('information', () => {
      const error = interim.add();
      if (error) request.destroy(error);
    });
    return request;
  },
};

async function received(body: Readable, most: number): Promise<Pick<HttpAnswer, 'bytes' | 'broken'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  let broken: Error | undefined;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= most) break;
    }
  } catch (error) {
    broken = bare(error as NodeJS.ErrnoException);
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), broken };
}

/** Errors of axios carry the headers of the request, and so secrets. */
function bare({ cause, code, message }: NodeJS.ErrnoException): Error {
  return cause instanceof Error ? cause : Object.assign(new Error(message), { code });
}
