import { addEventHandler } from 'jest-circus';
import { leakIn } from '../support/secrets.js';
import { within } from '../support/until.js';

const LIMIT_MS = 120_000;

/** Answers of the running test that break the OpenAPI document, and secrets in its output; they fail the test. */
export const violations: string[] = [];
/** Errors behind answers 500; shown when the test fails. */
export const failures: string[] = [];

/**
 * Fails the running test or hook when the text contains a secret.
 * @param where `the log`, `the metrics`, or the route of an answer, such as `POST /auth/login`
 */
export function lookForSecrets(where: string, text: string): void {
  const leak = leakIn(where, text);
  if (leak) violations.push(leak);
}

// jest-light-runner has no time limits: each test and hook is wrapped when it is added
addEventHandler((event, { currentDescribeBlock: block }) => {
  if (event.name !== 'add_test' && event.name !== 'add_hook') return;
  const isTest = event.name === 'add_test';
  // afterAll also fails for violations after the last test
  const isJudged = isTest || event.hookType === 'afterAll';
  const added = (isTest ? block.children : block.hooks).at(-1) as { fn?: unknown } | undefined;
  if (added?.fn) added.fn = judged(added.fn as () => unknown, event.timeout ?? LIMIT_MS, isJudged);
});

function judged(run: () => unknown, limitMs: number, isJudged: boolean): () => Promise<void> {
  return async () => {
    try {
      await within(limitMs, 'the end of the test or hook', (async () => run())());
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
