import { setTimeout as delay } from 'node:timers/promises';

/**
 * Polls a condition until it holds.
 * @returns the value of the condition
 */
export async function until<T>(condition: () => T | Promise<T>, timeoutMs = 30_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await condition();
    if (result) return result;
    if (Date.now() > deadline) throw new Error(`the condition did not come true: ${condition}`);
    await delay(20);
  }
}
