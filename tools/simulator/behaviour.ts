import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { allForms } from './answer-forms.js';
import { ERROR, type PosPath, type Reply, refusal } from './wire.js';

/**
 * How the simulator answers a call. A 2xx is the answer of a call that was carried out (or the refusal by the rules); any other
 * status is answered without carrying it out.
 */
export type Treatment =
  | { readonly mode: 'ok' }
  /** carries the call out at once, answers after `delayMs` milliseconds */
  | { readonly mode: 'slow'; readonly delayMs: number }
  /** reads the call, never answers */
  | { readonly mode: 'hang' }
  /** carries the call out, never answers */
  | { readonly mode: 'hang-after' }
  /** `errorCode`: default the status, none for a 2xx; `retryAfter`: seconds or an HTTP date */
  | {
      readonly mode: 'status';
      readonly status: number;
      readonly errorCode?: number;
      readonly message?: string;
      readonly retryAfter?: number | string;
    }
  /** resets the connection, before it reads the body, unless `stores` is set */
  | { readonly mode: 'reset' }
  /** carries the call out, then resets the connection */
  | { readonly mode: 'reset-after' }
  /** an HTML body, as a proxy in front of the POS sends it */
  | { readonly mode: 'html'; readonly status: number }
  /** closes the connection before the body has reached its Content-Length */
  | { readonly mode: 'truncated'; readonly status: number }
  /** `status`: default 302 */
  | { readonly mode: 'redirect'; readonly location: string; readonly status?: number }
  /** 200 and its headers at once, then one byte every `everyMs` milliseconds, for ever */
  | { readonly mode: 'trickle'; readonly everyMs: number }
  /** a JSON body of `bytes` bytes */
  | { readonly mode: 'huge'; readonly status: number; readonly bytes: number }
  /** 400 with the caller's own secret and token in the message */
  | { readonly mode: 'echo-secret' }
  /** carries the call out; each answer has the next form of answer-forms.ts, and ends the connection */
  | { readonly mode: 'any-form' }
  /** a look-up gets 200 and `status` IN_PROGRESS, for any order */
  | { readonly mode: 'in-progress' }
  /** holds the answer until `release()`; the call is carried out before or after the wait */
  | { readonly mode: 'gate'; readonly register: 'before' | 'after' };

/** A treatment, and the calls to which it applies. */
export type Behaviour = Treatment & {
  /** the number of calls; after them the mode is ok */
  readonly times?: number;
  /** default `/order` and `/cancel-order`; for `in-progress` the look-up */
  readonly paths?: readonly PosPath[];
  /** only calls whose body names one of these `cod_store` */
  readonly stores?: readonly string[];
};

/** A call, and the function that carries it out. */
export interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  readonly carryOut: () => Reply;
  /** lets the gate hold the rest of the call */
  readonly hold: (go: () => void) => void;
}

type How<Mode extends Treatment['mode']> = Extract<Treatment, { mode: Mode }>;

const forms = allForms();

const TREATMENTS: { readonly [Mode in Treatment['mode']]: (call: Call, how: How<Mode>) => void } = {
  ok: ({ response, carryOut }) => send(response, carryOut()),
  slow: ({ response, carryOut }, { delayMs }) => sendLater(response, carryOut(), delayMs),
  hang: () => {},
  'hang-after': ({ carryOut }) => void carryOut(),
  status: (call, how) => {
    // with an error code a 2xx is a refusal too
    if (how.errorCode !== undefined) sendStatus(call.response, how);
    else instead(call, how.status, () => sendStatus(call.response, how));
  },
  reset: ({ response }) => reset(response),
  'reset-after': ({ response, carryOut }) => {
    carryOut();
    reset(response);
  },
  html: (call, { status }) => instead(call, status, () => sendHtml(call.response, status)),
  truncated: (call, { status }) => instead(call, status, () => sendTruncated(call.response, status)),
  redirect: ({ response }, { status = 302, location }) =>
    response.writeHead(status, { location, 'content-length': '0' }).end(),
  trickle: (call, { everyMs }) => instead(call, 200, () => trickle(call.response, everyMs)),
  huge: (call, { status, bytes }) => instead(call, status, () => sendHuge(call.response, status, bytes)),
  'echo-secret': ({ response, headers }) => send(response, echo(headers)),
  'any-form': ({ response, carryOut }) => {
    const { status, body } = carryOut();
    response.socket?.end(Buffer.concat(forms.next().value(status, JSON.stringify(body))));
  },
  'in-progress': ({ response, carryOut }) => {
    const reply = carryOut();
    // a caller without a valid token gets its 401
    send(response, reply.status === 401 ? reply : { status: 200, body: { status: 'IN_PROGRESS' } });
  },
  gate: ({ response, carryOut, hold }, { register }) => {
    const reply = register === 'before' ? carryOut() : undefined;
    // a POS carries out a call although its caller has disconnected
    hold(() => send(response, reply ?? carryOut()));
  },
};

/** Answers a call, or leaves it unanswered. */
export function treat(treatment: Treatment, call: Call): void {
  const treatThus = TREATMENTS[treatment.mode] as (call: Call, how: Treatment) => void;
  treatThus(call, treatment);
}

export function send(response: ServerResponse, { status, body }: Reply, headers: Record<string, string> = {}): void {
  if (response.destroyed || response.headersSent) return;
  const json = JSON.stringify(body);
  const length = String(Buffer.byteLength(json));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers }).end(json);
}

function sendLater(response: ServerResponse, reply: Reply, delayMs: number): void {
  const timer = setTimeout(() => send(response, reply), delayMs);
  response.on('close', () => clearTimeout(timer));
}

/** For a 2xx the call is carried out first; if the rules refuse it, the refusal is the answer. */
function instead({ response, carryOut }: Call, status: number, answer: () => void): void {
  const reply = status < 300 ? carryOut() : undefined;
  if (reply && reply.status >= 300) send(response, reply);
  else answer();
}

function sendStatus(response: ServerResponse, treatment: How<'status'>): void {
  const { status, message = `simulated status ${status}`, retryAfter } = treatment;
  const errorCode = treatment.errorCode ?? (status < 300 ? undefined : status);
  const headers = retryAfter === undefined ? undefined : { 'retry-after': String(retryAfter) };
  send(
    response,
    errorCode === undefined ? { status, body: { message } } : refusal(status, errorCode, message),
    headers,
  );
}

function sendHtml(response: ServerResponse, status: number): void {
  const page = `<!DOCTYPE html>\n<html><head><title>${status}</title></head><body><h1>${status}</h1><p>nginx</p></body></html>\n`;
  response.writeHead(status, { 'content-type': 'text/html' }).end(page);
}

function sendTruncated(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('{"errorCode":', () => response.destroy());
}

function trickle(response: ServerResponse, everyMs: number): void {
  response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
  const timer = setInterval(() => response.write(' '), everyMs);
  response.on('close', () => clearInterval(timer));
}

function sendHuge(response: ServerResponse, status: number, bytes: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': String(bytes) });
  Readable.from(hugeJson(bytes)).pipe(response);
}

/** `{"message":"xxx..."}` of exactly `bytes` bytes (at least 14), in pieces. */
function* hugeJson(bytes: number): Generator<Buffer> {
  const piece = Buffer.alloc(65_536, 'x');
  yield Buffer.from('{"message":"');
  for (let left = bytes - 14; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield Buffer.from('"}');
}

function echo({ secret, authorization = '' }: IncomingHttpHeaders): Reply {
  const token = authorization.replace(/^Bearer /i, '');
  return refusal(400, ERROR.FIELD, `rejected: secret ${secret}, token ${token}`);
}

export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
