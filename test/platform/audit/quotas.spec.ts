import { Passwords } from '../../../src/auth/passwords.js';
import { type AuditAction, DAILY_QUOTAS } from '../../../src/platform/audit/actions.js';
import { OldRows } from '../../../src/platform/schedule/old-rows.js';
import type { Document } from '../../../tools/contract.js';
import { type Caller, Scenario } from '../../support/scenario.js';
import { marked } from '../../support/secrets.js';
import { PASSWORD } from '../../user-links/people.js';

/** The operations by which a user does each act that has a quota. */
const OPERATIONS: Record<string, readonly string[]> = {
  'pos_credential.created': ['post /restaurants/{restaurantId}/pos-credentials'],
  'pos_credential.rotated': ['post /restaurants/{restaurantId}/pos-credentials/{id}/rotate'],
  'restaurant.created': ['post /restaurants'],
  'restaurant.changed': ['patch /restaurants/{restaurantId}'],
  'restaurant.paused': ['post /restaurants/{restaurantId}/pause'],
  'restaurant.resumed': ['post /restaurants/{restaurantId}/resume'],
  'restaurant.credentials_changed': ['patch /restaurants/{restaurantId}'],
  'restaurant.alert_webhook_set': ['put /restaurants/{restaurantId}/alert-webhook'],
  'user.linked': [
    'post /restaurants/{restaurantId}/users',
    'post /restaurants/{restaurantId}/users/create-and-link',
    'post /invitations/accept',
    'post /invitations/join',
  ],
  'user.invited': ['post /restaurants/{restaurantId}/invitations'],
  'user.password_link_made': [
    'post /restaurants/{restaurantId}/users/{userId}/password-links',
    'post /admin/users/{userId}/password-links',
  ],
  'auth.password_replaced': ['post /auth/password-links/use'],
  'user.role_changed': ['patch /restaurants/{restaurantId}/users/{userId}/role'],
  'catalogue.replaced': ['put /restaurants/{restaurantId}/catalogue'],
  'catalogue.removed': ['delete /restaurants/{restaurantId}/catalogue'],
  'code.set': ['put /restaurants/{restaurantId}/codes/{kind}/{terminalCode}'],
  'code.removed': ['delete /restaurants/{restaurantId}/codes/{kind}/{terminalCode}'],
  'order.mapped': ['post /restaurants/{restaurantId}/orders/{transactionKey}/map'],
  'printer.added': ['post /restaurants/{restaurantId}/printers'],
  'sender_key.created': ['post /restaurants/{restaurantId}/sender-keys'],
  'sender_key.rotated': ['post /restaurants/{restaurantId}/sender-keys/{id}/rotate'],
  'terminal_file.confirmed': ['post /restaurants/{restaurantId}/terminal-files/{fileId}/confirm'],
  'terminal_file.read_again': ['post /restaurants/{restaurantId}/terminal-files/{fileId}/confirm'],
  'terminal_file.decision_undone': ['post /restaurants/{restaurantId}/terminal-files/{fileId}/rows/{line}/undo'],
  'terminal_file.taken_back': ['delete /restaurants/{restaurantId}/terminal-files/{fileId}'],
  'terminal_file.removed': ['delete /restaurants/{restaurantId}/terminal-files/{fileId}'],
  'order.entered': ['post /restaurants/{restaurantId}/orders/{transactionKey}/entered'],
  'order.resent': ['post /restaurants/{restaurantId}/orders/{transactionKey}/resend'],
  'jobs.reset': ['post /restaurants/{restaurantId}/resend'],
  'ownership.transferred': ['post /restaurants/{restaurantId}/transfer-ownership'],
  'auth.password_changed': ['patch /users/me/password', 'patch /console/session/password'],
};

