import { request as httpRequest } from 'node:http';
import pg from 'pg';
import { SaleTurns } from '../../src/webhook/sale-turns.js';
import { WebhookRoute } from '../../src/webhook/webhook.route.js';
import { sale } from '../support/client.js';
import { NEEDS_SERVER, untilWaiting, whereServer } from '../support/database.js';
import { TERMINAL_TOKEN } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';

const NOT_STORED = {
  code: 'DATABASE_UNAVAILABLE',
  message: expect.stringContaining('this was not stored; send it again'),
};

/** Of a statement and of a sale: only the bound refuses, also on a machine that needs many seconds for 20 MB. */
const PATIENCE_MS = 60_000;

describe('backpressure on sales', () => {
  let scenario: Scenario;
  let operator: pg.Client;

  beforeEach(async () => {
    scenario = await Scenario.open({ DATABASE_TIMEOUT_MS: String(PATIENCE_MS) });
    Object.assign(scenario.relay.get(WebhookRoute), { storeLimitMs: PATIENCE_MS });
    operator = new pg.Client({ connectionString: scenario.database.url });
    await operator.connect();
    await operator.query('BEGIN');
  });
  afterEach(async () => {
    await operator.end();
    await scenario.close();
  });

  const stored = async () =>
    (await scenario.database.query<{ key: string }>('SELECT transaction_key AS key FROM terminal_events')).map(
      ({ key }) => key,
    );
  /** Sends the request now. */
  const post = (body: unknown) => Promise.resolve(scenario.relay.post(body));

  describe('W30: while nothing can be stored', () => {
    beforeEach(async () => {
      await scenario.restaurant('STORE-1');
      await scenario.relay.accept(sale());
    });

    /** Occupies both store statements with a sale each. */
    async function lockTable() {
      await operator.query('LOCK TABLE terminal_events');
      const first = post(sale());
      await untilWaiting(scenario.database, 1);
      const second = post(sale());
      await untilWaiting(scenario.database, 2);
      return [first, second];
    }

    whereServer(
      `beyond the bound the answer is a 503 at once, and accepted sales are stored (L19)${NEEDS_SERVER}`,
      async () => {
        const waiting = await lockTable();
        // their turns (W50) would spread them over more time than an answer has
        jest.spyOn(scenario.relay.get(SaleTurns).large, 'turn').mockResolvedValue();
        const large = () => sale({ note: 'x'.repeat(1_000_000) });
        // the bound is 16 MiB
        let refused = 0;
        for (let i = 0; i < 20; i++) {
          const answer = post(large()).then((each) => {
            if (each.status === 503) refused++;
            return each;
          });
          waiting.push(answer);
        }
        await scenario.jobs.until(async () => refused === 4);
        await operator.query('COMMIT');
        const answers = await Promise.all(waiting);
        const busy = answers.filter(({ status }) => status === 503);
        expect(busy).toHaveLength(4);
        for (const { body, headers } of busy) {
          expect(body).toMatchObject(NOT_STORED);
          expect(headers['retry-after']).toMatch(/^[1-9]$/);
        }
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(18);
        expect(await stored()).toHaveLength(1 + 18);
      },
    );

    whereServer(
      `a sale whose terminal has disconnected is not stored, unless a statement contains it${NEEDS_SERVER}`,
      async () => {
        const taken = await lockTable();
        const gone = sale();
        const request = httpRequest(`${scenario.relay.url}/webhooks/terminal`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TERMINAL_TOKEN}`, 'content-type': 'application/json' },
        });
        request.on('error', () => {});
        request.end(JSON.stringify(gone));
        // a request answered after it shows that the relay has read its body: it waits in the queue
        await new Promise((sent) => request.on('finish', sent));
        await scenario.relay.post({}).expect(400);
        request.destroy();
        await scenario.jobs.until(async () => scenario.relay.logged.some(({ event }) => event === 'http.client_gone'));
        await operator.query('COMMIT');
        for (const answer of taken) expect((await answer).status).toBe(200);
        await scenario.relay.accept(sale());
        expect(await stored()).not.toContain(gone.transactionKey);
        expect(await stored()).toHaveLength(1 + 2 + 1);
      },
    );
  });

  describe('W31: while one restaurant is locked', () => {
    whereServer(
      `two of its sales wait, the others are a 503 at once; other restaurants are not affected${NEEDS_SERVER}`,
      async () => {
        const { id, sell } = await scenario.restaurant('LOCKED');
        const neighbour = await scenario.restaurant('NEIGHBOUR');
        const known = sale({ storeCode: 'NEIGHBOUR' });
        await scenario.relay.accept(known);
        await sell();
        await operator.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [id]);
        const patient = [post(sale({ storeCode: 'LOCKED' })), post(sale({ storeCode: 'LOCKED' }))];
        await untilWaiting(scenario.database, 2);
        const others = await Promise.all(
          Array.from({ length: 20 }, (_, i) => [
            post(sale({ storeCode: 'LOCKED' })),
            i % 2 ? neighbour.sell() : post(known),
          ]).flat(),
        );
        const statuses = others.map((each) => (typeof each === 'string' ? 200 : each.status));
        expect(statuses).toEqual(Array.from({ length: 20 }, (_, i) => [503, i % 2 ? 200 : 400]).flat());
        for (const each of others) {
          if (typeof each === 'string' || each.status === 400) continue;
          expect(each.body).toMatchObject(NOT_STORED);
          expect(each.headers['retry-after']).toMatch(/^[1-9]$/);
        }
        await operator.query('COMMIT');
        for (const answer of patient) expect((await answer).status).toBe(200);
        expect(await stored()).toHaveLength(2 + 10 + 2);
      },
    );

    whereServer(
      `what allows a sale is checked again after it has waited: token, link, sender key (A40, V5)${NEEDS_SERVER}`,
      async () => {
        const { id, owner } = await scenario.restaurant('LOCKED');
        const other = await scenario.staff(id, 'OWNER');
        const keys = `/restaurants/${id}/sender-keys`;
        const key = (await scenario.api.post(keys, owner.token, { name: 'till', kind: 'TOKEN' }).expect(201)).body.data;
        const waiting = async (token: string, end: () => Promise<unknown>) => {
          await operator.query('SELECT 1 FROM restaurants WHERE id = $1 FOR UPDATE', [id]);
          const sent = scenario.api
            .post('/webhooks/terminal', token, sale({ storeCode: 'LOCKED' }))
            .then((each) => each);
          await untilWaiting(scenario.database, 1);
          await end();
          await operator.query('COMMIT; BEGIN');
          return (await sent).status;
        };
        const { query } = scenario.database;
        expect(await waiting(other.token, async () => {})).toBe(200);
        expect(
          await waiting(other.token, () => query('DELETE FROM user_restaurants WHERE user_id = $1', [other.id])),
        ).toBe(400);
        expect(
          await waiting(owner.token, () =>
            query('UPDATE users SET token_version = token_version + 1 WHERE id = $1', [owner.id]),
          ),
        ).toBe(401);
        expect(
          await waiting(key.token, () => query('UPDATE sender_keys SET revoked_at = now() WHERE name = $1', ['till'])),
        ).toBe(401);
        expect(await stored()).toHaveLength(1);
      },
    );
  });
});
