import { DatabaseSwitch } from '../../platform/health/line.js';
import { Scenario } from '../../support/scenario.js';
import { examined } from './doctor.js';

describe('the doctor and a slow database (R13, L191)', () => {
  let scenario: Scenario;
  let line: DatabaseSwitch;

  beforeAll(async () => {
    scenario = await Scenario.ofProcesses();
    line = await DatabaseSwitch.before(scenario.database);
  });
  afterAll(async () => {
    await scenario.close();
    await line.close();
  });

  test.each([
    [150, 'warning'],
    [1_050, 'bad'],
  ])('a database that answers after %i ms: %s, and the clock is not blamed for it', async (delayMs, level) => {
    line.delayMs = delayMs;
    const { text } = await examined({ ...scenario.environment, DATABASE_URL: line.url }, { json: true });
    line.delayMs = 0;
    const found = new Map((JSON.parse(text) as { name: string; level: string }[]).map((check) => [check.name, check]));
    expect(found.get('database time')).toMatchObject({ level, text: expect.stringMatching(/^a statement takes \d/) });
    // half of the round trip is off at most, and a second is a warning
    expect(found.get('clock')).toMatchObject({ level: 'ok' });
  });
});
