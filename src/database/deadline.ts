/** A whole request, several statements long, that has not ended in time: counted as an outage. */
export class DeadlineError extends Error {
  constructor(limitMs: number) {
    super(`the database did not answer everything within ${limitMs} ms`);
  }
}

/**
 * Ends the waiting for `work`, not the work: its statements go on until their own deadline, so it is not known whether they
 * were executed.
 * @param late is aborted after `limitMs`; what `work` throws because of it comes before the DeadlineError
 * @throws DeadlineError after `limitMs`; what `work` throws before
 */
export async function within<Result>(limitMs: number, work: Promise<Result>, late?: AbortController): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      late?.abort();
      setImmediate(() => reject(new DeadlineError(limitMs)));
    }, limitMs);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
