import { EVENING, POS_PRODUCTS, RESTAURANT, transactionOf } from '../../../../tools/demo/evening.js';
import { eveningZone } from '../../../../tools/screenshots/evening-zone.js';
import { type Caller, Scenario } from '../../../support/scenario.js';
import { builtConsole } from './browser.js';

/** The sale of the evening that waits: the POS answers 503. */
export const WAITING = 'SALE-1003';
/** The one that is parked: it has a product that the POS does not know. */
export const PARKED = 'SALE-1012';
const MINUTES_BETWEEN_SALES = 9;

/** The demo's evening as it stands at its end, in the database of a scenario: all sold, one order waits, one is parked. */
export interface Evening {
  readonly scenario: Scenario;
  readonly restaurantId: string;
  readonly owner: Caller;
  readonly viewer: Caller;
  /** a platform administrator, who is linked to nothing */
  readonly administrator: Caller;
}

export async function openEvening(changes: Record<string, string> = {}): Promise<Evening> {
  const scenario = await Scenario.open(changes, {
    consoleFolder: builtConsole(),
    pos: { products: [...POS_PRODUCTS], stores: [RESTAURANT.codeStorePos] },
  });
  const { id: restaurantId, owner } = await scenario.restaurant(RESTAURANT.codeStoreTerminal);
  await scenario.database.query(
    `UPDATE restaurants SET name = $2, slug = $3, address = $4, code_store_pos = $5, timezone = $6, day_closes_at = '04:00' WHERE id = $1`,
    [
      restaurantId,
      RESTAURANT.name,
      RESTAURANT.slug,
      RESTAURANT.address,
      RESTAURANT.codeStorePos,
      eveningZone(new Date()),
    ],
  );
  await sell(scenario);
  const viewer = await scenario.staff(restaurantId, 'VIEWER');
  return { scenario, restaurantId, owner, viewer, administrator: await scenario.person('ADMIN') };
}

async function sell(scenario: Scenario): Promise<void> {
  const sales = EVENING.filter(({ expected }) => expected.state !== 'REFUSED');
  for (const [index, sale] of sales.entries()) {
    const at = new Date(Date.now() - (sales.length - index) * MINUTES_BETWEEN_SALES * 60_000);
    const jobId = await scenario.relay.accept(transactionOf(sale, at));
    if (sale.transactionKey === WAITING) await scenario.settle(jobId, 'FAILED', 'the POS is being restarted');
    else await scenario.relay.tick();
    await scenario.jobs.receivedAt(jobId, at.toISOString());
  }
}
