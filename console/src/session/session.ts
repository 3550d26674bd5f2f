import { useQuery } from '@tanstack/react-query';
import type { View } from '../api/client.js';
import { fetchFromRelay } from '../api/connection.js';
import { Problem } from '../api/problem.js';
import { forgetEnded, queries, SESSION_KEY } from '../api/queries.js';
import { keep, SIGNED_IN_UNTIL } from '../browser/kept.js';
import { takeFocus } from '../router/location.js';
import { type Capability, isLoaded } from './capabilities.js';

/** Who is signed in. The token is in a cookie that no script can read. */
export interface Session {
  readonly user: View<'UserView'>;
  /** when the session expires, ISO 8601 */
  readonly expiresAt: string;
  /** of the relay */
  readonly version?: string;
  /** whether `POST /admin/jobs/reset` exists */
  readonly operatorActions?: boolean;
  /** RESEND: who may send orders again */
  readonly resend?: 'off' | 'operators' | 'restaurants';
  /** OPERATOR_CONTACT: how to reach the operator */
  readonly operatorContact?: string | null;
  /** what the relay has loaded (S43) */
  readonly capabilities?: readonly string[];
}

/** The user whose data the page may still hold. */
let lastUser: string | undefined;

function remember({ user, expiresAt }: Session): void {
  lastUser = user.id;
  keep(SIGNED_IN_UNTIL, expiresAt);
}

/** null: nobody is signed in; undefined: not known yet. */
export function useSession() {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: async ({ signal }): Promise<Session | null> => {
      try {
        const session = await call<Session>('GET', '/console/session', undefined, signal);
        remember(session);
        return session;
      } catch (error) {
        if (!(error instanceof Problem && error.status === 401)) throw error;
        keep(SIGNED_IN_UNTIL, '');
        return null;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/** Says whether the relay has loaded a capability: what is not loaded has no page, no panel, no button and no request (N33). */
export function useHas(): (capability: Capability) => boolean {
  const { data } = useSession();
  return (capability) => isLoaded(capability, data?.capabilities);
}

/** @throws Problem 401 for wrong credentials, 429 after too many of them */
export async function signIn(email: string, password: string): Promise<void> {
  const session = await call<Session>('POST', '/console/session', { email, password });
  // no user sees the data of another
  if (lastUser !== session.user.id) forgetAnswers();
  remember(session);
  forgetEnded();
  takeFocus();
  queries.setQueryData(SESSION_KEY, session);
  await queries.invalidateQueries({ predicate: isOfNoSession });
}

export async function signOut(): Promise<void> {
  await call('DELETE', '/console/session');
  keep(SIGNED_IN_UNTIL, '');
  forgetEnded();
  queries.setQueryData(SESSION_KEY, null);
}

/** Forgets all data of the last user. Only for the sign-in page, which makes no requests. */
export function forgetAnswers(): void {
  queries.removeQueries({ predicate: isOfNoSession });
}

const isOfNoSession = ({ queryKey }: { readonly queryKey: readonly unknown[] }) => queryKey[0] !== SESSION_KEY[0];

/** The session continues with a new cookie. @throws Problem WRONG_PASSWORD, SAME_PASSWORD, VALIDATION_FAILED */
export async function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  await call('PATCH', '/console/session/password', { currentPassword, newPassword });
  await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
}

const SESSIONS_KEY = ['sessions'] as const;

/** Where the user is signed in to the console, the last seen first (N10). */
export function useSessions() {
  return useQuery({
    queryKey: SESSIONS_KEY,
    queryFn: async ({ signal }) =>
      (await call<View<'SignedInListView'>>('GET', '/console/session/all', undefined, signal)).sessions,
  });
}

/** Ends all other sessions of the user. @returns their number */
export async function endOtherSessions(): Promise<number> {
  const { ended } = await call<View<'SessionsEndedView'>>('DELETE', '/console/session/others');
  await queries.invalidateQueries({ queryKey: SESSIONS_KEY });
  return ended;
}

async function call<Answer>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  const response = await fetchFromRelay(
    new Request(path, {
      method,
      credentials: 'same-origin',
      signal: signal ?? null,
      ...(body && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    }),
  );
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}
