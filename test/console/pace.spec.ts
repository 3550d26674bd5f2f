import { Pace } from '../../src/console/pace.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { Visitor } from './visitor.js';

describe('pages ask less often while there is much to do (N9)', () => {
  afterEach(() => jest.restoreAllMocks());

  describe('much: more than 300 requests a second, over five seconds (L18)', () => {
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

    test('fewer are not', () => {
      expect(busyAfter([10, 290, 290])).toEqual([false, false, false]);
    });

    test('more are, until fewer come', () => {
      expect(busyAfter([310, 400, 100])).toEqual([true, true, false]);
    });

    test('a burst of a moment is not', () => {
      expect(busyAfter([1_200], 1_000)).toEqual([false]);
    });
  });

  describe('an answer of the console says how long to wait', () => {
    let scenario: Scenario;
    let owner: Caller;
    let id: string;
    let visitor: Visitor;

    beforeAll(async () => {
      scenario = await Scenario.open();
      ({ id, owner } = await scenario.restaurant('STORE-1'));
      visitor = await Visitor.signIn(scenario.relay, owner);
    });
    afterAll(() => scenario.close());

    const paceOf = (isBusy: boolean) => jest.spyOn(Pace.prototype, 'isBusy').mockReturnValue(isBusy);

    test('while there is much to do', async () => {
      paceOf(true);
      const { headers } = await visitor.get(`/restaurants/${id}/state`).expect(200);
      expect(headers['console-pace']).toBe('20');
    });

    test('and not while there is little', async () => {
      paceOf(false);
      const { headers } = await visitor.get(`/restaurants/${id}/state`).expect(200);
      expect(headers).not.toHaveProperty('console-pace');
    });

    test('nor is anybody else told', async () => {
      paceOf(true);
      const { headers } = await scenario.relay.http.get('/health');
      expect(headers).not.toHaveProperty('console-pace');
    });
  });
});
