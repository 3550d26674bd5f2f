import { fetchFromRelay } from '../../../console/src/api/connection.js';
import { every } from '../../../console/src/api/queries.js';

/** As if the relay had answered with these headers. */
const answered = async (headers: Record<string, string>) => {
  jest.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response('{}', { headers }));
  await fetchFromRelay(new Request('http://localhost/console/api/health'));
};

describe('how often a page asks (N9)', () => {
  const { refetchInterval } = every(5_000);
  afterEach(() => jest.restoreAllMocks());

  test('as often as it likes', async () => {
    await answered({});
    expect(refetchInterval()).toBe(5_000);
  });

  test('less often when the relay asks for it, until it no longer does', async () => {
    await answered({ 'Console-Pace': '20' });
    expect(refetchInterval()).toBe(20_000);
    await answered({});
    expect(refetchInterval()).toBe(5_000);
  });

  test('never more often than it likes', async () => {
    await answered({ 'Console-Pace': '1' });
    expect(refetchInterval()).toBe(5_000);
  });
});
