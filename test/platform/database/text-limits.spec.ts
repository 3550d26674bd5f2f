import { randomBytes } from 'node:crypto';
import { sale } from '../../support/client.js';
import { Scenario } from '../../support/scenario.js';
import { PASSWORD } from '../../user-links/people.js';

/** A row of a btree is a third of a page at most: 2,704 bytes. What the texts may take of it, beside uuids, times and headers. */
const MOST_BYTES = 2_600;

/** What holds the limit of a text: a test below, or what else keeps it short. */
type Tested = 'email' | 'slug' | 'storeCode' | 'transactionKey' | 'transactionNumber' | 'lastError';
type HeldBy = Tested | { readonly why: string };

/**
 * Every text that an index holds, and its limit in bytes. Text without a limit is a row that the database refuses for ever: what
 * does not compress has to fit. A new one needs a limit where it comes in, and its entry here.
 */
const LIMITS: Readonly<Record<string, { readonly bytes: number; readonly heldBy: HeldBy }>> = {
  'terminal_events.transaction_key': { bytes: 4 * 255 + 14, heldBy: 'transactionKey' },
  'terminal_events.source_key': { bytes: 4 * 255, heldBy: 'transactionKey' },
  'terminal_events.transaction_number': { bytes: 4 * 255, heldBy: 'transactionNumber' },
  'outbox_jobs.event_key': { bytes: 4 * 255 + 14, heldBy: 'transactionKey' },
  'outbox_jobs.error_cause(last_error)': { bytes: 4 * 200, heldBy: 'lastError' },
  'spent_keys.transaction_key': { bytes: 4 * 255 + 14, heldBy: { why: 'copied from terminal_events' } },
  'spent_keys.source_key': { bytes: 4 * 255, heldBy: { why: 'copied from terminal_events' } },
  'day_sales.event_key': { bytes: 4 * 255 + 14, heldBy: { why: 'copied from terminal_events' } },
  'day_lines.event_key': { bytes: 4 * 255 + 14, heldBy: { why: 'copied from terminal_events' } },
  'day_pending.event_key': { bytes: 4 * 255 + 14, heldBy: { why: 'copied from terminal_events' } },
  'refused_sales.transaction_key': { bytes: 4 * 255 + 14, heldBy: { why: 'copied from terminal_events' } },
  'refused_sales.digest': { bytes: 64, heldBy: { why: 'a SHA-256: a CHECK' } },
  'users.email': { bytes: 4 * 320, heldBy: 'email' },
  'restaurants.slug': { bytes: 63, heldBy: 'slug' },
  'restaurants.code_store_terminal': { bytes: 4 * 100, heldBy: 'storeCode' },
  'pos_tokens.id': { bytes: 100, heldBy: { why: 'an HMAC' } },
  'audit_entries.action': { bytes: 100, heldBy: { why: 'one of AUDIT_ACTIONS' } },
  'audit_entries.actor_email': { bytes: 4 * 320, heldBy: { why: 'copied from users' } },
  'audit_entries.request_id': { bytes: 128, heldBy: { why: 'an id of 128 printable ASCII characters at most (H6)' } },
  'invitations.email': { bytes: 4 * 320, heldBy: 'email' },
  'alerts.dedup_key': { bytes: 500, heldBy: { why: 'a kind, an id, and a cause or the id of an instance' } },
  'notifications.message_kind': { bytes: 50, heldBy: { why: 'a CHECK' } },
  'notifications.channel': { bytes: 10, heldBy: { why: 'a CHECK' } },
  'notifications.recipient': { bytes: 50, heldBy: { why: 'a word and an id' } },
  'notifications.token_hash': { bytes: 100, heldBy: { why: 'a SHA-256' } },
  'invitations.token_hash': { bytes: 100, heldBy: { why: 'a SHA-256' } },
  'password_links.token_hash': { bytes: 100, heldBy: { why: 'a SHA-256' } },
  'devices.endpoint_digest': { bytes: 100, heldBy: { why: 'a SHA-256' } },
  'platform_keys.name': { bytes: 100, heldBy: { why: 'a name of the relay' } },
  'pos_acceptances.state': { bytes: 20, heldBy: { why: 'a CHECK' } },
  'pos_catalogue.code': { bytes: 4 * 255, heldBy: { why: 'the codes of a catalogue (L237)' } },
  'pos_codes.terminal_code': { bytes: 4 * 255, heldBy: { why: 'the codes of a restaurant (L231)' } },
  'printers.token_hash': { bytes: 100, heldBy: { why: 'a SHA-256' } },
  'sender_keys.token_hash': { bytes: 100, heldBy: { why: 'a SHA-256' } },
  'sender_keys.key_id': { bytes: 100, heldBy: { why: '8 characters: a CHECK' } },
  'terminal_files.sha256': { bytes: 64, heldBy: { why: 'a SHA-256: a CHECK' } },
  'terminal_file_decisions.sha256': { bytes: 64, heldBy: { why: 'copied from terminal_files' } },
  'terminal_file_rows.answer': { bytes: 20, heldBy: { why: 'a CHECK' } },
  'terminal_file_rows.event_key': { bytes: 4 * 255 + 14, heldBy: { why: 'copied from terminal_events' } },
  'terminal_file_rows.identity': {
    bytes: 3 * 600,
    heldBy: { why: 'cut at 600 UTF-16 units by identityOf(): each is 3 bytes at most' },
  },
  'relay_instances.id': { bytes: 300, heldBy: { why: 'host name and process id' } },
};

