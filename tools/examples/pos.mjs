// A POS that fetches its orders from the relay. Needs Node 18, and RELAY_URL, CLIENT_ID and CLIENT_SECRET in the environment.
import { appendFileSync, fsyncSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const { RELAY_URL, CLIENT_ID, CLIENT_SECRET, JOURNAL = 'orders.jsonl', EVERY_MS = 2000 } = process.env;
const handled = new Set(); // ids of the events in the journal: when one comes again, it is only acknowledged
const unconfirmed = new Map(); // order id -> number of the order in this POS, and its event
let orders = 0;
let token;

const journal = openSync(JOURNAL, 'a+');
appendFileSync(journal, '\n'); // a crash may have left half a line; its event was not acknowledged, and comes again
for (const line of readFileSync(JOURNAL, 'utf8').split('\n')) {
  try { remember(JSON.parse(line)); } catch {} // an empty line, or half of one
}
function remember({ eventId, eventType, orderId, order, confirmed }) {
  if (eventId) handled.add(eventId);
  if (order) unconfirmed.set(orderId, { number: ++orders, eventId });
  if (confirmed || eventType === 'CANCELLED') unconfirmed.delete(orderId);
}
function keep(entry) {
  appendFileSync(journal, `${JSON.stringify(entry)}\n`);
  fsyncSync(journal); // it is on the disk before anything else happens
  remember(entry);
}
async function call(method, path, { json, form, accepts = [200, 202, 204] } = {}) {
  const headers = form ? {} : { Authorization: `Bearer ${token}`, ...(json && { 'Content-Type': 'application/json' }) };
  const body = form ?? JSON.stringify(json);
  const answer = await fetch(RELAY_URL + path, { method, headers, body, signal: AbortSignal.timeout(15_000) });
  const [status, text] = [answer.status, await answer.text()];
  if (status === 401 && form) process.exit(console.error('refused:', text) ?? 1); // a person has to look at it
  if (status === 401) token = undefined; // the next round signs in again
  if (accepts.includes(status)) return { status, said: status === 200 ? JSON.parse(text) : undefined };
  throw Object.assign(new Error(`${path}: ${status} ${text}`), { waitMs: answer.headers.get('retry-after') * 1000 });
}
async function round() {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
  token ??= (await call('POST', '/oauth/token', { form })).said.access_token;
  const { said: events = [] } = await call('GET', '/v1/events:polling'); // 204: no events
  for (const { eventId, eventType, orderId } of events.filter((event) => !handled.has(event.eventId))) {
    const isNew = eventType === 'CREATED';
    const { status, said: order } = isNew ? await call('GET', `/v1/orders/${orderId}`, { accepts: [200, 404] }) : {};
    if (status === 404) continue; // it cannot be read now: do not acknowledge it, so that it comes again
    keep({ eventId, eventType, orderId, order }); // first store it,
    console.log(eventType, orderId, isNew ? `${order.displayId} ${order.total.orderAmount.value}` : ''); // then print it,
  }
  const kept = events.filter(({ eventId }) => handled.has(eventId));
  const json = kept.map(({ eventId: id, orderId, eventType }) => ({ id, orderId, eventType }));
  if (json.length > 0) await call('POST', '/v1/events/acknowledgment', { json }); // then acknowledge it,
  for (const [orderId, { number, eventId }] of unconfirmed) { // then confirm it; 422: it was confirmed before, and that answer was lost
    const json = { createdAt: new Date().toISOString(), orderExternalCode: String(number), eventId };
    await call('POST', `/v1/orders/${orderId}/confirm`, { json, accepts: [202, 404, 422] });
    keep({ orderId, confirmed: true });
  }
}
for (;;) {
  const error = await round().catch((error) => error); // what was not done is done in the next round
  if (error) console.error('again:', error.message);
  await sleep(Math.max(EVERY_MS, error?.waitMs ?? 0));
}
