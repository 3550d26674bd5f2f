import { connect } from '../../../src/capabilities/doctor/connection.js';
import { clockCheck, versionCheck } from '../../../src/capabilities/doctor/database.checks.js';
import { loadConfig } from '../../../src/platform/config/config.js';
import { DatabaseSwitch } from '../../platform/health/line.js';
import { Scenario } from '../../support/scenario.js';

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
    const database = await connect(loadConfig({ ...scenario.environment, DATABASE_URL: line.url }));
    if (!database) throw new Error('there is no database');
    line.delayMs = delayMs;
    try {
      expect(await versionCheck(database)).toMatchObject({ level, text: expect.stringMatching(/answered in \d/) });
      // half of one round trip is off at most, and a second is a warning
      expect(await clockCheck(database, Date.now)).toMatchObject({ level: 'ok' });
    } finally {
      line.delayMs = 0;
      await database.close();
    }
  });
});
