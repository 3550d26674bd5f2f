import { UnansweredClaims } from '../../src/outbox/unanswered-claims.js';
import { NoAnswerError } from '../../src/platform/database/connection.js';

const DEADLINE_MS = 5_000;
const NO_ANSWER = new NoAnswerError(DEADLINE_MS);

describe('O7, O10: a claim statement without an answer', () => {
  let now: number;
  /** claims in the database */
  let held: Set<string>;
  let asked: string[][];
  let claims: UnansweredClaims;

  beforeEach(() => {
    now = 1_000;
    held = new Set();
    asked = [];
    claims = new UnansweredClaims(
      async (locks) => {
        asked.push([...locks]);
        return locks.filter((lock) => held.delete(lock)).length;
      },
      DEADLINE_MS,
      () => now,
    );
  });

  test('is released before the next claim; one that the database refused has claimed nothing', async () => {
    claims.add(['a', 'b'], NO_ANSWER);
    claims.add(['c'], new Error('refused'));
    held = new Set(['a', 'c']);
    expect(await claims.release()).toBe(1);
    expect(held).toEqual(new Set(['c']));
  });

  test('is released again when its statement is executed after the release', async () => {
    claims.add(['late'], NO_ANSWER);
    expect(await claims.release()).toBe(0);
    held.add('late');
    now += DEADLINE_MS - 1;
    expect(await claims.release()).toBe(1);
    expect(held.size).toBe(0);
  });

  test('is forgotten DATABASE_TIMEOUT_MS after its first release; a release without jobs is reported once', async () => {
    claims.add(['gone'], NO_ANSWER);
    expect(await claims.release()).toBe(0);
    expect(await claims.release()).toBeUndefined();
    now += DEADLINE_MS;
    await claims.release();
    await claims.release();
    expect(asked).toHaveLength(3);
  });

  test('is kept while the release fails', async () => {
    const away = new UnansweredClaims(
      () => Promise.reject(new Error('away')),
      DEADLINE_MS,
      () => now,
    );
    away.add(['a'], NO_ANSWER);
    for (let i = 0; i < 3; i++) {
      now += DEADLINE_MS;
      await expect(away.release()).rejects.toThrow('away');
    }
  });
});
