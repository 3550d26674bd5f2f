import { type Round, Rounds } from '../../../src/platform/schedule/rounds.js';
import { Evening } from '../../capabilities/alerts/evening.js';
import { Scenario } from '../../support/scenario.js';
import { type Column, columnsOf, evening, IDS, idOf, move, WRONG } from './left-by-a-jump.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Every point in time of the database, and what reads it by the clock. A new column fails the test until it is here: say what reads it, and
 * see that a value of the future, and of a day ago, does no harm there.
 */
const READ_BY: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alert_webhooks: { created_at: '', confirmed_at: '', last_sent_at: '' },
  alerts: {
    opened_at: '',
    last_at: 'closing (G43)',
    acknowledged_at: '',
    closed_at: 'removal after 30 days (S36)',
    next_step_at: 'steps (G43)',
    covered_until: 'new round (G43)',
  },
  audit_entries: { at: 'lists, by cursor' },
  business_days: { closed_at: '' },
  clock_marks: { hour: 'begin of lists of receipts (V29), removal (S36)' },
  closing_mails: { next_try_at: '', claimed_at: '', ended_at: '' },
  console_sessions: {
    created_at: 'removal (S36)',
    last_seen_at: 'one write a minute',
    expires_at: 'each request; removal (S36)',
  },
  day_sales: { received_at: '' },
  delivery_attempts: { started_at: 'alarm, alert, metrics (R57), look-ups (O41)' },
  devices: { created_at: '', confirmed_at: '', confirm_until: 'confirmation', last_sent_at: '' },
  invitations: { created_at: '', expires_at: 'acceptance; removal (S36)' },
  password_links: { created_at: '', expires_at: 'use (A43); removal (S36)' },
  notification_preferences: {
    mail_confirmed_at: '',
    mail_confirm_until: 'confirmation',
    push_tested_at: 'one test a minute (G42)',
    mail_tested_at: 'one test a minute (G42)',
  },
  notifications: {
    next_try_at: 'claim (G42)',
    claimed_at: 'claim (G42), token of a message',
    ended_at: 'limits of a recipient (G42)',
    created_at: 'claim (G42)',
  },
  outbox_jobs: {
    next_run_at: 'claim (O38)',
    processing_at: 'reaper (O38, O40)',
    recovered_at: 'end of an outage; state',
    resolved_at: '',
    created_at: 'alert, tickets (O39)',
    updated_at: 'alert of parked orders (G43), retention (S36), receipts (V22)',
  },
  platform_keys: { created_at: '' },
  pos_acceptances: { created_at: 'events (Q17), receipts', acknowledged_at: '' },
  pos_catalogues: { begun_at: 'removal (S36)', replaced_at: '' },
  pos_codes: { changed_at: '' },
  pos_credentials: {
    created_at: '',
    expires_at: 'each request',
    revoked_at: 'removal (S36)',
    polled_at: 'one write a minute',
  },
  pos_outages: { began_at: 'end of an outage', failed_at: 'end of an outage', ended_at: '', ladder_at: 'probe (O45)' },
  pos_tokens: { expires_at: 'sign-in (O42)', renewing_until: 'sign-in (O42)', updated_at: 'sign-in (O42)' },
  printers: { last_poll_at: 'alert, one write each 10 s', created_at: '' },
  refused_sales: { received_at: 'alert (G43), limit of a day, removal (S36)', last_at: '' },
  relay_instances: { started_at: 'alert', last_seen_at: 'alert, list, removal (S36)' },
  restaurants: {
    created_at: 'first business day (B3)',
    updated_at: '',
    deleted_at: '',
    pos_since: 'cancels (Q30), look-ups (Q31)',
    mapped_since: 'acknowledgements (Q5)',
    paused_at: '',
    paused_until: 'end of a pause (O49: test/restaurants/pause.spec.ts)',
    resuming_until: 'orders after a pause (O50)',
    days_since: 'first business day (B3: test/capabilities/days/first-day.spec.ts)',
  },
  sale_hours: { hour: 'usual hours of later weeks (G60), removal (S36)' },
  sale_rhythms: {
    counted_until: 'counting (G60: test/webhook/silence/silence.spec.ts)',
    first_hour: 'usual hours (G59)',
    usual_hour: 'silence (G59)',
    silent_since: 'alert, state (G59)',
  },
  sender_keys: {
    created_at: '',
    last_used_at: 'one write a minute',
    expires_at: 'each sale, alert',
    revoked_at: 'removal (S36)',
    foreign_store_at: 'warning, one write a minute',
    refused_at: 'alert',
    refused_since: '',
    refused_again_at: '',
  },
  spent_keys: { spent_at: 'retention (S36)' },
  terminal_events: {
    transaction_date: 'the day of a sale',
    received_at: 'business days, retention (S36), metrics (R57)',
    erased_at: '',
    entered_at: '',
  },
  terminal_file_decisions: { at: '', decided_at: '', kept_at: 'removal (S36)' },
  terminal_file_missing: { event_at: '' },
  terminal_file_rows: { at: '', event_at: '', decided_at: '' },
  terminal_files: { uploaded_at: 'removal (S36)', confirmed_at: 'rounds', matched_at: 'rounds' },
  tickets: { created_at: '', offered_at: 'offers', printed_at: '' },
  unheard_orders: { delivered_at: 'alert; removal (S36)' },
  user_restaurants: {
    accepted_at: '',
    password_sale_at: 'one write an hour',
    token_sale_at: 'one write an hour',
    created_at: '',
    updated_at: '',
  },
  users: { created_at: '', updated_at: '' },
};

