/** The answers by the path of their request, until a page takes them. */
const answers = new Map<string, { readonly answer: Promise<Response>; readonly askedAt: number }>();
/** An answer is too old this time after its request, in ms (L217). */
const FRESH_MS = 20_000;

/**
 * The early answer to a request; each is given once. A request that changes something makes all of them old.
 * @returns undefined: the request has to be sent
 */
export function takeEarly({ method, url }: Request): Promise<Response> | undefined {
  if (method !== 'GET') answers.clear();
  const { pathname, search } = new URL(url);
  const path = pathname + search;
  const early = answers.get(path);
  answers.delete(path);
  return early && Date.now() - early.askedAt < FRESH_MS ? early.answer : undefined;
}

/** Sends a request now. @returns the body of its answer; undefined: there is none, which the page that takes the answer says */
export async function askEarly<Body>(path: string): Promise<Body | undefined> {
  const answer = fetch(path, { credentials: 'same-origin' });
  answers.set(path, { answer, askedAt: Date.now() });
  try {
    const response = await answer;
    return response.ok ? ((await response.clone().json()) as Body) : undefined;
  } catch {
    return undefined;
  }
}
