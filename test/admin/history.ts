import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';

/** The numbers of sales by the answer to their one attempt. */
export const SENT = 5;
export const PARKED = 3;
export const FAILED = 2;
export const WAITING = 4;
export const ALL = SENT + PARKED + FAILED + WAITING;
export const KEY = 'ADMIN-KEY-';
/** age of the oldest due job */
export const OLDEST_SECONDS = 90;

/** A relay with a known history, and a platform ADMIN. */
export interface History {
  readonly scenario: Scenario;
  readonly admin: Caller;
  readonly restaurantId: string;
  /** the jobs, oldest first */
  readonly ids: readonly string[];
}

export async function openHistory(): Promise<History> {
  const scenario = await Scenario.open();
  const { pos } = scenario;
  const restaurantId = await scenario.relay.createRestaurant();
  const ids: string[] = [];
  const sell = async (count: number, changes: Record<string, unknown> = {}) => {
    for (let i = 0; i < count; i++)
      ids.push(await scenario.relay.accept(sale({ transactionKey: `${KEY}${ids.length}`, ...changes })));
  };
  await sell(SENT);
  await scenario.relay.tick();
  await sell(PARKED);
  pos.behave({ mode: 'status', status: 422, errorCode: 310, message: 'unknown product' });
  await scenario.relay.tick();
  await sell(FAILED);
  pos.behave({ mode: 'status', status: 503 });
  await scenario.relay.tick();
  pos.behave({ mode: 'ok' });
  await sell(1, { totalAmount: 80 });
  await sell(WAITING - 1);
  await scenario.database.query(
    `UPDATE outbox_jobs SET next_run_at = now() - $2::int * interval '1 second' WHERE id = $1`,
    [ids.at(-1), OLDEST_SECONDS],
  );
  return { scenario, admin: await scenario.person('ADMIN'), restaurantId, ids };
}
