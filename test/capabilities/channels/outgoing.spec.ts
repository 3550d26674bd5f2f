import { randomUUID } from 'node:crypto';
import { Channels, type Message, type Recipient, type Sent } from '../../../src/capabilities/channels/channel.js';
import type { MessageKind } from '../../../src/capabilities/channels/message-kind.js';
import { Outgoing } from '../../../src/capabilities/channels/outgoing.js';
import type { TestRelay } from '../../support/relay.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { messageWith } from './channel-scenario.js';

interface Row {
  number: number;
  state: string;
  attempts: number;
  reason: string | null;
}

/** A message is about its number; number 0 is needed by nobody, and a number below it is left to other processes. */
const KIND: MessageKind<{ readonly number: number }> = {
  name: 'test',
  select: `SELECT CASE message.number WHEN 0 THEN 'nobody needs it' END, jsonb_build_object('number', message.number, 'restaurantId', message.subject) WHERE message.number >= 0`,
  mostRows: 3,
  events: { SENT: 'test.sent', WAITING: 'test.retry', FAILED: 'test.failed', SKIPPED: 'test.skipped' },
  order: (a, b) => a.about.number - b.about.number,
  messageOf: ({ id, about }, others) =>
    messageWith({ id, title: [about.number, ...others.map((each) => each.about.number)].join(' ') }),
  lineOf: ({ id, attempts }) => ({ id, attempts }),
};

