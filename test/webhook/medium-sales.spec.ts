import { randomUUID } from 'node:crypto';
import type { FairSlots } from '../../src/platform/http/limits/fair-slots.js';
import { SaleTurns } from '../../src/webhook/sale-turns.js';
import { keysOf, sendBy } from '../auth/sender-keys/keys.js';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { PASSWORD } from '../user-links/people.js';

/** Never aborts. */
const NEVER = () => new AbortController().signal;

describe('sales of some size take turns (W51)', () => {
  const scenario = Scenario.ofSuite();
  const medium = (fields = {}) => sale({ note: 'x'.repeat(4_096), ...fields });
  let turns: { underWay: FairSlots; medium: { slots: FairSlots }; large: { slots: FairSlots } };
  const free: (() => void)[] = [];

  beforeAll(() => {
    turns = scenario.relay.get(SaleTurns) as unknown as typeof turns;
  });
  afterEach(() => {
    for (const end of free.splice(0)) end();
  });
  const holdTurn = async () => free.push(await turns.medium.slots.take('another sender', NEVER));
  const fill = async (account: string) => {
    for (let n = 0; n < 4; n++) {
      const leave = await turns.underWay.take(account, NEVER);
      // no work, which would make its slots rest
      free.push(() => leave(Number.MAX_SAFE_INTEGER));
    }
  };
  const found = async ({ token }: Caller) =>
    (await scenario.api.post('/restaurants', token, { name: 'One of a chain', codeStorePos: 'P' }).expect(201)).body
      .data.id as string;
  const tokenOf = async (restaurantId: string, { token }: Caller) =>
    (await keysOf(scenario.relay, restaurantId, token).create()).token;

  test('one of 4 KiB waits while one of another sender is read; a smaller one does not (L195)', async () => {
    const { id, token } = await scenario.store();
    await holdTurn();
    const answer = scenario.relay.post(medium({ restaurantId: id, storeCode: undefined })).then(({ status }) => status);
    await until(() => turns.medium.slots.of('platform').waiting === 1);
    const small = sale({ restaurantId: id, storeCode: undefined, note: 'x'.repeat(3_500) });
    await scenario.api.post('/webhooks/terminal', token, small).expect(200);
    for (const end of free.splice(0)) end();
    expect(await answer).toBe(200);
  });

  test('of one account few are read and stored at once, whichever restaurant or account of its chain sends them (L196)', async () => {
    const founder = await scenario.person();
    const [first, second] = [await found(founder), await found(founder)];
    const person = { email: `${randomUUID()}@example.com`, password: PASSWORD };
    const link = { ...person, role: 'OWNER' };
    await scenario.api.post(`/restaurants/${first}/users/create-and-link`, founder.token, link).expect(201);
    const made = await scenario.signIn({ id: '', ...person });
    const other = await scenario.store();
    const otherToken = await tokenOf(other.id, other.owner);
    const tokens = [await tokenOf(first, founder), await tokenOf(second, founder), made.token];

    await fill(founder.id);
    const note = 'x'.repeat(5_000);
    const answers = tokens.map((token) => sendBy(scenario.relay, token, { note }).then(({ status }) => status));
    await until(() => turns.underWay.of(founder.id).waiting === tokens.length);
    // neither other senders nor its own small sales wait for them
    await sendBy(scenario.relay, otherToken, { note }).expect(200);
    await sendBy(scenario.relay, tokens[0] as string).expect(200);
    for (const end of free.splice(0)) end();
    expect(await Promise.all(answers)).toEqual([200, 200, 200]);
    await until(() => turns.underWay.of(founder.id).underWay === 0);
  });

  test('a repeat of a stored one waits, however small it is (W45)', async () => {
    const { id } = await scenario.store();
    const items = Array.from({ length: 40 }, (_, i) => ({
      itemName: `${i} ${'x'.repeat(200)}`,
      quantity: 1,
      price: 1,
    }));
    const first = sale({ items, restaurantId: id, storeCode: undefined });
    await scenario.relay.accept(first);
    await holdTurn();
    const repeat = scenario.relay.post({ ...first, items: [] }).then(({ body }) => body.code);
    await until(() => turns.medium.slots.of(id).waiting === 1);
    for (const end of free.splice(0)) end();
    expect(await repeat).toBe('TRANSACTION_KEY_REUSED');
  });
});
