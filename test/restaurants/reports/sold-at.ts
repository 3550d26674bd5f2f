import type { Scenario } from '../../support/scenario.js';

/** A restaurant with this zone and closing time, and a sale at each time: of 1 cent, 2 cents, … */
export async function soldAt(scenario: Scenario, timezone: string, dayClosesAt: string, times: readonly string[]) {
  const { id, token, sell } = await scenario.store();
  await scenario.api.patch(`/restaurants/${id}`, token, { timezone, dayClosesAt }).expect(200);
  for (const [i, time] of times.entries())
    await scenario.jobs.receivedAt(await sell({ payments: [{ tenderType: 1, amount: (i + 1) / 100 }] }), time);
  const statistics = async (query: string) =>
    (await scenario.api.get(`/restaurants/${id}/statistics?${query}`, token).expect(200)).body;
  const days = async (query: string): Promise<[string, number][]> =>
    (await statistics(query)).amounts.byDay.map(({ day, cents }: { day: string; cents: number }) => [day, cents]);
  return { id, token, statistics, days };
}