describe('a clock that was wrong for a minute (S38)', () => {
  let scenario: Scenario;
  let alerts: Evening;
  let columns: Column[];

  beforeAll(async () => {
    scenario = await Scenario.open({ OUTBOX_RETENTION_DAYS: '3' });
    alerts = Evening.on(scenario);
    alerts.reach(IDS.owner, { channels: ['push'] });
    columns = await columnsOf(scenario.database);
  });
  afterAll(async () => {
    await evening(scenario.database, []);
    await scenario.close();
  });

  const query = (sql: string) => scenario.database.query<Record<string, unknown>>(sql);

  /** Everything that the relay does by the clock, once: each round that a module has added. */
  async function live(): Promise<void> {
    const { relay } = scenario;
    const { added } = relay.get(Rounds) as unknown as { added: readonly Round[] };
    expect(added.length).toBeGreaterThan(10);
    for (const { run } of added) await run();
    // once more: after a slow round of alerts the next ones are left out
    await alerts.round();
  }

  const KEPT = [
    'terminal_events',
    'outbox_jobs',
    'delivery_attempts',
    'alerts',
    'notifications',
    'tickets',
    'terminal_files',
    'terminal_file_decisions',
    'sender_keys',
    'refused_sales',
    'console_sessions',
    'invitations',
    'password_links',
    'business_days',
  ];
  const counts = async () =>
    (await query(`SELECT ${KEPT.map((table) => `(SELECT count(*)::int FROM ${table}) AS ${table}`)}`))[0] as Record<
      string,
      number
    >;

  /** @returns what is wrong after these columns were wrong by `ms` */
  async function judge(moved: readonly Column[], ms: number): Promise<string[]> {
    await evening(scenario.database, [scenario.relay.config.instance]);
    alerts.sent.length = 0;
    scenario.pos.behave({ mode: 'ok' });
    await move(scenario.database, moved, ms);
    const before = await counts();
    await live();
    const after = await counts();
    const wrong = (await query(WRONG)).map((row) => String(row.wrong));
    for (const table of KEPT) if ((after[table] ?? 0) < (before[table] ?? 0)) wrong.push(`removed: ${table}`);
    const [parked] = await query(
      `SELECT next_step_at > now() AS waits FROM alerts WHERE id = '${idOf(77)}' AND step = first_step`,
    );
    if (!alerts.sent.some(({ recipient }) => recipient.channel === 'push') && !parked?.waits)
      wrong.push('nobody was notified');
    const [job] = await query(`SELECT status FROM outbox_jobs WHERE id = '${idOf(IDS.jobs.held)}'`);
    if (job?.status !== 'PROCESSING' && job?.status !== 'SENT') wrong.push(`the claimed order is ${job?.status}`);
    return wrong.map((line) => `${moved.map(({ column }) => column)} ${ms / HOUR_MS} h: ${line}`);
  }

  test('every point in time is known, and the evening has one of each (S38)', async () => {
    const known = Object.entries(READ_BY).flatMap(([table, of]) =>
      Object.keys(of).map((column) => `${table}.${column}`),
    );
    expect(columns.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(known.toSorted());
    await evening(scenario.database, []);
    for (const { table, column } of columns)
      expect([table, column, await query(`SELECT 1 FROM ${table} WHERE ${column} IS NOT NULL LIMIT 1`)]).toEqual([
        table,
        column,
        [{ '?column?': 1 }],
      ]);
    expect(await judge([], 0)).toEqual([]);
  });

  const all = 'of all tables at once';
  test.each([...Object.keys(READ_BY), all])(
    '%s, an hour and a day ahead and behind: no order and no message waits longer than usual, nobody is left untold, nothing is removed or closed (O38, O39, G42, G43, S36, S38)',
    async (table) => {
      const of = table === all ? columns : columns.filter((each) => each.table === table);
      const wrong: string[] = [];
      for (const ms of [HOUR_MS, DAY_MS, -HOUR_MS, -DAY_MS]) {
        if (table !== all) for (const column of of) wrong.push(...(await judge([column], ms)));
        wrong.push(...(await judge(of, ms)));
      }
      expect(wrong).toEqual([]);
    },
  );
});
