import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { keep, SIGNED_IN_UNTIL } from '../browser/kept.js';
import { paceMs } from './connection.js';
import { Problem } from './problem.js';

/** A query as a part of a page shows it: its data, or why there is none. */
export interface Query<Data> {
  readonly data: Data | undefined;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

/** The key of the query of the session. */
export const SESSION_KEY = ['session'] as const;

/** Whether the last session ended without a sign-out. */
let hasEnded = false;

export function sessionHasEnded(): boolean {
  return hasEnded;
}

/** After a sign-in or a sign-out. */
export function forgetEnded(): void {
  hasEnded = false;
}

const MAX_RETRIES = 2;
const LONGEST_WAIT_MS = 30_000;

/** The pause before a page asks again, in ms: `ms`, or longer while the relay asks for it (N9). */
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
      // the relay may be in the local network of a house without Internet
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

/** An ended session leads to the sign-in. The address stays, so that a sign-in leads back. */
function signInAgain(error: Error): void {
  if (!(error instanceof Problem) || error.status !== 401) return;
  keep(SIGNED_IN_UNTIL, '');
  hasEnded ||= Boolean(queries.getQueryData(SESSION_KEY));
  if (hasEnded) queries.setQueryData(SESSION_KEY, null);
}
