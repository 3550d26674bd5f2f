import type { ClientCall } from './history.js';

/** A terminal waits this long for an answer, in ms; the relay promises one within 10 s, and may be stopped. */
const ANSWER_LIMIT_MS = 6_000;

/** An address at which the relay is called: an instance's own, or a balancer's. */
export interface Door {
  readonly number: number;
  readonly url: string;
}

interface AnswerBody {
  readonly code?: string;
  readonly jobId?: string;
  readonly data?: { readonly jobId?: string };
}

/** `POST` with a JSON body; never rejects. */
export function post(door: Door, path: string, token: string, body: object | undefined): Promise<ClientCall> {
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return call(door, path, token, { method: 'POST', ...json });
}

/** `GET`, the whole answer; never rejects. */
export function get(door: Door, path: string, token: string): Promise<ClientCall> {
  return call(door, path, token, { method: 'GET' });
}

async function call({ url, number }: Door, path: string, token: string, init: RequestInit): Promise<ClientCall> {
  const at = Date.now();
  try {
    const response = await fetch(url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const text = await response.text();
    // a balancer whose relay went away in the middle of a request has no answer of the relay to pass on
    if ([502, 504].includes(response.status) && !text.startsWith('{'))
      return {
        at,
        until: Date.now(),
        instance: number,
        status: null,
        code: `balancer ${response.status}`,
        jobId: null,
      };
    const answer = answerIn(text);
    const jobId = answer.jobId ?? answer.data?.jobId ?? null;
    return { at, until: Date.now(), instance: number, status: response.status, code: answer.code ?? null, jobId };
  } catch (error) {
    return { at, until: Date.now(), instance: number, status: null, code: reasonOf(error as Error), jobId: null };
  }
}

/** A file that is no JSON says nothing that a run asks for. */
function answerIn(text: string): AnswerBody {
  return text.startsWith('{') ? JSON.parse(text) : {};
}

function reasonOf({ name, message, cause }: Error): string {
  const { code } = (cause ?? {}) as { code?: string };
  return code ?? (name === 'TimeoutError' ? name : message);
}
