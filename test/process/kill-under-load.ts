import { sale } from '../support/client.js';
import { SHORT_LEASE } from '../support/environment.js';
import type { Scenario } from '../support/scenario.js';
import { within } from '../support/until.js';

const LIMIT_MS = 60_000;
/** A slow machine needs seconds for a call: an attempt that timed out would be repeated after 30 s. */
const LEASE = { ...SHORT_LEASE, PROCESSING_TTL_MS: '9000', POS_TIMEOUT_MS: '2900' };

/** Kills a relay that is storing 150 sales, starts another one, and compares what was acknowledged, stored and delivered. */
export async function killUnderLoad(scenario: Scenario): Promise<void> {
  const first = await scenario.startProcess(LEASE);
  if ((await scenario.database.query('SELECT FROM restaurants')).length === 0) await first.createRestaurant();
  const token = await first.login();
  const acknowledged: string[] = [];
  const posts = Array.from({ length: 150 }, async () => {
    const answer = await first.post(sale()).catch(() => undefined);
    if (answer?.status === 200) acknowledged.push(answer.body.jobId);
    if (acknowledged.length === 40) first.signal('SIGKILL');
  });
  await within(LIMIT_MS, 'an answer, or the end of the connection, for every sale', Promise.all(posts));
  // with fewer acknowledged sales it still runs
  await first.kill();
  expect(acknowledged.length).toBeGreaterThanOrEqual(40);

  const second = await scenario.startProcess(LEASE);
  const stored = new Set(
    (await scenario.database.query<{ id: string }>('SELECT id FROM outbox_jobs')).map(({ id }) => id),
  );
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  await scenario.pos.when(() => scenario.pos.orders.size === stored.size);
  for (const order of scenario.pos.orders.values()) expect(order.cooked).toBe(1);
  await within(LIMIT_MS, 'the answer of /auth/me', second.api.get('/auth/me', token).expect(200).then());
  expect(await second.stop()).toBe(0);
}
