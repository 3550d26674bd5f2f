import { sale } from '../support/client.js';
import { SHORT_LEASE } from '../support/environment.js';
import type { Scenario } from '../support/scenario.js';

/** Kills a relay that is storing 150 sales, starts another one, and compares what was acknowledged, stored and delivered. */
export async function killUnderLoad(scenario: Scenario): Promise<void> {
  const first = await scenario.startProcess(SHORT_LEASE);
  if ((await scenario.database.query('SELECT FROM restaurants')).length === 0) await first.createRestaurant();
  const token = await first.login();
  const acknowledged: string[] = [];
  const posts = Array.from({ length: 150 }, async () => {
    const answer = await first.post(sale()).catch(() => undefined);
    if (answer?.status === 200) acknowledged.push(answer.body.jobId);
    if (acknowledged.length === 40) first.signal('SIGKILL');
  });
  await Promise.all(posts);
  await first.ended();
  expect(acknowledged.length).toBeGreaterThanOrEqual(40);

  const second = await scenario.startProcess(SHORT_LEASE);
  const stored = new Set(
    (await scenario.database.query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id),
  );
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  await scenario.pos.when(() => scenario.pos.orders.size === stored.size);
  for (const order of scenario.pos.orders.values()) expect(order.cooked).toBe(1);
  const me = await fetch(`${second.url}/auth/me`, { headers: { Authorization: `Bearer ${token}` } });
  expect(me.status).toBe(200);
  expect(await second.stop()).toBe(0);
}
