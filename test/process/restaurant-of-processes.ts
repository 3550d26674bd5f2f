import { EAGER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

/** For each test a scenario of processes with one restaurant, STORE-1. */
export function restaurantOfProcesses(): Scenario {
  const scenario: Scenario = Object.create(Scenario.prototype);
  beforeEach(async () => {
    Object.assign(scenario, await Scenario.ofProcesses(EAGER));
    await scenario.people.restaurant('STORE-1', [await scenario.people.user(), 'OWNER']);
  });
  afterEach(() => scenario.close());
  return scenario;
}
