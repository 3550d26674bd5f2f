import { PosSimulator } from '../../src/pos/simulator.js';
import { PARTNER } from '../support/environment.js';
import { sale } from '../support/sale.js';
import { type Caller, Office } from './office.js';

/** How many sales met which answer of the POS, one attempt each. */
export const SENT = 5;
export const PARKED = 3;
export const FAILED = 2;
export const WAITING = 4;
export const ALL = SENT + PARKED + FAILED + WAITING;
export const KEY = 'ADMIN-KEY-';
/** for how long the oldest due job has been waiting */
export const OLDEST_SECONDS = 90;

/** A relay with a known history, and somebody who may look at it. */
export interface History {
  readonly office: Office;
  readonly pos: PosSimulator;
  readonly admin: Caller;
  readonly restaurantId: string;
  /** the jobs in the order of their creation */
  readonly ids: readonly string[];
  close(): Promise<void>;
}

export async function openHistory(): Promise<History> {
  const pos = new PosSimulator({ partners: { [PARTNER.id]: PARTNER.secret } });
  const office = await Office.open({ POS_BASE_URL: await pos.listen() });
  const restaurantId = await office.relay.createRestaurant();
  const ids: string[] = [];
  const sell = async (count: number, changes: Record<string, unknown> = {}) => {
    for (let i = 0; i < count; i++)
      ids.push(await office.relay.accept(sale({ transactionKey: `${KEY}${ids.length}`, ...changes })));
  };
  await sell(SENT);
  await office.relay.tick();
  await sell(PARKED);
  pos.behave({ mode: 'status', status: 422, errorCode: 310, message: 'unknown product' });
  await office.relay.tick();
  await sell(FAILED);
  pos.behave({ mode: 'status', status: 503 });
  await office.relay.tick();
  pos.behave({ mode: 'ok' });
  await sell(1, { totalAmount: 80 });
  await sell(WAITING - 1);
  await office.database.query(
    `UPDATE outbox_jobs SET next_run_at = now() - $2::int * interval '1 second' WHERE id = $1`,
    [ids.at(-1), OLDEST_SECONDS],
  );
  const close = async () => {
    await office.close();
    await pos.close();
  };
  return { office, pos, admin: await office.person('ADMIN'), restaurantId, ids, close };
}