describe('what a user does at most within 24 hours (A35)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });

  /** Entries of this user, as if the user had done so `hours` ago. */
  const done = ({ id, email }: Caller, action: string, times: number, hours: number) =>
    scenario.database.query(
      `INSERT INTO audit_entries (id, at, actor_id, actor_email, action)
       SELECT gen_random_uuid(), now() - $5::float8 * interval '1 hour', $1::uuid, $2, $3 FROM generate_series(1, $4::int)`,
      [id, email, action, times, hours],
    );
  const found = ({ token }: Caller) => scenario.api.post('/restaurants', token, { name: 'Roma' });
  const quotaOf = (action: string) => DAILY_QUOTAS.get(action as AuditAction) as number;
  const most = quotaOf('restaurant.created');

  test('the 201st restaurant is a 429 with Retry-After, a day later it is founded (A35, L152)', async () => {
    const person = await scenario.person();
    await done(person, 'restaurant.created', most - 1, 23);
    await found(person).expect(201);
    const { body, headers } = await found(person).expect(429);
    expect(body.code).toBe('QUOTA_REACHED');
    const seconds = Number(headers['retry-after']);
    expect([seconds > 0, seconds <= 3_600]).toEqual([true, true]);
    await scenario.api.get('/restaurants', person.token).expect(200);
    const other = await scenario.person();
    await done(other, 'restaurant.created', most, 24.1);
    await found(other).expect(201);
  });

  test('the document names the 429 of each act that has a quota (A35, H15)', async () => {
    expect(Object.keys(OPERATIONS).toSorted()).toEqual([...DAILY_QUOTAS.keys()].toSorted());
    const document: Document = (await scenario.api.get('/docs-json').expect(200)).body;
    const unnamed = Object.values(OPERATIONS)
      .flat()
      .filter((operation) => {
        const [method = '', path = ''] = operation.split(' ');
        const { description } = document.paths[path]?.[method as 'get']?.responses['429'] ?? {};
        return !description?.includes('QUOTA_REACHED');
      });
    expect(unnamed).toEqual([]);
  });

  test('platform administrators have none (A35)', async () => {
    const admin = await scenario.person('ADMIN');
    await done(admin, 'restaurant.created', most, 1);
    await found(admin).expect(201);
  });

  test('accounts and invitations have one; nothing is made beyond it; the account has the id of its creator (A35)', async () => {
    const { id, owner } = await scenario.restaurant();
    const make = (email: string) =>
      scenario.api.post(`/restaurants/${id}/users/create-and-link`, owner.token, {
        email,
        password: PASSWORD,
        role: 'VIEWER',
      });
    const invite = (email: string) =>
      scenario.api.post(`/restaurants/${id}/invitations`, owner.token, { email, role: 'VIEWER' });
    const [made, refused, joined] = [1, 2, 3].map(() => `${crypto.randomUUID()}@example.com`) as [
      string,
      string,
      string,
    ];
    await make(made).expect(201);
    const { body } = await invite(joined).expect(201);
    await scenario.api.post('/invitations/join', undefined, { token: body.data.token, password: PASSWORD }).expect(201);
    await done(owner, 'user.linked', 500, 2);
    await done(owner, 'user.invited', 500, 2);
    const hash = jest.spyOn(scenario.relay.get(Passwords), 'hash');
    expect((await make(refused).expect(429)).body.code).toBe('QUOTA_REACHED');
    // before the costly part
    expect(hash).not.toHaveBeenCalled();
    hash.mockRestore();
    expect((await invite(refused).expect(429)).body.code).toBe('QUOTA_REACHED');
    const users = await scenario.database.query('SELECT email, created_by FROM users WHERE email = ANY ($1)', [
      [made, refused, joined],
    ]);
    expect(users).toEqual(expect.arrayContaining([made, joined].map((email) => ({ email, created_by: owner.id }))));
    expect(users).toHaveLength(2);
  });

  test.each([
    ['ownership.transferred', (id: string) => `/restaurants/${id}/transfer-ownership`, 200],
    ['jobs.reset', (id: string) => `/restaurants/${id}/resend`, 200],
  ] as const)('%s has one, although its object stays one (A35)', async (action, path, status) => {
    const { id, owner, sell } = await scenario.store();
    const next = await scenario.staff(id, 'ADMIN');
    const body = action === 'jobs.reset' ? { since: '2020-01-01T00:00:00Z' } : { newOwnerId: next.id };
    const parked = async () => scenario.settle(await sell(), 'DLQ', 'unknown product X1');
    const most = quotaOf(action);
    await parked();
    await done(owner, action, most - 1, 1);
    await scenario.api.post(path(id), owner.token, body).expect(status);
    if (action === 'ownership.transferred')
      await scenario.api.post(path(id), next.token, { newOwnerId: owner.id }).expect(200);
    await parked();
    const refused = await scenario.api.post(path(id), owner.token, body).expect(429);
    expect(refused.body.code).toBe('QUOTA_REACHED');
  });

  test('a password is changed 50 times within 24 hours (A35)', async () => {
    const person = await scenario.person();
    await done(person, 'auth.password_changed', 50, 1);
    const body = { currentPassword: person.password, newPassword: marked('another password') };
    expect((await scenario.api.patch('/users/me/password', person.token, body).expect(429)).body.code).toBe(
      'QUOTA_REACHED',
    );
    await scenario.relay.login(person);
  });

  test('a sign-in has an entry, the 21st of a minute has none, and the next minute counts it (L153)', async () => {
    const person = await scenario.people.user();
    for (let i = 0; i < 22; i++) await scenario.relay.login(person);
    const entries = await scenario.database.query('SELECT details FROM audit_entries WHERE actor_email = $1', [
      person.email,
    ]);
    expect(entries).toHaveLength(20);
  });
});

