// Sends a signed test sale. Needs Node 18, and RELAY_URL, KEY_ID and SECRET in the environment.
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { RELAY_URL, KEY_ID, SECRET, STORE_CODE } = process.env;
const key = process.env.TRANSACTION_KEY ?? `T-${Date.now()}`; // the terminal's own id of the sale: the same in every repeat
const items = [{ itemCode: 'PZ-01', itemName: 'Pizza Margherita', quantity: 2, price: 39.9 }];
const payments = [{ tenderType: 16, amount: 79.8 }];
const sale = { transactionKey: key, storeCode: STORE_CODE, isTestTransaction: true, totalAmount: 79.8, items, payments };
const body = JSON.stringify(sale);
const secret = Buffer.from(SECRET.slice('whsec_'.length), 'base64');

for (let tries = Number(process.env.TRIES ?? 8), pause = 1; ; pause = Math.min(pause * 2, 60)) {
  const now = String(Math.floor(Date.now() / 1000)); // each repeat is signed again: an old signature is refused
  const signature = createHmac('sha256', secret).update(`${key}.${now}.${body}`).digest('base64');
  const signed = { 'webhook-id': key, 'webhook-timestamp': now, 'webhook-signature': `v1,${signature}` };
  const headers = { 'Content-Type': 'application/json', ...signed };
  const request = { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) };
  const [status, answer, after] = await fetch(`${RELAY_URL}/webhooks/terminal/${KEY_ID}`, request)
    .then(async (response) => [response.status, await response.text(), response.headers.get('retry-after')])
    .catch(() => [0, 'no answer', null]);
  if ((status === 200 && answer.includes('"jobId"')) || (status === 400 && answer.includes('"code":"DUPLICATE_TRANSACTION"'))) {
    console.log('stored:', answer);
    break;
  }
  const isPassing = status === 0 || status === 408 || status === 429 || status >= 500;
  if (!isPassing) throw new Error(`refused: ${status} ${answer}`); // a person has to look at it
  if (--tries <= 0)
    throw new Error(`perhaps not stored: keep the sale, and send it again later with TRANSACTION_KEY=${key}`);
  await sleep(Math.max(Number(after) || 0, pause) * 1000); // then the same sale again
}
