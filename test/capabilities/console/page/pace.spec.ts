import { fetchFromRelay } from '../../../../console/src/api/connection.js';
import { every } from '../../../../console/src/api/queries.js';

/** A call that the relay answers with these headers. */
const answered = async (headers: Record<string, string>) => {
  jest.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response('{}', { headers }));
  await fetchFromRelay(new Request('http://localhost/console/api/health'));
};

describe('the polling interval of a page (N9)', () => {
  const { refetchInterval } = every(5_000);
  afterEach(() => jest.restoreAllMocks());

  test.each([
    ['without Console-Pace: its own', undefined, 5_000],
    ['a longer Console-Pace', '20', 20_000],
    ['a shorter Console-Pace: its own', '1', 5_000],
  ])('%s', async (_, pace, interval) => {
    await answered({ 'Console-Pace': '20' });
    await answered(pace ? { 'Console-Pace': pace } : {});
    expect(refetchInterval()).toBe(interval);
  });
});
