import { Escalation } from '../../../src/capabilities/alerts/escalation.js';
import { Outgoing } from '../../../src/capabilities/channels/outgoing.js';
import { sale } from '../../support/client.js';
import { Evening, type NotificationRow } from './evening.js';

describe('notifications', () => {
  const evening = Evening.ofSuite();
  let roma: Awaited<ReturnType<Evening['scenario']['restaurant']>>;

  beforeEach(async () => {
    roma = await evening.scenario.store();
    evening.reach(roma.owner.id);
  });

  const park = async () => evening.scenario.settle(await roma.sell({ transactionNumber: '107' }), 'DLQ', 'unknown X1');
  /** One restaurant more of the same owner, with a parked order. */
  async function another(storeCode: string): Promise<void> {
    await evening.scenario.people.restaurant(storeCode, [roma.owner, 'OWNER']);
    await evening.scenario.settle(await evening.scenario.relay.accept(sale({ storeCode })), 'DLQ', 'unknown X1');
  }
  const row = async () => {
    const [first] = await evening.notifications();
    return first as NotificationRow;
  };

  test('what is due within a minute after a message is folded into the next (G8)', async () => {
    await evening.scenario.database.query('UPDATE user_restaurants SET accepted_at = now()');
    await park();
    await evening.begin();
    for (const name of ['S-2', 'S-3', 'S-4']) await another(name);
    await evening.round();
    await evening.scenario.database.query(
      `UPDATE alerts SET next_step_at = now() - interval '1 second' WHERE step = 0`,
    );
    await evening.round();
    expect(evening.told()).toHaveLength(1);
    await evening.after(1.1);
    const [{ message }] = evening.sent.splice(0) as [(typeof evening.sent)[number]];
    expect(message.text).toContain('And 2 more alerts');
    expect((await evening.notifications()).filter(({ state }) => state === 'FOLDED')).toHaveLength(2);
  });

  test('of the alerts that are due, those of one founder take turns as one (G4, O44)', async () => {
    await park();
    await evening.round();
    await evening.scenario.database.query(
      `WITH made AS (INSERT INTO restaurants (id, name, slug, founded_by)
         SELECT gen_random_uuid(), 'R', 'of-a-founder-' || n, $1::uuid FROM generate_series(1, 120) n RETURNING id)
       INSERT INTO alerts (id, restaurant_id, kind, dedup_key, count, next_step_at)
       SELECT gen_random_uuid(), id, 'ORDER_PARKED', id, 1, now() - interval '10 minutes' FROM made`,
      [roma.owner.id],
    );
    await evening.scenario.database.query('UPDATE alerts SET next_step_at = now() WHERE restaurant_id = $1', [roma.id]);
    await evening.scenario.relay.get(Escalation).advance();
    expect(await evening.notifications()).toHaveLength(1);
  });

  test('what is no longer needed is not sent: the alert is acknowledged or closed (G5)', async () => {
    await park();
    await evening.round();
    evening.answer = () => ({ outcome: 'RETRY', reason: 'later' });
    await evening.after(1.1);
    await evening.scenario.database.query(`UPDATE alerts SET acknowledged_at = now(), next_step_at = NULL`);
    evening.sent.length = 0;
    await evening.after(1);
    expect(evening.sent).toEqual([]);
    expect(await row()).toMatchObject({ state: 'SKIPPED' });
  });

  test('a message that waits is not sent to a person whose link has ended meanwhile (A40, G5)', async () => {
    await park();
    await evening.round();
    evening.answer = () => ({ outcome: 'RETRY', reason: 'later' });
    await evening.after(1.1);
    await evening.scenario.database.query('DELETE FROM user_restaurants WHERE user_id = $1', [roma.owner.id]);
    evening.sent.length = 0;
    await evening.after(1);
    expect(evening.sent).toEqual([]);
    expect(await row()).toMatchObject({ state: 'SKIPPED', reason: 'the person does not get it any more' });
  });

  test('quiet hours hold back what waits, and never an order that was parked on this business day (G7)', async () => {
    // an hour before and after the present time of day
    const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const quiet = { from: clock(-3_600_000), until: clock(3_600_000) };
    evening.reach(roma.owner.id, { quiet });
    await park();
    await evening.begin();
    expect(evening.told()).toHaveLength(1);
    await evening.scenario.database.query(
      `UPDATE alerts SET kind = 'ORDER_LATE', step = 0, first_step = 0, next_step_at = now()`,
    );
    await evening.scenario.database.query('DELETE FROM notifications');
    await evening.scenario.relay.get(Escalation).advance();
    await evening.scenario.relay.get(Outgoing).send();
    expect(evening.told()).toEqual([]);
    expect(await row()).toMatchObject({ state: 'WAITING', reason: 'quiet hours' });
  });

  test.each([
    // zone, now, quiet hours, end
    ['UTC', '2026-11-22T12:00Z', '09:00', '17:00', '2026-11-22T17:00Z'],
    ['UTC', '2026-11-22T08:59Z', '09:00', '17:00', null],
    ['UTC', '2026-11-22T17:00Z', '09:00', '17:00', null],
    ['UTC', '2026-11-22T23:30Z', '22:00', '07:00', '2026-11-23T07:00Z'],
    ['UTC', '2026-11-22T03:00Z', '22:00', '07:00', '2026-11-22T07:00Z'],
    ['UTC', '2026-11-22T07:00Z', '22:00', '07:00', null],
    ['America/Sao_Paulo', '2026-11-23T02:00Z', '22:00', '07:00', '2026-11-23T10:00Z'],
    // the clock goes forward at 01:00Z on 28 March: the night is an hour shorter
    ['Europe/Lisbon', '2027-03-27T23:30Z', '22:00', '07:00', '2027-03-28T06:00Z'],
    // 01:30 does not exist that night
    ['Europe/Lisbon', '2027-03-27T23:30Z', '22:00', '01:30', '2027-03-28T01:30Z'],
    // and back at 01:00Z on 31 October: an hour longer
    ['Europe/Lisbon', '2027-10-30T22:30Z', '22:00', '07:00', '2027-10-31T07:00Z'],
    ['UTC', '2026-11-22T12:00Z', '12:00', '12:00', '2026-11-23T12:00Z'],
  ])('%s, %s: quiet from %s to %s ends at %s (G7)', async (zone, now, from, until, end) => {
    const [row] = await evening.scenario.database.query<{ at: Date | null }>(
      'SELECT quiet_until($1::timestamptz, $2, $3, $4) AS at',
      [now, zone, from, until],
    );
    expect(row?.at?.toISOString() ?? null).toBe(end && new Date(end).toISOString());
  });

  test('each is notified in their own language, with what the order is and what helps (G8)', async () => {
    evening.reach(roma.owner.id, { language: 'pt-BR', channels: ['push'] });
    await park();
    await evening.begin();
    const [{ message }] = evening.sent as [(typeof evening.sent)[number]];
    expect(message.title).toMatch(/: 1 pedido pago não está no PDV$/);
    expect(message.text).toMatch(/^O PDV o recusou\. Leia o que o PDV diz.*\nNº 107 · \d+,\d\d · \d\d:\d\d$/);
    expect(message.path).toMatch(new RegExp(`^/console/r/${roma.id}/orders/`));
  });
});
