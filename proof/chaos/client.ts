import type { ClientCall } from './history.js';

/** A terminal waits this long for an answer, in ms; the relay promises one within 10 s, and may be stopped. */
const ANSWER_LIMIT_MS = 6_000;

/** An address at which the relay is called: an instance's own, or a balancer's. */
export interface Door {
  readonly number: number;
  readonly url: string;
}

/** An answer in JSON. */
export interface AnswerBody {
  readonly code?: string;
  readonly jobId?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows what it has asked for
  readonly data?: any;
  readonly cursor?: string;
  readonly more?: boolean;
  readonly access_token?: string;
}

/** What was answered: the body is empty where no JSON was. */
export interface Answer {
  readonly call: ClientCall;
  readonly body: AnswerBody;
}

/** `POST` with a JSON body; never rejects. */
export async function post(door: Door, path: string, token: string, body: object | undefined): Promise<ClientCall> {
  const json = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return (await ask(door, path, token, { method: 'POST', ...json })).call;
}

/** `GET`, the whole answer; never rejects. */
export async function get(door: Door, path: string, token: string): Promise<ClientCall> {
  return (await ask(door, path, token, { method: 'GET' })).call;
}

/** Any request, with what was answered; never rejects. */
export async function ask({ url, number }: Door, path: string, token: string, init: RequestInit): Promise<Answer> {
  const at = Date.now();
  const answered = (status: number | null, code: string | null, body: AnswerBody = {}): Answer => {
    const jobId = body.jobId ?? body.data?.jobId ?? null;
    return { call: { at, until: Date.now(), instance: number, status, code, jobId }, body };
  };
  try {
    const response = await fetch(url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const text = await response.text();
    // a balancer whose relay went away in the middle of a request has no answer of the relay to pass on
    if ([502, 504].includes(response.status) && !text.startsWith('{'))
      return answered(null, `balancer ${response.status}`);
    const body = answerIn(text);
    return answered(response.status, body.code ?? null, body);
  } catch (error) {
    return answered(null, reasonOf(error as Error));
  }
}

/** A file that is no JSON says nothing that a run asks for. */
function answerIn(text: string): AnswerBody {
  return text.startsWith('{') || text.startsWith('[{') ? JSON.parse(text) : {};
}

function reasonOf({ name, message, cause }: Error): string {
  const { code } = (cause ?? {}) as { code?: string };
  return code ?? (name === 'TimeoutError' ? name : message);
}