describe('old rows are removed (R58)', () => {
  const scenario = Scenario.ofSuite();

  test('keys and credentials of a POS that ended 90 days ago, and files that were confirmed 400 days ago with their rows, and orders of which a POS said nothing for 48 hours; nothing else (R58)', async () => {
    const { id } = await scenario.restaurant();
    const { database } = scenario;
    await database.query(
      `INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes, revoked_at, expires_at)
       SELECT gen_random_uuid(), $1::uuid, name, 'TOKEN', rpad(name, 8, '0'), name, '{sales:write}', now() - revoked * interval '1 day',
              now() - expired * interval '1 day'
       FROM (VALUES ('revoked', 91, NULL::int), ('expired', NULL, 91), ('both', 91, -5), ('kept', 89, NULL), ('late', NULL, 89),
                    ('live', NULL, -1), ('endless', NULL, NULL)) AS keys (name, revoked, expired)`,
      [id],
    );
    await database.query(
      `WITH files AS (
         INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, mapping,
                                     content, confirmed_at, matched_at, from_day, to_day)
         SELECT gen_random_uuid(), $1::uuid, name, encode(sha256(name::bytea), 'hex'), 1, 1, '{}', 1, ',', 'utf-8', '{}',
                CASE WHEN days IS NULL THEN ''::bytea END, now() - days * interval '1 day', now() - days * interval '1 day',
                CASE WHEN days IS NOT NULL THEN current_date END, CASE WHEN days IS NOT NULL THEN current_date END
         FROM (VALUES ('old', 401), ('recent', 399), ('open', NULL)) AS files (name, days)
         RETURNING id, name)
       INSERT INTO terminal_file_rows (file_id, line, restaurant_id, answer)
       SELECT id, line, $1::uuid, 'IGNORED' FROM files, generate_series(1, CASE name WHEN 'old' THEN 4500 ELSE 1 END) line WHERE name <> 'open'`,
      [id],
    );
    await database.query(
      `INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash, revoked_at, expires_at)
       SELECT gen_random_uuid(), $1::uuid, name, name, now() - revoked * interval '1 day', now() - expired * interval '1 day'
       FROM (VALUES ('revoked', 91, NULL::int), ('expired', NULL, 91), ('kept', 89, NULL), ('live', NULL, -1)) AS ended (name, revoked, expired)`,
      [id],
    );
    await database.query(
      `INSERT INTO unheard_orders SELECT gen_random_uuid(), $1::uuid, now() - hours * interval '1 hour' FROM (VALUES (47), (49)) AS sent (hours)`,
      [id],
    );
    await scenario.relay.get(OldRows).remove();
    const names = async (table: string) =>
      (await database.query<{ name: string }>(`SELECT name FROM ${table} ORDER BY name`)).map(({ name }) => name);
    expect(await names('sender_keys')).toEqual(['endless', 'kept', 'late', 'live']);
    expect(await names('pos_credentials')).toEqual(['kept', 'live']);
    expect(await names('terminal_files')).toEqual(['open', 'recent']);
    expect(await database.query('SELECT FROM unheard_orders')).toHaveLength(1);
    expect(await database.query('SELECT count(*)::int AS rows FROM terminal_file_rows')).toEqual([{ rows: 1 }]);
  });
});
