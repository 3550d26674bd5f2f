import { Pace } from '../../../src/platform/schedule/pace.js';
import { Scenario } from '../../support/scenario.js';
import { Visitor } from './visitor.js';

describe('the polling interval of pages (N9)', () => {
  afterEach(() => jest.restoreAllMocks());

  describe('busy: more than 300 requests a second over five seconds (L18)', () => {
    const busyAfter = (perSecond: number[], windowMs = 5_000) => {
      let now = 1_000;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
      const pace = new Pace();
      return perSecond.map((rate) => {
        const endsAt = now + windowMs;
        for (let sent = 0; sent < (rate * windowMs) / 1_000; sent++) pace.count();
        now = endsAt;
        pace.count();
        return pace.isBusy();
      });
    };

    test.each<[what: string, perSecond: number[], busy: boolean[], windowMs?: number]>([
      ['fewer', [10, 290, 290], [false, false, false]],
      ['more, then fewer', [310, 400, 100], [true, true, false]],
      ['a burst of one second', [1_200], [false], 1_000],
    ])('%s: %j requests a second: %j', (_, perSecond, busy, windowMs) => {
      expect(busyAfter(perSecond, windowMs)).toEqual(busy);
    });
  });

  test('an answer of the API below /console has Console-Pace while the relay is busy; no other answer has', async () => {
    const scenario = await Scenario.open();
    const { id, owner } = await scenario.restaurant('STORE-1');
    const visitor = await Visitor.signIn(scenario.relay, owner);
    const isBusy = jest.spyOn(Pace.prototype, 'isBusy').mockReturnValue(true);
    const state = async () => (await visitor.get(`/restaurants/${id}/state`).expect(200)).headers;
    expect((await state())['console-pace']).toBe('20');
    expect((await scenario.relay.http.get('/health')).headers).not.toHaveProperty('console-pace');
    isBusy.mockReturnValue(false);
    expect(await state()).not.toHaveProperty('console-pace');
    await scenario.close();
  });
});