/** Characters of four bytes each that do not compress. */
const wide = (count: number) =>
  Array.from(new Uint16Array(Uint8Array.from(randomBytes(2 * count)).buffer), (n) =>
    String.fromCodePoint(0x20000 + (n % 40_000)),
  ).join('');
const letters = (count: number) =>
  Array.from(randomBytes(count), (byte) => 'abcdefghijklmnopqrstuvwxyz012345'[byte % 32]).join('');

describe('L8, L20: every text in an index has a limit', () => {
  const scenario = Scenario.ofSuite();
  let token: string;
  let sell: (changes?: object) => Promise<string>;

  beforeAll(async () => {
    ({ token, sell } = await scenario.restaurant('LIMITS'));
  });

  const indexed = () =>
    scenario.database.query<{ index: string; name: string }>(
      `SELECT index.relname AS index, t.relname || '.' || coalesce(col.attname, pg_get_indexdef(i.indexrelid, n, false)) AS name
       FROM pg_index i
       JOIN pg_class t ON t.oid = i.indrelid AND t.relnamespace = 'public'::regnamespace AND t.relname <> '_prisma_migrations'
       JOIN pg_class index ON index.oid = i.indexrelid
       CROSS JOIN generate_series(1, i.indnatts) AS n
       JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.attnum = n
       LEFT JOIN pg_attribute col ON i.indkey[n - 1] <> 0 AND col.attrelid = i.indrelid AND col.attnum = i.indkey[n - 1]
       -- of no fixed length, and no array or number
       WHERE a.attlen = -1 AND a.atttypid <> 'numeric'::regtype`,
    );

  test('the table above names each, and nothing else', async () => {
    const names = new Set((await indexed()).map(({ name }) => name));
    expect([...names].toSorted()).toEqual(Object.keys(LIMITS).toSorted());
  });

  test('the texts of one index fit into it together', async () => {
    const bytes: Record<string, number> = {};
    for (const { index, name } of await indexed()) bytes[index] = (bytes[index] ?? 0) + (LIMITS[name]?.bytes ?? 0);
    expect(Object.entries(bytes).filter(([, sum]) => sum > MOST_BYTES)).toEqual([]);
  });

  /** Sends the longest text that is accepted, and what is longer: refused, or cut. */
  const SENDS: Readonly<Record<Tested, () => Promise<void>>> = {
    transactionKey: async () => {
      await sell({ transactionKey: wide(255) });
      await sell({ transactionKey: wide(255), isTestTransaction: true });
      const { body } = await scenario.relay.post(sale({ transactionKey: wide(256) })).expect(400);
      expect(body.message).toEqual(['transactionKey: must have at most 255 characters']);
    },
    transactionNumber: async () => {
      await sell({ transactionNumber: wide(255) });
      for (const sent of [letters(256), letters(3_200), wide(256), wide(3_200)]) {
        const { body } = await scenario.relay.post(sale({ storeCode: 'LIMITS', transactionNumber: sent })).expect(200);
        expect(body.warnings).toEqual([expect.stringMatching(/^transactionNumber: is longer than 255 characters/)]);
        const [row] = await scenario.database.query<{ column: string; payload: string }>(
          `SELECT transaction_number AS column, payload->>'transactionNumber' AS payload FROM terminal_events
           WHERE transaction_key = (SELECT event_key FROM outbox_jobs WHERE id = $1)`,
          [body.jobId],
        );
        expect(row).toEqual({ column: [...sent].slice(0, 255).join(''), payload: sent });
      }
    },
    storeCode: async () => {
      const code = wide(100);
      const create = (codeStoreTerminal: string) =>
        scenario.api.post('/restaurants', token, { name: `R ${letters(8)}`, codeStoreTerminal });
      await create(code).expect(201);
      for (const longer of [wide(101), wide(3_000)]) await create(longer).expect(400);
    },
    slug: async () => {
      const create = (name: string, slug?: string) => scenario.api.post('/restaurants', token, { name, slug });
      await create('Long', letters(63)).expect(201);
      await create('Longer', letters(64)).expect(400);
      // made from the name
      await create(letters(200)).expect(201);
    },
    email: async () => {
      const { id, token: owner } = await scenario.restaurant();
      const invite = (email: string) =>
        scenario.api.post(`/restaurants/${id}/invitations`, owner, { email, role: 'VIEWER' });
      const create = (email: string) =>
        scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner, {
          email,
          password: PASSWORD,
          role: 'VIEWER',
        });
      const domain = (labels: number) => Array.from({ length: labels }, () => letters(60)).join('.');
      for (const call of [create, invite]) {
        await call(`${letters(60)}@${domain(3)}.com`).expect(201);
        await call(`${letters(3_000)}@example.com`).expect(400);
        await call(`${letters(60)}@${domain(50)}.com`).expect(400);
      }
    },
    lastError: async () => {
      await scenario.settle(await sell(), 'DLQ', wide(2_000));
    },
  };

  test.each(Object.keys(SENDS) as Tested[])(
    'the longest %s can be stored, a longer one is refused or cut',
    async (field) => {
      await SENDS[field]();
      for (const [name, limit] of Object.entries(LIMITS).filter(([, { heldBy }]) => heldBy === field)) {
        const [table, text] = name.split(/\.(.*)/) as [string, string];
        const sql = `SELECT max(octet_length(${text})) AS bytes FROM ${table}`;
        const [row] = await scenario.database.query<{ bytes: number | null }>(sql);
        expect(row?.bytes).toBeGreaterThan(0);
        expect(row?.bytes).toBeLessThanOrEqual(limit.bytes);
      }
    },
  );
});
