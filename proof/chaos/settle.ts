import { setTimeout as delay } from 'node:timers/promises';
import type { Cast } from './run.js';

/** What is not answered or not at its end by then is lost or stuck, however slow the machine: ms after the last fault. */
const STUCK_AFTER_MS = 180_000;
const LOOK_EVERY_MS = 500;

/**
 * Nothing is broken any more: what waits for its backoff is reset, and everything moves to its end.
 * @param sent resolves when every sale and cancel was answered
 * @returns how many jobs had to be reset once more
 */
export async function settle(
  { operator, database, load, pulling, events }: Cast,
  sent: Promise<void>,
): Promise<number> {
  let isAnswered = false;
  const answered = sent.then(() => {
    isAnswered = true;
  });
  // on a slow machine a lock may last longer than an operator waits: the next round resets the rest
  const resetAll = () =>
    operator.resetAll().catch((error: Error) => {
      events.say(`operator: ${error.message.split('\n')[0]}`);
      return 0;
    });
  const first = await resetAll();
  events.say(`the operator resets the ${first} jobs that wait for their backoff`);
  const startedAt = performance.now();
  let failedLate = 0;
  for (;;) {
    // read before the database: later answers do not matter
    const wasAnswered = isAnswered && pulling.unanswered === 0;
    const [open] = await database.query<{ waiting: number; failed: number }>(
      `SELECT count(*)::int AS waiting, (count(*) FILTER (WHERE status IN ('FAILED', 'DLQ')))::int AS failed
       FROM outbox_jobs WHERE status <> 'SENT' AND NOT withdrawn`,
    );
    const isOver = performance.now() - startedAt > STUCK_AFTER_MS;
    if (isOver || (wasAnswered && open?.waiting === 0)) break;
    if (open && open.failed > 0) failedLate += await resetAll();
    await delay(LOOK_EVERY_MS);
  }
  load.stop();
  await answered;
  return failedLate;
}
