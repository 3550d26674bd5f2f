import { useSyncExternalStore } from 'react';
import { problemOf, unreachable } from './problem.js';

/** How the relay was found last: `failing` when it, or what stands in front of it, answers that it cannot (5xx). */
export type Connection = 'fine' | 'failing' | 'unreachable';

/** When the relay answered last, in ms; kept while it does not. */
let lastAnswer = Date.now();
let connection: Connection = 'fine';
const listeners = new Set<() => void>();
/** How long pages are to wait between two questions at least, in ms: the relay says so while it has much to do. */
let pace = 0;

/**
 * `fetch` that tells whether the relay can be reached.
 * @throws Problem for every answer that is an error, and when there is none
 */
export async function fetchFromRelay(request: Request): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request);
  } catch (error) {
    // a request that its page gave up says nothing about the relay
    if (request.signal.aborted) throw error;
    tell('unreachable');
    throw unreachable();
  }
  tell(response.status < 500 ? 'fine' : 'failing');
  pace = 1_000 * Number(response.headers.get('Console-Pace') ?? 0);
  if (!response.ok) throw await problemOf(response);
  return response;
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection);
}

/** The pause that the relay's last answer asked for between two questions, in ms; 0: none. */
export function paceMs(): number {
  return pace;
}

/** When the relay answered last as it should, in ms. */
export function lastAnswerAt(): number {
  return lastAnswer;
}

function tell(found: Connection): void {
  if (found === 'fine') lastAnswer = Date.now();
  if (found === connection) return;
  connection = found;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
