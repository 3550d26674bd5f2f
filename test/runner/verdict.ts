import { addEventHandler } from 'jest-circus';
import { leakIn } from '../support/secrets.js';

const LIMIT_MS = 120_000;

/** What the relays of the running test have answered against the OpenAPI document, or shown of a secret; it fails the test. */
export const violations: string[] = [];
/** Why they answered 500; it is shown when the test fails. */
export const failures: string[] = [];

/**
 * Fails the running test, or the hook, when this text shows a secret.
 * @param where `the log`, `the metrics`; of an answer its route, `POST /auth/login`
 */
export function lookForSecrets(where: string, text: string): void {
  const leak = leakIn(where, text);
  if (leak) violations.push(leak);
}

// jest-light-runner knows no time limits, and calls tests and hooks as they were added
addEventHandler((event, { currentDescribeBlock: block }) => {
  if (event.name !== 'add_test' && event.name !== 'add_hook') return;
  const isTest = event.name === 'add_test';
  // what closes a suite answers for what came after its last test
  const isJudged = isTest || event.hookType === 'afterAll';
  const added = (isTest ? block.children : block.hooks).at(-1) as { fn?: unknown } | undefined;
  if (added?.fn) added.fn = judged(added.fn as () => unknown, event.timeout ?? LIMIT_MS, isJudged);
});

function judged(run: () => unknown, limitMs: number, isJudged: boolean): () => Promise<void> {
  return async () => {
    try {
      await within(limitMs, run);
      if (isJudged && violations.length > 0) throw new Error('an answer broke the contract, or a secret was shown');
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      error.stack = [error.stack, ...violations, ...failures].join('\n\n');
      throw error;
    } finally {
      if (isJudged) for (const list of [violations, failures]) list.length = 0;
    }
  };
}

async function within(limitMs: number, run: () => unknown): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${limitMs} ms`)), limitMs);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
