import { SilentHolders } from '../../src/outbox/silent-holders.js';

const MINUTE_MS = 60_000;
const holder = (id: string, silentMs: number, lastSeenMs = 1_000) => ({ id, silentMs, lastSeenMs });

describe('instances that hold jobs and are silent, when a process starts (O40)', () => {
  let now = 0;
  beforeEach(() => {
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());
  const own = 'here:1';

  test('without one, leases are judged at once; so they are beside one whose heartbeat is as old as it may be', () => {
    expect(new SilentHolders(own).look([], MINUTE_MS)).toBe('judge');
    expect(new SilentHolders(own).look([holder('there:1', 20_000)], MINUTE_MS)).toBe('judge');
    expect(new SilentHolders(own).look([holder(own, MINUTE_MS)], MINUTE_MS)).toBe('judge');
  });

  test.each([
    ['it counts as dead', 120_000, 45_000],
    ['a lease has ended', 20_000, 20_000],
  ])('beside one that stays silent they wait until %s', (_, leaseMs, waitMs) => {
    const holders = new SilentHolders(own);
    const silent = [holder('there:1', MINUTE_MS)];
    expect(holders.look(silent, leaseMs)).toBe('wait');
    now += waitMs - 1;
    expect([holders.look(silent, leaseMs), holders.isEmpty]).toEqual(['wait', false]);
    now += 1;
    expect([holders.look(silent, leaseMs), holders.isEmpty]).toEqual(['judge', true]);
  });

  test('the heartbeat of one of several tells that the clock has stepped', () => {
    const holders = new SilentHolders(own);
    expect(holders.look([holder('there:1', MINUTE_MS), holder('there:2', MINUTE_MS)], MINUTE_MS)).toBe('wait');
    expect(holders.look([holder('there:1', MINUTE_MS), holder('there:2', 0, 2_000)], MINUTE_MS)).toBe('stepped');
    expect(holders.isEmpty).toBe(true);
  });
});
