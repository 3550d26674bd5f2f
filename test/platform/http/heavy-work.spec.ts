import { HeavyWork } from '../../../src/platform/http/limits/heavy-work.js';

/** Never aborts. */
const NEVER = () => new AbortController().signal;

describe('work that holds up the process (L162, L195)', () => {
  let now = 0;
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });

  test('rests add up: short pieces one after the other are followed by a rest, and pieces with time between them are not', async () => {
    const work = new HeavyWork({ rest: 4 });
    const isResting = () => (work as unknown as { slots: { underWay: number } }).slots.underWay === 1;
    const piece = (ms: number) =>
      work.run('sender', NEVER, async () => {
        now += ms;
      });
    for (let n = 0; n < 10; n++) {
      await piece(4);
      expect(isResting()).toBe(false);
      now += 16;
    }
    await piece(4);
    expect(isResting()).toBe(false);
    await piece(4);
    expect(isResting()).toBe(true);
  });

  test('a turn is the work that its caller does at once', async () => {
    const work = new HeavyWork({ rest: 4 });
    await work.turn('sender', NEVER);
    now += 3;
    await new Promise((resolve) => process.nextTick(resolve));
    now += 50;
    expect(work.spentBy('sender')).toBeCloseTo(3, 1);
  });
});
