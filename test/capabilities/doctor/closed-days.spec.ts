import { Scenario } from '../../support/scenario.js';
import { RestaurantDays } from '../days/restaurant-days.js';
import { examined } from './doctor.js';

describe('the doctor and closed days', () => {
  const scenario = Scenario.ofSuite();

  const check = async () => {
    const { text } = await examined(scenario.environment, { json: true });
    return (JSON.parse(text) as { name: string; level: string; text: string; details?: string[] }[]).find(
      ({ name }) => name === 'closed days',
    );
  };

  test('names the first day that breaks of each restaurant (B7)', async () => {
    const days = await RestaurantDays.open(scenario, '2026-11-19T12:00:00Z');
    for (const day of ['2026-11-19', '2026-11-20', '2026-11-21']) await days.closed(day);
    expect(await check()).toMatchObject({ level: 'ok', text: '1 chain of closings, none broken' });
    await days.tamper(`UPDATE business_days SET content = content || ' ' WHERE number = 2`);
    expect(await check()).toMatchObject({ level: 'bad', details: [expect.stringMatching(/: 2026-11-20 CHANGED$/)] });
  });
});
