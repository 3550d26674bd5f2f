import { observable } from '../browser/observable.js';
import { takeEarly } from './early.js';
import { problemOf, unreachable } from './problem.js';

/** Whether the relay answers: `failing` when it, or a proxy in front of it, answers 5xx. */
export type Reachability = 'fine' | 'failing' | 'unreachable';

const reachability = observable<Reachability>('fine');
let lastAnswer = Date.now();
/** The shortest pause between two requests of a page, in ms: the relay asks for it while it is busy (N9). */
let pace = 0;

/**
 * `fetch` that notes whether the relay answers.
 * @throws Problem for every answer that is an error, and when there is none
 */
export async function fetchFromRelay(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await (takeEarly(request) ?? fetch(request));
  } catch (error) {
    // a request that its page cancelled says nothing about the relay
    if (request.signal.aborted) throw error;
    reachability.set('unreachable');
    throw unreachable();
  }
  const answered = response.headers.get('Console-Answered');
  if (answered !== null) {
    // the service worker's: there is no connection (N35)
    lastAnswer = Date.parse(answered) || lastAnswer;
    reachability.set('unreachable');
    return response;
  }
  if (response.status < 500) lastAnswer = Date.now();
  reachability.set(response.status < 500 ? 'fine' : 'failing');
  pace = 1_000 * Number(response.headers.get('Console-Pace') ?? 0);
  if (!response.ok) throw await problemOf(response);
  return response;
}

/** Notes an answer that did not come by {@link fetchFromRelay}. */
export function noteAnswer(): void {
  lastAnswer = Date.now();
  reachability.set('fine');
}

export const useReachability = reachability.use;

/** The pause between two requests that the relay's last answer asked for, in ms; 0: none. */
export function paceMs(): number {
  return pace;
}

/** The time of the relay's last answer below 500, in ms. */
export function lastAnswerAt(): number {
  return lastAnswer;
}

/** Calls a route that needs no session: it is outside of /console/api. @throws Problem */
export async function askWithoutSession<Answer>(path: string, body: object): Promise<Answer> {
  const headers = { 'Content-Type': 'application/json' };
  const request = new Request(path, { method: 'POST', body: JSON.stringify(body), headers, credentials: 'omit' });
  return (await (await fetchFromRelay(request)).json()) as Answer;
}
