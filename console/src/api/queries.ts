import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { paceMs } from './connection.js';
import { Problem } from './problem.js';

/** The key of the query that holds who is signed in. */
export const SESSION_KEY = ['session'] as const;

/** Whether the last session ended by itself, and not by a sign-out. */
let hasEnded = false;

export function sessionHasEnded(): boolean {
  return hasEnded;
}

/** A session begins, or ends because somebody wants it to. */
export function forgetEnded(): void {
  hasEnded = false;
}

const MAX_RETRIES = 2;
const LONGEST_WAIT_MS = 30_000;

/** How long a page that asks by itself waits for its next question, in ms: `ms`, or longer while the relay asks for it. */
export function pauseOf(ms: number): number {
  return Math.max(ms, paceMs());
}

/**
 * Options of a query that is repeated while its page is visible.
 * @param ms pause between an answer and the next request, see {@link pauseOf}
 */
export function every(ms: number) {
  return {
    refetchInterval: () => pauseOf(ms),
    refetchIntervalInBackground: false,
    staleTime: ms / 2,
  } as const;
}

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signInAgain }),
  mutationCache: new MutationCache({ onError: signInAgain }),
  defaultOptions: {
    queries: {
      // the relay may stand in the same house, while the house has no Internet
      networkMode: 'always',
      staleTime: 5_000,
      retry: (failures, error) => error instanceof Problem && error.isPassing && failures < MAX_RETRIES,
      retryDelay: (failures, error) => waitOf(failures, error),
      refetchOnReconnect: true,
    },
    mutations: { networkMode: 'always', retry: false },
  },
});

function waitOf(failures: number, error: Error): number {
  const asked = error instanceof Problem ? error.retryAfterMs : undefined;
  return Math.min(asked ?? 1_000 * 2 ** failures, LONGEST_WAIT_MS);
}

/** A session that has ended, at any moment, leads to the sign-in; the address stays, and so does where one was. */
function signInAgain(error: Error): void {
  if (!(error instanceof Problem) || error.status !== 401) return;
  hasEnded ||= Boolean(queries.getQueryData(SESSION_KEY));
  if (hasEnded) queries.setQueryData(SESSION_KEY, null);
}
