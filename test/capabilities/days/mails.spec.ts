import { Channels } from '../../../src/capabilities/channels/channel.js';
import { Outgoing } from '../../../src/capabilities/channels/outgoing.js';
import { DayRounds } from '../../../src/capabilities/days/day-rounds.js';
import type { Caller } from '../../support/scenario.js';
import { ChannelScenario } from '../channels/channel-scenario.js';
import { RestaurantDays } from './restaurant-days.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const STARTED_AT = Date.now();
const ago = (ms: number) => new Date(STARTED_AT - ms).toISOString();
/** A day of UTC; the same one during the whole suite. */
const dayAgo = (days: number) => ago(days * DAY_MS).slice(0, 10);

describe('a closing is mailed with the head of the chain (B12)', () => {
  let channels: ChannelScenario;

  beforeAll(async () => {
    channels = await ChannelScenario.open();
  });
  beforeEach(async () => {
    channels.reset();
    await channels.query('DELETE FROM notifications');
    await channels.query('UPDATE restaurants SET deleted_at = now()');
  });
  afterAll(() => channels.close());

  /** A restaurant whose days are closed since that time, with an OWNER whose address is confirmed. */
  async function opened(since = `${dayAgo(1)}T12:00:00Z`, ...zoneAndEnd: [zone?: string, dayClosesAt?: string]) {
    const [zone = 'UTC', closes = '00:00'] = zoneAndEnd;
    const days = await RestaurantDays.open(channels.scenario, since, zone, closes);
    const [link] = (await channels.query(
      `WITH preferences AS (
         INSERT INTO notification_preferences (user_id, mail_confirmed_at)
         SELECT user_id, now() FROM user_restaurants WHERE restaurant_id = $1 AND role = 'OWNER' RETURNING user_id)
       SELECT user_id FROM preferences`,
      [days.id],
    )) as [{ user_id: string }];
    return { days, owner: link.user_id };
  }

  const minuteLater = () => channels.query(`UPDATE notifications SET next_try_at = next_try_at - interval '1 minute'`);
  const mailer = () => channels.scenario.relay.get(Outgoing);
  const send = async () => {
    await minuteLater();
    await mailer().send();
  };
  /** The texts of the mails since the last call. */
  const mailed = () =>
    channels.mail.mails.splice(0).map(({ to, source }) => {
      const plain = source.split(/^--.*$/m).find((part) => part.includes('text/plain')) ?? source;
      const [head = '', body = ''] = plain.split(/\r\n\r\n([\s\S]*)/);
      const unfolded = body.replaceAll('=\r\n', '').replaceAll('\r\n', '\n');
      const text = /quoted-printable/.test(head)
        ? Buffer.from(
            unfolded.replaceAll(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
            'latin1',
          ).toString('utf8')
        : /base64/.test(head)
          ? Buffer.from(unfolded, 'base64').toString('utf8')
          : unfolded;
      return { to, text: text.replaceAll(/[\u00a0\u202f]/g, ' ') };
    });
  const rows = () =>
    channels.query('SELECT number, state, attempts, reason FROM notifications ORDER BY subject, number, user_id');

  /** A closed day with cash, cards, a refund, a parked and a waiting sale, in reais. */
  async function closedDay(days: RestaurantDays) {
    const yesterday = dayAgo(1);
    await channels.query(`UPDATE restaurants SET currency = 'BRL' WHERE id = $1`, [days.id]);
    await days.sold({ key: 'a', at: `${yesterday}T12:00:00Z`, cents: 123_456 });
    await days.sold({ key: 'b', at: `${yesterday}T12:01:00Z`, cents: 250, tender: '16', status: 'DLQ' });
    await days.sold({ key: 'c', at: `${yesterday}T12:02:00Z`, cents: 70, tender: '77', status: 'PENDING' });
    await days.sold({ key: 'd', at: `${yesterday}T12:03:00Z`, cents: -300, status: 'DLQ' });
    return days.closed(yesterday);
  }

  test('count, amounts by tender in the currency, what was not in the POS, the head, and how to check it', async () => {
    const { days } = await opened();
    const { hash, day } = await closedDay(days);
    await mailer().send();
    expect(mailed()).toEqual([]);
    await send();
    const text = mailed()[0]?.text as string;
    for (const line of [
      '3 sales, 1 refund',
      'Taken R$1,237.76 · refunded R$3.00 · net R$1,234.76',
      '- Cash (1): R$1,234.56 (1)',
      '- Credit card (16): R$2.50 (1)',
      '- Tender 77: R$0.70 (1)',
      '- Waiting: R$0.70 (1)',
      '- Parked: R$2.50 (1)',
      'Sales less refunds of all closed days, cancelled orders included: R$1,234.76',
      `Closing No. 1, ${day}`,
      `Seal: ${hash}`,
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).toContain('Keep this mail.');
    expect(text).toContain(`/console/r/${days.id}/days`);
    expect(text).not.toContain('since your last mail');
    expect(await days.check(`?day=${day}&hash=${/Seal: (\w+)/.exec(text)?.[1]}`)).toMatchObject({ firstBroken: null });
  });

  test('in Portuguese', async () => {
    const { days, owner } = await opened();
    await channels.query(`UPDATE notification_preferences SET language = 'pt-BR' WHERE user_id = $1`, [owner]);
    const { hash } = await closedDay(days);
    await send();
    const text = mailed()[0]?.text as string;
    for (const line of [
      '3 vendas, 1 estorno',
      'Vendido R$ 1.237,76 · estornado R$ 3,00 · líquido R$ 1.234,76',
      '- Dinheiro (1): R$ 1.234,56 (1)',
      '- Parado: R$ 2,50 (1)',
      `Selo: ${hash}`,
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).not.toMatch(/sale|Seal|closed/);
  });

  test('a restaurant without a currency has amounts without a name; a day on which all is in the POS says so', async () => {
    const { days } = await opened();
    await days.sold({ key: 'a', at: `${dayAgo(1)}T12:00:00Z`, cents: 1_000 });
    await days.closed(dayAgo(1));
    await send();
    const text = mailed()[0]?.text as string;
    expect(text).toContain('1 sale\nTaken 10.00\n');
    expect(text).toContain('Every sale that was not cancelled was in the POS.');
  });

  test('what was settled by hand is said apart, and is not missing in the POS (R41)', async () => {
    const { days } = await opened();
    await days.sold({ key: 'a', at: `${dayAgo(1)}T12:00:00Z`, cents: 1_000 });
    await days.sold({ key: 'b', at: `${dayAgo(1)}T12:01:00Z`, cents: 250, status: 'DLQ' });
    await channels.query(`UPDATE outbox_jobs SET resolved_at = now() WHERE event_key = 'b' AND restaurant_id = $1`, [
      days.id,
    ]);
    await days.closed(dayAgo(1));
    await send();
    const text = mailed()[0]?.text as string;
    expect(text).toContain('Settled by hand: 2.50 (1)\nEvery other sale that was not cancelled was in the POS.');
    expect(text).not.toContain('Not in the POS');
  });

  test('only OWNERs who want it: not without a confirmed address, with mail or closings off, another role, or an invitation', async () => {
    const { days, owner } = await opened();
    const person = async (role: string, changes: string, accepted = true): Promise<Caller> => {
      const caller = await channels.scenario.person();
      await channels.query(
        `INSERT INTO user_restaurants (id, user_id, restaurant_id, role, accepted_at)
         VALUES (gen_random_uuid(), $1, $2, $3::restaurant_role, $4)`,
        [caller.id, days.id, role, accepted ? new Date() : null],
      );
      await channels.query('INSERT INTO notification_preferences (user_id, mail_confirmed_at) VALUES ($1, now())', [
        caller.id,
      ]);
      if (changes)
        await channels.query(`UPDATE notification_preferences SET ${changes} WHERE user_id = $1`, [caller.id]);
      return caller;
    };
    const second = await person('OWNER', '');
    await person('OWNER', 'mail = false');
    await person('OWNER', 'closings = false');
    await person('OWNER', 'mail_confirmed_at = NULL');
    await person('OWNER', '', false);
    await person('MANAGER', 'always = true');
    const gone = await person('OWNER', '');
    await days.closed(dayAgo(1));
    await channels.query(`UPDATE user_restaurants SET role = 'EMPLOYEE' WHERE user_id = $1`, [gone.id]);
    await send();
    const told = mailed().flatMap(({ to }) => to);
    const [first] = (await channels.query('SELECT email FROM users WHERE id = $1', [owner])) as [{ email: string }];
    expect(told.toSorted()).toEqual([first.email, second.email].toSorted());
    expect((await rows()).map(({ state }) => state).toSorted()).toEqual(['SENT', 'SENT', 'SKIPPED']);
  });

  test('a catch-up of 60 days is one mail, about the last day, which counts the others', async () => {
    // its days end 10 to 11 hours ago, whatever the time is, so that none becomes due meanwhile; in a zone where this is before noon
    const hour = new Date(ago(10 * HOUR_MS)).getUTCHours();
    const end = `${String(hour % 12).padStart(2, '0')}:00`;
    const { days } = await opened(ago(61 * DAY_MS), hour < 12 ? 'UTC' : 'Etc/GMT+12', end);
    await days.closed((await days.get('?limit=1').expect(200)).body.open.day);
    // what was mailed before the relay was away
    await channels.query(
      `INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, state)
       SELECT gen_random_uuid(), 'closing', restaurant_id, 1, 'mail', 'user:' || user_id, user_id, 'SENT' FROM user_restaurants WHERE restaurant_id = $1`,
      [days.id],
    );
    let closed = 0;
    for (let done = -1; done !== 0; closed += done) {
      done = await channels.scenario.relay.get(DayRounds).run();
      await send();
    }
    expect(closed).toBe(60);
    const mails = mailed();
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('Closing No. 61,');
    expect(mails[0]?.text).toContain('59 days before were closed since your last mail.');
  });

  test('closings of one owner within a minute are one mail (L105)', async () => {
    const { days, owner } = await opened();
    const other = await opened();
    await channels.query(`UPDATE user_restaurants SET user_id = $2 WHERE restaurant_id = $1`, [other.days.id, owner]);
    const hashes = [(await days.closed(dayAgo(1))).hash];
    hashes.push((await other.days.close(dayAgo(1), days.token).expect(201)).body.data.hash);
    await send();
    const mails = mailed();
    expect(mails).toHaveLength(1);
    for (const hash of hashes) expect(mails[0]?.text).toContain(hash);
    expect(mails[0]?.text).toContain('2 days of your restaurants are closed');
  });

  test('a mail whose process ended between sending and writing the result is not sent again', async () => {
    const { days } = await opened();
    await days.closed(dayAgo(1));
    await minuteLater();
    const real = channels.scenario.relay.get(Channels);
    const send = real.send.bind(real);
    Object.assign(real, {
      send: async (...args: Parameters<Channels['send']>) => {
        await send(...args);
        throw new Error('the process ends here');
      },
    });
    await expect(mailer().send()).rejects.toThrow('the process ends here');
    Object.assign(real, { send });
    expect(mailed()).toHaveLength(1);
    await mailer().send();
    expect(await rows()).toMatchObject([{ state: 'SENDING' }]);
    await channels.query(`UPDATE notifications SET claimed_at = claimed_at - interval '61 seconds'`);
    await mailer().send();
    await mailer().send();
    expect(mailed()).toEqual([]);
    expect(await rows()).toEqual([
      { number: 1, state: 'FAILED', attempts: 1, reason: 'a process ended while it sent this: it may have arrived' },
    ]);
  });

  test('mails of the last 100 closings are kept (L107); without a mail server none is written', async () => {
    const { days, owner } = await opened();
    await channels.query(
      `INSERT INTO notifications (id, message_kind, subject, number, channel, recipient, user_id, state)
       SELECT gen_random_uuid(), 'closing', $1, n, 'mail', 'user:' || $2::text, $2::uuid, 'SENT' FROM generate_series(-200, -90) n`,
      [days.id, owner],
    );
    await days.closed(dayAgo(1));
    expect((await rows()).map(({ number }) => number)).toEqual([-99, -98, -97, -96, -95, -94, -93, -92, -91, -90, 1]);
    const without = await channels.scenario.start({ SMTP_URL: '', MAIL_FROM: '' });
    const silent = await opened();
    await without.api.post(`/restaurants/${silent.days.id}/days/${dayAgo(1)}/close`, silent.days.token).expect(201);
    expect(await channels.query('SELECT FROM notifications WHERE subject = $1', [silent.days.id])).toEqual([]);
  });
});
