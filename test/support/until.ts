import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls a condition until it holds.
 * @returns the value of the condition
 */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 60_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`the condition did not come true: ${condition}`);
    await delay(20);
  }
}

/** Waits at most `limitMs` for `work`. @param what names the work in the error */
export async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${limitMs} ms: ${what}`)), limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
