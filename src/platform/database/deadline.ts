import { setImmediate } from 'node:timers/promises';
import { withLimit } from '../time-limit.js';
/** A request of several statements that exceeded its time limit; counts as an outage. */
export class DeadlineError extends Error {
  constructor(limitMs: number) {
    super(`the database did not answer everything within ${limitMs} ms`);
  }
}

/**
 * Waits for `work` for at most `limitMs`. After that, the statements of `work` continue until their own limit, and may be
 * executed.
 * @param late is aborted after `limitMs`; if `work` throws because of the abort, this error is thrown in place of the DeadlineError
 * @throws DeadlineError after `limitMs`; the error of `work`
 */
export async function within<Result>(limitMs: number, work: Promise<Result>, late?: AbortController): Promise<Result> {
  return withLimit(limitMs, work, async () => {
    late?.abort();
    await setImmediate();
    throw new DeadlineError(limitMs);
  });
}
