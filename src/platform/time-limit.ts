/**
 * Waits for `work` for at most `limitMs`, then for `late` in its place. `work` goes on; its error is then nobody's.
 * @param late gives the result, or throws
 * @throws the error of `work` or `late`
 */
export async function withLimit<Result>(
  limitMs: number,
  work: Promise<Result>,
  late: () => Result | Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  }).then(late);
  work.catch(() => {});
  return Promise.race([work, over]).finally(() => clearTimeout(timer));
}
