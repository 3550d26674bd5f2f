import { openDatabase, type TestDatabase } from '../../support/database.js';
import { readSpecification } from '../../support/specification.js';

/** Why the rows of a table have an end: its rules, or the table with whose rows its own are removed, or some by the one and some by the other. */
type End = { readonly rules: readonly string[] } | { readonly endsWith: string };

const by = (...rules: string[]): End => ({ rules });
const sales = by('O22');
/** Closings are kept for good: one a day, for each restaurant. */
const closings = by('B2', 'B6');

const ENDS: Readonly<Record<string, End>> = {
  users: by('A35', 'L152'),
  restaurants: by('A35', 'L152'),
  user_restaurants: by('A35', 'L152'),
  invitations: by('A28'),
  password_links: by('L207', 'L152', 'R58'),
  console_sessions: by('N10', 'L153'),
  terminal_events: sales,
  outbox_jobs: sales,
  delivery_attempts: { endsWith: 'outbox_jobs' },
  pos_acceptances: sales,
  unheard_orders: by('R58'),
  tickets: sales,
  // the key of a removed sale: what is left of it
  spent_keys: sales,
  pos_outages: { endsWith: 'restaurants' },
  // one for each pair of credentials
  pos_tokens: by('T6'),
  alerts: by('G1'),
  refused_sales: by('L120'),
  // those about closings by L107, those with links to passwords by R58
  notifications: { endsWith: 'alerts', ...by('L107', 'R58') },
  audit_entries: by('R20', 'A35', 'L152', 'L153'),
  relay_instances: by('R21'),
  clock_marks: by('L198'),
  devices: by('L46'),
  notification_preferences: { endsWith: 'users' },
  alert_webhooks: { endsWith: 'restaurants' },
  // one for each name that the relay knows
  platform_keys: by('G23'),
  pos_catalogues: { endsWith: 'restaurants', ...by('I13') },
  pos_catalogue: { endsWith: 'pos_catalogues', ...by('L237') },
  pos_codes: { endsWith: 'restaurants', ...by('L230') },
  pos_credentials: by('L260', 'R58'),
  printers: by('L33'),
  sender_keys: by('L60', 'R58'),
  sale_hours: { endsWith: 'restaurants', ...by('L248', 'R58') },
  sale_rhythms: { endsWith: 'restaurants' },
  business_days: closings,
  // a trigger keeps it empty
  closing_mails: by('L107'),
  day_sales: closings,
  day_lines: closings,
  day_pending: by('B5'),
  terminal_files: by('L93', 'R58'),
  terminal_file_rows: { endsWith: 'terminal_files' },
  terminal_file_missing: { endsWith: 'terminal_files' },
  terminal_file_decisions: by('L211', 'R58'),
};

describe('no table grows without an end (R58)', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await openDatabase();
  });
  afterAll(() => database.close());

  test('each table has a retention or a quota, or is removed with another one: a new table is to be added here (R58)', async () => {
    const tables = await database.query<{ name: string }>(
      `SELECT table_name::text AS name FROM information_schema.tables
       WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name <> '_prisma_migrations' ORDER BY 1`,
    );
    expect(tables.map(({ name }) => name)).toEqual(Object.keys(ENDS).toSorted());
  });

  test('the rules that bound them are in the specification (R58)', () => {
    const specification = readSpecification();
    const rules = Object.values(ENDS).flatMap((end) => ('rules' in end ? end.rules : []));
    expect(rules.filter((rule) => !specification.includes(`**${rule}**`))).toEqual([]);
  });

  test('a table that ends with another one has a key that removes its rows (R58)', async () => {
    const cascades = await database.query<{ pair: string }>(
      `SELECT conrelid::regclass || ' of ' || confrelid::regclass AS pair FROM pg_constraint WHERE contype = 'f' AND confdeltype = 'c'`,
    );
    const pairs = Object.entries(ENDS).flatMap(([table, end]) =>
      'endsWith' in end ? [`${table} of ${end.endsWith}`] : [],
    );
    expect(cascades.map(({ pair }) => pair)).toEqual(expect.arrayContaining(pairs));
  });
});