describe('the queue of messages', () => {
  const scenario = Scenario.ofSuite();
  let person: Caller;
  let sent: { readonly recipient: Recipient; readonly message: Message }[] = [];
  let answer: () => Sent | Promise<Sent>;

  /** A relay with the kinds of this suite, whose channels record what they send. */
  function prepare(relay: TestRelay): Outgoing {
    Object.assign(relay.get(Channels), {
      send: async (recipient: Recipient, message: Message) => {
        sent.push({ recipient, message });
        return answer();
      },
    });
    const outgoing = relay.get(Outgoing);
    outgoing.add(KIND);
    outgoing.add({ ...KIND, name: 'other' });
    return outgoing;
  }

  beforeAll(async () => {
    prepare(scenario.relay);
    person = await scenario.person();
  });
  beforeEach(async () => {
    await query('DELETE FROM notifications');
    sent = [];
    answer = () => ({ outcome: 'SENT' });
  });

  const query = <T extends object>(sql: string, ...values: unknown[]) => scenario.database.query<T>(sql, values);
  const send = () => scenario.relay.get(Outgoing).send();
  const titles = () => sent.map(({ message }) => message.title);
  const rows = () => query<Row>('SELECT number, state, attempts, reason FROM notifications ORDER BY number');
  const pass = (seconds: number) =>
    query(
      `UPDATE notifications SET next_try_at = next_try_at - $1 * interval '1 second', claimed_at = claimed_at - $1 * interval '1 second',
         ended_at = ended_at - $1 * interval '1 second'`,
      seconds,
    );
  /** Writes messages with these numbers. */
  const write = (
    numbers: readonly number[],
    { kind = 'test', recipient = `user:${person.id}`, channel = 'mail' } = {},
  ) =>
    query(
      `INSERT INTO notifications (id, message_kind, subject, number, channel, recipient)
       SELECT gen_random_uuid(), $1, $2, number, $3, $4 FROM unnest($5::int[]) AS number`,
      ...[kind, randomUUID(), channel, recipient, numbers],
    );
  /** Sends a message to a recipient who got messages so many minutes ago. @returns what was sent */
  const got = async (minutes: readonly number[], kind = 'test') => {
    await query('DELETE FROM notifications');
    await query(
      `INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, state, ended_at)
       SELECT gen_random_uuid(), $1, gen_random_uuid(), 1, 'mail', $2, 'SENT', now() - minutes * interval '1 minute' - interval '1 second'
       FROM unnest($3::int[]) AS minutes`,
      ...[kind, `user:${person.id}`, minutes],
    );
    sent = [];
    await write([7]);
    await send();
    return titles();
  };

  test('a retry waits 30 s, then twice as long, or as long as the other side asks; after 5 tries it has failed (G5, L106)', async () => {
    answer = () => ({ outcome: 'RETRY', reason: 'the mail server: 450' });
    await write([1]);
    for (const seconds of [30, 60, 200]) {
      if (seconds === 200) answer = () => ({ outcome: 'RETRY', reason: 'asks to wait', afterMs: 200_000 });
      const [before] = await query<{ now: Date }>('SELECT now()');
      await send();
      // not due yet
      await send();
      const [next] = await query(
        `SELECT next_try_at - $1 * interval '1 second' BETWEEN $2 AND now() AS "isSo", next_try_at FROM notifications`,
        ...[seconds, before?.now],
      );
      expect(next).toMatchObject({ isSo: true });
      await pass(seconds);
    }
    expect(await rows()).toEqual([{ number: 1, state: 'WAITING', attempts: 3, reason: 'asks to wait' }]);
    for (let tries = 4; tries <= 6; tries++) {
      await send();
      await pass(1_000);
    }
    expect(await rows()).toEqual([{ number: 1, state: 'FAILED', attempts: 5, reason: 'asks to wait' }]);
    expect(new Set(sent.map(({ message }) => message.id)).size).toBe(1);
    expect(sent).toHaveLength(5);
    const events = scenario.relay.logged.map(({ event }) => event).filter((event) => String(event).startsWith('test.'));
    expect(events).toEqual(['test.retry', 'test.retry', 'test.retry', 'test.retry', 'test.failed']);
  });

  test('a message whose process ended is sent again after 60 s with its id, and says so; a late answer changes nothing (G5)', async () => {
    let late = (_: Sent) => {};
    answer = () => new Promise((answered) => (late = answered));
    await write([1]);
    const first = send();
    await scenario.jobs.until(async () => sent.length === 1);
    const other = await scenario.start();
    const second = prepare(other);
    answer = () => ({ outcome: 'SENT' });
    await pass(55);
    await second.send();
    expect(await rows()).toMatchObject([{ state: 'SENDING', attempts: 1 }]);
    await pass(6);
    await second.send();
    late({ outcome: 'FAILED', reason: 'after its time' });
    await first;
    expect(sent[1]?.message.id).toBe(sent[0]?.message.id);
    const reason = 'a process ended while it sent this: it may have arrived twice';
    expect(await rows()).toEqual([{ number: 1, state: 'SENT', attempts: 2, reason }]);
    await other.close();
  });

  test('instances at the same time send a message once (G5)', async () => {
    const other = await scenario.start();
    const second = prepare(other);
    await write([1]);
    await Promise.all([send(), second.send(), send(), second.send()]);
    expect(titles()).toEqual(['1']);
    expect(await rows()).toEqual([{ number: 1, state: 'SENT', attempts: 1, reason: null }]);
    await other.close();
  });

  test('a recipient gets over a channel one message of a kind a minute, 5 in 15 minutes, 11 an hour (G8)', async () => {
    expect(await got([0])).toEqual([]);
    expect(await got([1])).toEqual(['7']);
    expect(await got([2, 4, 6, 8, 10])).toEqual([]);
    expect(await got([2, 4, 6, 8, 16])).toEqual(['7']);
    expect(await got([20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 59])).toEqual([]);
    expect(await got([20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 61])).toEqual(['7']);
    expect(await got([0], 'other')).toEqual(['7']);
  });

  test('what is due for a recipient is one message, of so many rows as the kind allows; the rest waits a minute (G8, L105)', async () => {
    await write([5, 4, 3, 2]);
    await query(`UPDATE notifications SET next_try_at = next_try_at - interval '1 second' WHERE number <> 2`);
    await write([6], { kind: 'other' });
    await write([8], { recipient: 'webhook:platform', channel: 'webhook' });
    await send();
    expect(titles().toSorted()).toEqual(['3 4 5', '6', '8']);
    expect(sent.map(({ recipient }) => recipient)).toContainEqual({ channel: 'webhook', restaurantId: null });
    expect((await rows()).map(({ state }) => state)).toEqual(['WAITING', 'SENT', 'FOLDED', 'FOLDED', 'SENT', 'SENT']);
    await pass(61);
    await send();
    expect(titles().at(-1)).toBe('2');
  });

  test('what nobody needs any more is skipped at once, with the reason; what another process knows is left to it (G2, G5)', async () => {
    await got([0]);
    await write([-1, 0]);
    await write([1], { kind: 'unknown' });
    sent = [];
    await send();
    expect(sent).toEqual([]);
    expect((await rows()).filter(({ state }) => state === 'SKIPPED')).toEqual([
      { number: 0, state: 'SKIPPED', attempts: 0, reason: 'nobody needs it' },
    ]);
    expect((await rows()).filter(({ state }) => state === 'WAITING').map(({ number }) => number)).toEqual([-1, 1, 7]);
    expect(scenario.relay.logged).toContainEqual(expect.objectContaining({ event: 'test.skipped', attempts: 0 }));
  });

  test('a claim takes 50 recipients, those that have waited the longest (G5)', async () => {
    await query(
      `INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, next_try_at)
       SELECT gen_random_uuid(), 'test', gen_random_uuid(), n, 'mail', 'user:' || n, now() - n * interval '1 second' FROM generate_series(1, 60) n`,
    );
    await send();
    expect(
      titles()
        .map(Number)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 50 }, (_, i) => i + 11));
  });

  test.each(['webhook', 'mail', 'push'] as const)(
    'the restaurants of one founder take turns as one over %s, so that they hold up no other; who gets messages of both has the first turn (G5, O44)',
    async (channel) => {
      const neighbour = await scenario.restaurant();
      const recipient = channel === 'webhook' ? `webhook:${neighbour.id}` : `user:${person.id}`;
      await query(
        `WITH made AS (INSERT INTO restaurants (id, name, slug, founded_by)
           SELECT gen_random_uuid(), 'R', $2 || '-of-a-founder-' || n, $1::uuid FROM generate_series(1, 60) n RETURNING id)
         INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, next_try_at)
         SELECT gen_random_uuid(), 'test', id, 1, $2, CASE n WHEN 60 THEN $3 ELSE split_part($3, ':', 1) || ':' || id END,
           now() - interval '2 minutes' + n * interval '1 second' FROM (SELECT id, row_number() OVER () AS n FROM made) AS numbered`,
        ...[person.id, channel, recipient],
      );
      await write([2], { recipient, channel });
      await send();
      expect(titles()).toHaveLength(50);
      expect(titles()).toContain('1 2');
    },
  );

  test('a stop waits for the messages that are being sent (G5)', async () => {
    const other = await scenario.start();
    const outgoing = prepare(other);
    let answered = (_: Sent) => {};
    answer = () => new Promise((resolve) => (answered = resolve));
    await write([1]);
    const sending = outgoing.send();
    await scenario.jobs.until(async () => sent.length === 1);
    const stopped = outgoing.beforeApplicationShutdown();
    expect(await Promise.race([stopped.then(() => 'stopped'), rows().then(() => 'waits')])).toBe('waits');
    answered({ outcome: 'SENT' });
    await stopped;
    expect(await rows()).toMatchObject([{ state: 'SENT' }]);
    await sending;
    await other.close();
  });
});
