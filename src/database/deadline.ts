/** A whole request, several statements long, that has not ended in time: counted as an outage. */
export class DeadlineError extends Error {
  constructor(limitMs: number) {
    super(`the database did not answer everything within ${limitMs} ms`);
  }
}

/**
 * Ends the waiting for `work`, not the work: its statements go on until their own deadline, so it is not known whether they
 * were executed.
 * @throws DeadlineError after `limitMs`; what `work` throws before
 */
export async function within<Result>(limitMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(limitMs)), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
