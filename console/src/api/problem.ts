/** The code of a {@link Problem} without an answer. */
export const UNREACHABLE = 'UNREACHABLE';

/** An error answer of the relay or of a proxy in front of it, or no answer. */
export class Problem extends Error {
  override readonly name = 'Problem';

  /**
   * @param status of HTTP; 0 when there was no answer
   * @param code the relay's error code, or UNREACHABLE
   * @param messages for people, in English; field errors begin with the field's name
   * @param requestId finds it in the relay's log
   * @param retryAfterMs from the header Retry-After
   * @param figures the numbers that the message names
   */
  constructor(
    readonly status: number,
    readonly code: string,
    readonly messages: readonly string[],
    readonly requestId: string | undefined,
    readonly retryAfterMs: number | undefined,
    readonly figures: Readonly<Record<string, number>> = {},
  ) {
    super(messages.join('; ') || code);
  }

  /** Whether the same request may succeed in a moment. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/** The problem that an error answer describes. */
export async function problemOf(response: Response): Promise<Problem> {
  const body = await bodyOf(response);
  const { code, message, requestId, figures } = body;
  const messages = (Array.isArray(message) ? message : [message]).filter((text) => typeof text === 'string');
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Problem(
    response.status,
    typeof code === 'string' ? code : `HTTP_${response.status}`,
    messages,
    typeof requestId === 'string' ? requestId : (response.headers.get('x-request-id') ?? undefined),
    Number.isFinite(seconds) ? seconds * 1_000 : undefined,
    typeof figures === 'object' && figures !== null ? (figures as Record<string, number>) : {},
  );
}

/** The problem of a request without an answer. */
export function unreachable(): Problem {
  return new Problem(0, UNREACHABLE, [], undefined, undefined);
}

/** A proxy in front of the relay may answer with a page of its own. */
async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  try {
    const body: unknown = await response.json();
    return typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
