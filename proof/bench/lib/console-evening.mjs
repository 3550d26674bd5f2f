// Starts a relay with the orders of an evening: a full list for the console, one order of it parked.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EVENING, POS_PRODUCTS, RESTAURANT, transactionOf } from '../../../tools/demo/evening.ts';
import { PosSimulator } from '../../../tools/simulator/simulator.ts';
import { RelayProcess } from './relay.mjs';

const ACCOUNT = { email: 'bench@example.com', password: 'a password of the benchmark' };
const POS = { posIdPartner: 'bench', posSecret: 'pos-secret-of-the-benchmark' };
const TERMINAL_TOKEN = 'terminal-token-of-the-benchmark';
/** How often the sales that the POS takes are repeated. */
const ROUNDS = 3;
const MINUTES_BETWEEN_SALES = 5;
const SETTLE_LIMIT_MS = 60_000;

/**
 * @param directory a built repository, with its console
 * @param closers the functions that end the relay and its POS, and remove its database, are added to them
 */
export async function openEvening(directory, closers) {
  const pos = new PosSimulator({
    partners: { [POS.posIdPartner]: POS.posSecret },
    stores: [RESTAURANT.codeStorePos],
    products: [...POS_PRODUCTS],
  });
  closers.push(() => pos.close());
  const folder = await mkdtemp(join(tmpdir(), 'bench-console-'));
  closers.push(() => rm(folder, { recursive: true, force: true }));
  const relay = await RelayProcess.start(directory, {
    DATA_DIR: folder,
    ADMIN_EMAIL: ACCOUNT.email,
    ADMIN_PASSWORD: ACCOUNT.password,
    TERMINAL_BEARER_TOKEN: TERMINAL_TOKEN,
    POS_BASE_URL: await pos.listen(),
    RESEND: 'restaurants',
    OUTBOX_PACE: 'eager',
  });
  closers.push(() => relay.end('SIGTERM'));
  const token = await relay.signIn(ACCOUNT);
  const { data } = await relay.api('POST', '/restaurants', { token, body: { ...RESTAURANT, ...POS } });
  await sell(relay);
  await settled(relay, token, data.id);
  return { url: relay.url, account: ACCOUNT, restaurantId: data.id };
}

async function sell(relay) {
  const sales = EVENING.filter(({ expected, isTest }) => expected.state !== 'REFUSED' && !isTest);
  const again = sales.filter(({ expected }) => expected.state === 'SENT');
  const repeated = Array.from({ length: ROUNDS }, (_, round) =>
    again.map((sale) => ({ ...sale, transactionKey: `${sale.transactionKey}-${round}` })),
  );
  const all = [...repeated.flat(), ...sales];
  for (const [index, sale] of all.entries()) {
    const at = new Date(Date.now() - (all.length - index) * MINUTES_BETWEEN_SALES * 60_000);
    await relay.api('POST', '/webhooks/terminal', { token: TERMINAL_TOKEN, body: transactionOf(sale, at) });
  }
}

/** Waits until no order waits. */
async function settled(relay, token, restaurantId) {
  for (const deadline = Date.now() + SETTLE_LIMIT_MS; Date.now() < deadline; await delay(200)) {
    const { waiting } = await relay.api('GET', `/restaurants/${restaurantId}/state`, { token });
    if (waiting.orders === 0) return;
  }
  throw new Error('some orders still wait');
}
