import { sale } from '../support/client.js';
import { Scenario } from '../support/scenario.js';

/** Characters that separate, end or quote something on the way to the database: of arrays, of JSON, of RFC 7464. */
const HARD = [
  '\u001e',
  '\u001e\u001e',
  '"',
  '\\',
  '\\"',
  '{}',
  ',',
  'NULL',
  '',
  '\n\t',
  '\u001f',
  '\u00a0',
  '\u{1f355}',
];

describe('sales that share a statement', () => {
  test('are stored and sent as they are, whatever their texts hold (W16, O19)', async () => {
    const scenario = await Scenario.open();
    try {
      const { relay, jobs, pos, database } = scenario;
      await relay.createRestaurant();
      const item = (itemName: string) => ({ itemCode: `${itemName}-`, itemName, quantity: 1, price: 20 });
      const sales = HARD.map((text) => sale({ note: text, [`field ${text}`]: [text], items: [item(`a ${text} b`)] }));
      const ids = await Promise.all(sales.map((each) => relay.accept(each)));
      pos.behave({ mode: 'gate', register: 'before', times: HARD.length });
      const ticking = relay.tick();
      await pos.when(() => pos.waiting === HARD.length);
      pos.release();
      await ticking;
      for (const [n, id] of ids.entries()) {
        const [stored] = await database.query<{ payload: object; sent: { items: { desc_item: string }[] } }>(
          `SELECT payload, sent_body AS sent FROM outbox_jobs job
           JOIN terminal_events ON transaction_key = job.event_key AND terminal_events.restaurant_id = job.restaurant_id
           JOIN delivery_attempts ON job_id = job.id WHERE job.id = $1`,
          [id],
        );
        expect(stored?.payload).toEqual(sales[n]);
        expect(stored?.sent.items.map(({ desc_item }) => desc_item)).toEqual([`a ${HARD[n]} b`]);
        expect((await jobs.get(id)).status).toBe('SENT');
      }
    } finally {
      await scenario.close();
    }
  });
});
