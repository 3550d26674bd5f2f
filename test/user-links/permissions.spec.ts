import { createHash, randomUUID } from 'node:crypto';
import { hash } from 'bcrypt';
import { DayCloser } from '../../src/capabilities/days/day-closer.js';
import { packed } from '../../src/capabilities/terminal-files/reading/packed-records.js';
import { RESTAURANT_ROLES } from '../../src/domain/role.js';
import { digestOf, newCheckedToken } from '../../src/platform/secrets/token.js';
import type { Document, Method } from '../../tools/contract.js';
import { Browser } from '../capabilities/channels/browser.js';
import { Visitor } from '../capabilities/console/visitor.js';
import { checksMayBegin } from '../capabilities/doctor/checks-may-begin.js';
import { sale } from '../support/client.js';
import { type Caller, Scenario } from '../support/scenario.js';
import { marked } from '../support/secrets.js';
import { claimsIn, signToken } from '../support/tokens.js';
import { PASSWORD } from './people.js';
import { routesOf } from './routes.js';

const CALLERS = ['nobody', 'broken', 'expired', 'stranger', ...RESTAURANT_ROLES.toReversed(), 'platform'] as const;
type CallerName = (typeof CALLERS)[number];

/**
 * The status of every route for every caller: rule A17 row by row, then health, the admin area and the session of the console, which
 * takes a cookie instead of a token. The callers: no token, a token with a broken signature, an expired token, an OWNER of another
 * restaurant, the five roles, and a platform ADMIN without links.
 */
const TABLE = `
                                                                nobody broken expired stranger VIEWER EMPLOYEE MANAGER ADMIN OWNER platform
POST   /webhooks/terminal                                       401    401    401     400      400    400      400     400   200   400
POST   /auth/login                                              200    200    200     200      200    200      200     200   200   200
GET    /auth/me                                                 401    401    401     200      200    200      200     200   200   200
PATCH  /users/me/password                                       401    401    401     200      200    200      200     200   200   200
GET    /health                                                  200    200    200     200      200    200      200     200   200   200
POST   /restaurants                                             401    401    401     201      201    201      201     201   201   201
GET    /restaurants                                             401    401    401     200      200    200      200     200   200   200
GET    /restaurants/overview                                    401    401    401     200      200    200      200     200   200   200
GET    /restaurants/:id                                         401    401    401     403      200    200      200     200   200   403
GET    /restaurants/slug/:slug                                  401    401    401     404      200    200      200     200   200   404
PATCH  /restaurants/:id                                         401    401    401     403      403    403      403     200   200   403
DELETE /restaurants/:id                                         401    401    401     403      403    403      403     403   200   403
GET    /restaurants/:id/statistics                              401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:id/state                                   401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:restaurantId/live                          401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:restaurantId/takings.csv                   401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/days                          401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/days/check                    401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/days/:day                     401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/days/:day/close               401    401    401     403      403    403      201     201   201   403
POST   /restaurants/:restaurantId/terminal-files                401    401    401     403      403    403      201     201   201   403
GET    /restaurants/:restaurantId/refused-sales                 401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:restaurantId/refused-sales/:saleId         401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:restaurantId/terminal-files                401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/terminal-files/:fileId        401    401    401     403      403    403      200     200   200   403
DELETE /restaurants/:restaurantId/terminal-files/:fileId        401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/preview 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/confirm 401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/terminal-files/:fileId/differences 401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/terminal-files/:fileId/differences.csv 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/accept 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/refuse 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/enter 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/check 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/undo 401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/closings.csv                  401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/closings.json                 401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/check                         401    401    401     403      403    403      403     200   200   403
GET    /users/me/restaurants                                    401    401    401     200      200    200      200     200   200   200
POST   /users/me/restaurants/:id/accept                         401    401    401     404      200    200      200     200   200   404
GET    /users/me/notifications                                  401    401    401     200      200    200      200     200   200   200
PUT    /users/me/notifications                                  401    401    401     200      200    200      200     200   200   200
POST   /users/me/notifications/test                             401    401    401     202      202    202      202     202   202   202
POST   /users/me/notifications/confirm                          401    401    401     200      200    200      200     200   200   200
GET    /users/me/devices                                        401    401    401     200      200    200      200     200   200   200
POST   /users/me/devices                                        401    401    401     201      201    201      201     201   201   201
DELETE /users/me/devices/:id                                    401    401    401     200      200    200      200     200   200   200
GET    /restaurants/:restaurantId/alert-webhook                 401    401    401     403      403    403      403     200   200   403
PUT    /restaurants/:restaurantId/alert-webhook                 401    401    401     403      403    403      403     200   200   403
DELETE /restaurants/:restaurantId/alert-webhook                 401    401    401     403      403    403      403     200   200   403
GET    /restaurants/:restaurantId/users                         401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/user/:userId                  401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/users/create-and-link         401    401    401     403      403    403      403     201   201   403
POST   /restaurants/:restaurantId/users                         401    401    401     403      403    403      403     201   201   403
POST   /restaurants/:restaurantId/invitations                   401    401    401     403      403    403      403     201   201   403
GET    /restaurants/:restaurantId/invitations                   401    401    401     403      403    403      403     200   200   403
DELETE /restaurants/:restaurantId/invitations/:invitationId     401    401    401     403      403    403      403     200   200   403
POST   /invitations/read                                        200    200    200     200      200    200      200     200   200   200
POST   /invitations/accept                                      401    401    401     200      200    200      200     200   200   200
POST   /invitations/join                                        201    201    201     201      201    201      201     201   201   201
POST   /auth/password-links                                     202    202    202     202      202    202      202     202   202   202
POST   /auth/password-links/use                                 200    200    200     200      200    200      200     200   200   200
POST   /restaurants/:restaurantId/users/:userId/password-links  401    401    401     403      403    403      403     403   201   403
PATCH  /restaurants/:restaurantId/users/:userId/role            401    401    401     403      403    403      403     403   200   403
DELETE /restaurants/:restaurantId/users/:userId                 401    401    401     403      403    403      403     200   200   403
GET    /restaurants/:restaurantId/users/stats                   401    401    401     403      403    403      403     200   200   403
POST   /restaurants/:restaurantId/transfer-ownership            401    401    401     403      403    403      403     403   200   403
GET    /restaurants/:restaurantId/my-role                       401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:restaurantId/orders                        401    401    401     403      200    200      200     200   200   403
GET    /restaurants/:restaurantId/orders/:transactionKey        401    401    401     403      200    200      200     200   200   403
POST   /restaurants/:restaurantId/orders/:transactionKey/cancel 401    401    401     403      403    403      202     202   202   403
POST   /restaurants/:restaurantId/orders/:transactionKey/resend 401    401    401     403      403    403      202     202   202   403
POST   /restaurants/:restaurantId/orders/:transactionKey/entered 401    401    401     403      403    403      202     202   202   403
GET    /restaurants/:restaurantId/orders/:transactionKey/map    401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/orders/:transactionKey/map    401    401    401     403      403    403      202     202   202   403
GET    /restaurants/:restaurantId/codes                         401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/products                      401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/catalogue                     401    401    401     403      403    403      200     200   200   403
PUT    /restaurants/:restaurantId/catalogue                     401    401    401     403      403    403      403     200   200   403
DELETE /restaurants/:restaurantId/catalogue                     401    401    401     403      403    403      403     200   200   403
PUT    /restaurants/:restaurantId/codes/:kind/:terminalCode     401    401    401     403      403    403      403     200   200   403
DELETE /restaurants/:restaurantId/codes/:kind/:terminalCode     401    401    401     403      403    403      403     200   200   403
GET    /restaurants/:restaurantId/resend                        401    401    401     403      200    200      200     200   200   403
POST   /restaurants/:restaurantId/resend                        401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/pause                         401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/resume                        401    401    401     403      403    403      200     200   200   403
GET    /restaurants/:restaurantId/alerts                        401    401    401     403      200    200      200     200   200   403
POST   /restaurants/:restaurantId/alerts/:alertId/acknowledge   401    401    401     403      403    403      200     200   200   403
POST   /alerts/acknowledge                                      200    200    200     200      200    200      200     200   200   200
POST   /alerts/read                                             200    200    200     200      200    200      200     200   200   200
POST   /restaurants/:restaurantId/parked/resolve                401    401    401     403      403    403      200     200   200   403
POST   /restaurants/:restaurantId/parked/erase                  401    401    401     403      403    403      403     200   200   403
POST   /restaurants/:restaurantId/orders/:transactionKey/erase  401    401    401     403      403    403      403     403   409   403
POST   /restaurants/:restaurantId/printers                      401    401    401     403      403    403      403     201   201   403
GET    /restaurants/:restaurantId/printers                      401    401    401     403      403    403      403     200   200   403
DELETE /restaurants/:restaurantId/printers/:printerId           401    401    401     403      403    403      403     200   200   403
GET    /restaurants/:restaurantId/sender-keys                   401    401    401     403      403    403      403     200   200   403
POST   /restaurants/:restaurantId/sender-keys                   401    401    401     403      403    403      403     201   201   403
POST   /restaurants/:restaurantId/sender-keys/:keyId/rotate     401    401    401     403      403    403      403     201   201   403
DELETE /restaurants/:restaurantId/sender-keys/:keyId            401    401    401     403      403    403      403     200   200   403
GET    /restaurants/:restaurantId/pos-credentials               401    401    401     403      403    403      403     200   200   403
POST   /restaurants/:restaurantId/pos-credentials               401    401    401     403      403    403      403     201   201   403
POST   /restaurants/:restaurantId/pos-credentials/:credentialId/rotate 401    401    401     403      403    403      403     201   201   403
DELETE /restaurants/:restaurantId/pos-credentials/:credentialId 401    401    401     403      403    403      403     200   200   403
POST   /oauth/token                                             415    415    415     415      415    415      415     415   415   415
GET    /v1/events:polling                                       401    401    401     401      401    401      401     401   401   401
POST   /v1/events/acknowledgment                                401    401    401     401      401    401      401     401   401   401
GET    /v1/orders/:orderId                                      401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/confirm                              401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/requestCancellation                  401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/preparing                            401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/readyForPickup                       401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/dispatch                             401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/pickedUp                             401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/delivered                            401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/acceptCancellation                   401    401    401     401      401    401      401     401   401   401
POST   /v1/orders/:orderId/denyCancellation                     401    401    401     401      401    401      401     401   401   401
GET    /v1/versions/orderingApp                                 401    401    401     401      401    401      401     401   401   401
GET    /admin/sender-keys                                       401    401    401     403      403    403      403     403   403   200
POST   /admin/sender-keys                                       401    401    401     403      403    403      403     403   403   201
POST   /admin/sender-keys/:keyId/rotate                         401    401    401     403      403    403      403     403   403   201
DELETE /admin/sender-keys/:keyId                                401    401    401     403      403    403      403     403   403   200
POST   /webhooks/terminal/:keyId                                401    401    401     401      401    401      401     401   401   401
GET    /webhooks/terminal/receipts                              401    401    401     200      200    200      200     200   200   200
GET    /webhooks/terminal/receipts/:jobId                       401    401    401     404      404    404      404     404   404   404
GET    /webhooks/terminal/:keyId/receipts                       401    401    401     401      401    401      401     401   401   401
GET    /webhooks/terminal/:keyId/receipts/:jobId                401    401    401     401      401    401      401     401   401   401
POST   /print/:token                                            200    200    200     200      200    200      200     200   200   200
GET    /print/:token                                            404    404    404     404      404    404      404     404   404   404
DELETE /print/:token                                            200    200    200     200      200    200      200     200   200   200
GET    /health/live                                             200    200    200     200      200    200      200     200   200   200
GET    /health/ready                                            200    200    200     200      200    200      200     200   200   200
GET    /admin/metrics                                           401    401    401     403      403    403      403     403   403   200
GET    /admin/metrics/prometheus                                401    401    401     403      403    403      403     403   403   200
GET    /admin/jobs                                              401    401    401     403      403    403      403     403   403   200
GET    /admin/jobs/:jobId                                       401    401    401     403      403    403      403     403   403   200
GET    /admin/instances                                         401    401    401     403      403    403      403     403   403   200
GET    /admin/incidents                                         401    401    401     403      403    403      403     403   403   200
GET    /admin/parked                                            401    401    401     403      403    403      403     403   403   200
GET    /admin/throughput                                        401    401    401     403      403    403      403     403   403   200
GET    /admin/refusing                                          401    401    401     403      403    403      403     403   403   200
GET    /admin/alerts                                            401    401    401     403      403    403      403     403   403   200
POST   /admin/alerts/:alertId/acknowledge                       401    401    401     403      403    403      403     403   403   200
GET    /admin/orders                                            401    401    401     403      403    403      403     403   403   200
GET    /admin/orders/:ofRestaurant/:transactionKey              401    401    401     403      403    403      403     403   403   200
GET    /admin/audit                                             401    401    401     403      403    403      403     403   403   200
POST   /admin/jobs/reset                                        401    401    401     403      403    403      403     403   403   200
POST   /admin/users/:userId/password-links                      401    401    401     403      403    403      403     403   403   201
DELETE /admin/users/:userId/sessions                            401    401    401     403      403    403      403     403   403   200
GET    /restaurants/:restaurantId/audit                         401    401    401     403      403    403      403     403   200   403
POST   /console/session                                         200    200    200     200      200    200      200     200   200   200
GET    /console/session                                         401    401    401     200      200    200      200     200   200   200
DELETE /console/session                                         204    204    204     204      204    204      204     204   204   204
GET    /console/session/all                                     401    401    401     200      200    200      200     200   200   200
DELETE /console/session/others                                  401    401    401     200      200    200      200     200   200   200
PATCH  /console/session/password                                401    401    401     200      200    200      200     200   200   200
`;

/** A relay with every channel; nothing answers at the other end. */
const CHANNELS = {
  ...{ ALERT_CONTACT: 'mailto:operator@example.com', OUTBOUND_ALLOW: '127.0.0.0/8' },
  ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'relay@example.com' },
};
const { subscription } = new Browser('https://fcm.googleapis.com/x');

const ROWS = TABLE.trim()
  .split('\n')
  .slice(1)
  .map((line) => line.trim().split(/\s+/))
  .map(([method, path, ...statuses]) => ({ route: `${method} ${path}`, method, path, statuses }));

type Row = (typeof ROWS)[number];

/** Business days that are over. */
const [DAY, NEXT_DAY] = ['2026-11-20', '2026-11-21'];
/** A terminal's file. */
const FILE_RECORD = { line: 2, cells: ['2026-11-21 10:00', '1.00'] };
const FILE_MAPPING = {
  ...{
    reference: null,
    authorisation: null,
    terminal: null,
    time: null,
    debit: null,
    kind: null,
    tender: null,
    currency: null,
  },
  date: 0,
  amount: 1,
  decimal: 'point',
  dateOrder: 'YMD',
  zone: 'UTC',
  kinds: [],
};
/** each upload is another file */
let fileAmount = 1;
const ALERT_ID = randomUUID();
/** as long as a token without a checksum */
const ALERT_TOKEN = marked('token').padEnd(43, '_');

/** Parameter names do not matter: `:id` in the table may be `:restaurantId` in the router. */
const shape = (route: string) => route.replaceAll(/:\w+/g, ':');

describe('the status of every route for every caller (A17)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants', ...CHANNELS });
  let callers: Partial<Record<CallerName, Caller>>;
  let jobId: string;
  let passwordHash: string;
  let passwords = 0;
  /** the new password of the next password change */
  let nextPassword = marked('another password');

  beforeAll(async () => {
    passwordHash = await hash(PASSWORD, 4);
    callers = { stranger: (await scenario.restaurant()).owner, platform: await scenario.person('ADMIN') };
    for (const role of RESTAURANT_ROLES) callers[role] = await scenario.person();
    const { id } = await scenario.restaurant('OF-A-JOB');
    jobId = await scenario.relay.accept(sale({ storeCode: undefined, restaurantId: id }));
  });

  /** The token of this caller; `broken` and `expired` are made from the token of the OWNER. */
  function tokenOf(name: CallerName, owner: Caller, session = {}): string | undefined {
    if (name === 'nobody') return undefined;
    const { token } = callers[name] ?? owner;
    const changes = name === 'expired' ? { exp: Math.floor(Date.now() / 1_000) - 60 } : {};
    const signed = signToken(scenario.relay.config.jwtSecret, { ...claimsIn(token), ...session, ...changes });
    return name === 'broken' ? `${signed.slice(0, -6)}AAAAAA` : signed;
  }

  /** As {@link tokenOf}, with a new session of the console. */
  async function sessionOf(name: CallerName, owner: Caller): Promise<string | undefined> {
    const sid = randomUUID();
    await scenario.database.query(
      `INSERT INTO console_sessions (id, user_id, address, expires_at) VALUES ($1, $2, '127.0.0.1', now() + interval '1 day')`,
      [sid, (callers[name] ?? owner).id],
    );
    return tokenOf(name, owner, { sid });
  }

  /** Creates the rows that a call may change, so that each call has its own. */
  async function freshState() {
    const restaurantId = randomUUID();
    const [linked, unlinked] = [randomUUID(), randomUUID()].map((id) => ({ id, email: `${id}@example.com` })) as [
      { id: string; email: string },
      { id: string; email: string },
    ];
    const links = [...RESTAURANT_ROLES.map((role) => [callers[role]?.id, role]), [linked.id, 'VIEWER']];
    await scenario.database.query(
      `WITH fresh AS (INSERT INTO restaurants (id, name, slug) VALUES ($1::uuid, 'Fresh', 'r-' || $1::uuid)),
            two AS (INSERT INTO users (id, email, password_hash) SELECT id, id || '@example.com', $2 FROM unnest($3::uuid[]) id)
       INSERT INTO user_restaurants (id, restaurant_id, user_id, role)
       SELECT gen_random_uuid(), $1::uuid, * FROM unnest($4::uuid[], $5::restaurant_role[])`,
      [restaurantId, passwordHash, [linked.id, unlinked.id], links.map(([id]) => id), links.map(([, role]) => role)],
    );
    const [invitationId, token] = [randomUUID(), `inv_${marked(randomUUID()).padEnd(43, 'x').slice(0, 43)}`];
    const [printerId, printerToken] = [randomUUID(), newCheckedToken('prn_')];
    await scenario.database.query(
      `INSERT INTO printers (id, restaurant_id, name, token_hash) VALUES ($1, $2, 'Kitchen', $3)`,
      [printerId, restaurantId, digestOf(printerToken)],
    );
    const keyId = randomUUID();
    await scenario.database.query(
      `INSERT INTO sender_keys (id, restaurant_id, name, kind, key_id, token_hash, scopes)
       SELECT $1::uuid, $2::uuid, 'Bar', 'TOKEN', left($1::uuid::text, 8), $1::uuid::text, '{sales:write}'`,
      [keyId, restaurantId],
    );
    await scenario.database.query(
      `INSERT INTO pos_credentials (id, restaurant_id, name, secret_hash) VALUES ($1, $2, 'Till', 'x')`,
      [keyId, restaurantId],
    );
    const fileId = randomUUID();
    return { restaurantId, linked, unlinked, invitationId, token, printerId, printerToken, keyId, fileId };
  }

  /** Creates an invitation of this email, sent by the OWNER of this restaurant. */
  async function invited(email: string, restaurantId: string, { invitationId, token }: State): Promise<void> {
    await scenario.database.query(
      `INSERT INTO invitations (id, restaurant_id, email, role, token_hash, inviter_id, expires_at)
       SELECT $1, restaurant_id, $2, 'VIEWER', encode(sha256($3::bytea), 'hex'), id, now() + interval '1 day'
       FROM user_restaurants WHERE restaurant_id = $4 AND role = 'OWNER'`,
      [invitationId, email, token, restaurantId],
    );
  }

  /** The person has accepted the link, and has a link to a new password. */
  async function withPasswordLink({ restaurantId, linked, token }: State): Promise<void> {
    await scenario.database.query('UPDATE user_restaurants SET accepted_at = now() WHERE restaurant_id = $1', [
      restaurantId,
    ]);
    await scenario.database.query(
      `INSERT INTO password_links (user_id, token_hash, token_version, expires_at)
       VALUES ($1, encode(sha256($2::bytea), 'hex'), 0, now() + interval '1 hour')`,
      [linked.id, token],
    );
  }

  /** Stores a sale of this restaurant. @returns its transactionKey */
  async function sold(restaurantId: string): Promise<string> {
    const event = sale({ storeCode: undefined, restaurantId });
    await scenario.relay.accept(event);
    return String(event.transactionKey);
  }

  /** Parks the orders of this restaurant. */
  async function park(restaurantId: string): Promise<void> {
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ' WHERE restaurant_id = $1 AND status = 'PENDING'`,
      [restaurantId],
    );
  }

  /** The POS has refused the orders of this restaurant. */
  async function refuse(restaurantId: string): Promise<void> {
    await scenario.database.query(
      `UPDATE outbox_jobs SET status = 'DLQ', cause = 'refused', last_error = 'HTTP 422' WHERE restaurant_id = $1 AND status = 'PENDING'`,
      [restaurantId],
    );
  }

  /** The restaurant has a code. */
  async function withCode(restaurantId: string): Promise<void> {
    await scenario.database.query(
      `INSERT INTO pos_codes (restaurant_id, kind, terminal_code, pos_code) VALUES ($1, 'ITEM', 'A', 'P-1') ON CONFLICT DO NOTHING`,
      [restaurantId],
    );
  }

  /** The restaurant has a catalogue. */
  async function withCatalogue(restaurantId: string): Promise<void> {
    await scenario.database.query(
      `WITH begun AS (INSERT INTO pos_catalogues (restaurant_id, products, code_digests) VALUES ($1, 0, '') RETURNING id)
       UPDATE restaurants SET catalogue_id = begun.id FROM begun WHERE restaurants.id = $1`,
      [restaurantId],
    );
  }

  /** One day of this restaurant is closed. */
  async function withDays(restaurantId: string): Promise<void> {
    await scenario.database.query('UPDATE restaurants SET days_since = $2 WHERE id = $1', [restaurantId, DAY]);
    await scenario.relay.get(DayCloser).closeByItself(restaurantId, DAY);
  }
  type State = Awaited<ReturnType<typeof freshState>>;
  /** the rows for the next call; undefined after a call that may have changed them */
  let unchanged: State | undefined;

  function bodyOf(
    route: string,
    caller: Caller | undefined,
    { restaurantId, linked, unlinked, token }: State,
  ): unknown {
    const password = PASSWORD;
    const newPassword = { currentPassword: caller?.password ?? password, newPassword: nextPassword };
    const bodies: Record<string, unknown> = {
      'POST /webhooks/terminal': sale({ storeCode: undefined, restaurantId }),
      'POST /auth/login': { email: linked.email, password },
      'POST /console/session': { email: linked.email, password },
      'PATCH /users/me/password': newPassword,
      'PATCH /console/session/password': newPassword,
      'POST /restaurants': { name: 'Osteria' },
      'PATCH /restaurants/:id': { address: 'Via Appia 1' },
      'POST /restaurants/:restaurantId/users/create-and-link': {
        email: `${randomUUID()}@example.com`,
        password,
        role: 'VIEWER',
      },
      'POST /restaurants/:restaurantId/users': { userId: unlinked.id, role: 'VIEWER' },
      'PATCH /restaurants/:restaurantId/users/:userId/role': { role: 'EMPLOYEE' },
      'POST /restaurants/:restaurantId/transfer-ownership': { newOwnerId: linked.id },
      'POST /restaurants/:restaurantId/invitations': { email: `${randomUUID()}@example.com`, role: 'VIEWER' },
      'POST /invitations/read': { token },
      'POST /invitations/accept': { token },
      'POST /invitations/join': { token, password },
      'POST /auth/password-links': { email: unlinked.email },
      'POST /auth/password-links/use': { token, password },
      'POST /admin/jobs/reset': { restaurantId },
      'POST /restaurants/:restaurantId/resend': {},
      'POST /restaurants/:restaurantId/pause': { reason: 'too much to do' },
      'POST /restaurants/:restaurantId/resume': {},
      'POST /alerts/acknowledge': { token: ALERT_TOKEN },
      'POST /alerts/read': { token: ALERT_TOKEN },
      'PUT /users/me/notifications': { push: true, mail: true, language: 'en', always: false },
      'POST /users/me/notifications/test': { channel: 'mail' },
      'POST /users/me/notifications/confirm': { token },
      'POST /users/me/devices': subscription,
      'PUT /restaurants/:restaurantId/alert-webhook': { url: 'http://127.0.0.1:9/' },
      'POST /restaurants/:restaurantId/parked/resolve': { reason: 'entered by hand' },
      'POST /restaurants/:restaurantId/parked/erase': {},
      'POST /restaurants/:restaurantId/terminal-files/:fileId/preview': FILE_MAPPING,
      'POST /restaurants/:restaurantId/terminal-files/:fileId/confirm': FILE_MAPPING,
      'POST /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/accept': { transactionKey: 'T-1' },
      'POST /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/refuse': { transactionKey: 'T-1' },
      'POST /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/enter': { note: 'by hand' },
      'POST /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/check': {},
      'POST /restaurants/:restaurantId/terminal-files/:fileId/rows/:line/undo': {},
      'POST /restaurants/:restaurantId/printers': { name: 'Kitchen' },
      'PUT /restaurants/:restaurantId/codes/:kind/:terminalCode': { posCode: 'P-1' },
      'POST /restaurants/:restaurantId/orders/:transactionKey/map': {
        items: [{ terminalCode: 'PZ-01', posCode: 'P-1' }],
      },
      'POST /restaurants/:restaurantId/sender-keys': { name: 'Bar', kind: 'TOKEN' },
      'POST /admin/sender-keys': { name: 'Bar', kind: 'TOKEN' },
      'POST /restaurants/:restaurantId/pos-credentials': { name: 'Till' },
    };
    return bodies[route];
  }

  /** A terminal's file of this restaurant, with a row that this route may decide. */
  async function withFile(path: string, { restaurantId, fileId }: State): Promise<void> {
    const isOpen = /:fileId(\/preview|\/confirm)?$/.test(path);
    const [confirmedAt, content] = isOpen ? [null, await packed([FILE_RECORD])] : ['2026-11-21', null];
    const [answer, key] = path.endsWith('/enter')
      ? ['MISSING_HERE', null]
      : [path.endsWith('/check') ? 'AMOUNT_DIFFERS' : 'SUGGESTED', 'T-1'];
    await scenario.database.query('DELETE FROM terminal_files WHERE id = $1', [fileId]);
    await scenario.database.query(
      `INSERT INTO terminal_files (id, restaurant_id, name, sha256, bytes, rows, columns, header_line, delimiter, encoding, mapping, content,
         confirmed_at, matched_at, from_day, to_day)
       VALUES ($1, $2, 'file.csv', $3, 1, 1, '{date,amount}', 1, ',', 'utf-8', $4, $5, $6::timestamptz, $6::timestamptz, $6::date, $6::date)`,
      [fileId, restaurantId, createHash('sha256').update(fileId).digest('hex'), FILE_MAPPING, content, confirmedAt],
    );
    if (!isOpen)
      await scenario.database.query(
        `INSERT INTO terminal_file_rows (file_id, line, restaurant_id, kind, cents, at, answer, event_key, refused)
         VALUES ($1, 2, $2, 'SALE', 100, '2026-11-21', $3, $4, '{T-0}')`,
        [fileId, restaurantId, answer, key],
      );
  }

  /** A sale that was refused because its key was used before. */
  async function withRefusedSale({ restaurantId, fileId }: State): Promise<void> {
    await scenario.database.query(
      `INSERT INTO refused_sales (id, restaurant_id, transaction_key, digest, differs, net_cents, payload)
       VALUES ($1, $2, 'T-1', $3, '{items}', 100, '{"transactionKey": "T-1"}') ON CONFLICT DO NOTHING`,
      [fileId, restaurantId, createHash('sha256').update(fileId).digest('hex')],
    );
  }

  /** An open alert with a message to this user, an EMPLOYEE of the restaurant. */
  async function raise(restaurantId: string | null, userId: string): Promise<void> {
    const { database } = scenario;
    await database.query('DELETE FROM alerts');
    await database.query(
      `INSERT INTO alerts (id, restaurant_id, kind, dedup_key, count) VALUES ($1, $2, 'ORDER_LATE', 'key', 1)`,
      [ALERT_ID, restaurantId],
    );
    await database.query(
      `UPDATE user_restaurants SET accepted_at = now(), role = 'MANAGER' WHERE user_id = $1 AND restaurant_id = $2`,
      [userId, restaurantId],
    );
    await database.query(
      `INSERT INTO notifications (id, alert_id, step, channel, recipient, user_id, state, claimed_at, token_hash)
       VALUES (gen_random_uuid(), $1, 0, 'mail', 'user', $2, 'SENT', now(), encode(sha256($3::bytea), 'hex'))`,
      [ALERT_ID, userId, ALERT_TOKEN],
    );
  }

  /** A device with the id of the restaurant, a test message with this token a minute ago, and a webhook of the restaurant. */
  async function withChannels(userId: string | undefined, { restaurantId, token }: State): Promise<void> {
    await scenario.database.query(
      `WITH device AS (
         INSERT INTO devices (id, user_id, endpoint, endpoint_digest, p256dh, auth) SELECT $1, $2::uuid, $3, $3, '', '' WHERE $2 IS NOT NULL
         ON CONFLICT (id) DO UPDATE SET user_id = $2::uuid),
       webhook AS (
         INSERT INTO alert_webhooks (restaurant_id, url, secret) VALUES ($1, 'http://127.0.0.1:9/', '') ON CONFLICT DO NOTHING)
       INSERT INTO notification_preferences (user_id, mail_confirm_hash, mail_confirm_until)
       SELECT $2::uuid, encode(sha256($4::bytea), 'hex'), now() + interval '1 hour' WHERE $2 IS NOT NULL
       ON CONFLICT (user_id) DO UPDATE SET mail_tested_at = NULL, mail_confirm_hash = excluded.mail_confirm_hash,
         mail_confirm_until = excluded.mail_confirm_until`,
      [restaurantId, userId ?? null, randomUUID(), token],
    );
  }

  async function knock(name: CallerName, { route, method = '', path = '' }: Row, atConsole = false): Promise<number> {
    const state = unchanged ?? (await freshState());
    unchanged = undefined;
    const address = path
      .replace(/:(id|restaurantId|ofRestaurant)\b/, state.restaurantId)
      .replace(':userId', state.linked.id)
      .replace(':invitationId', state.invitationId)
      .replace(':printerId', state.printerId)
      .replace(':keyId', state.keyId)
      .replace(':credentialId', state.keyId)
      .replace(':orderId', state.keyId)
      .replace('/print/:token', `/print/${state.printerToken}`)
      .replace(':slug', `r-${state.restaurantId}`)
      .replace(':fileId', state.fileId)
      .replace(':saleId', state.fileId)
      .replace(':line', '2')
      .replace(':kind/:terminalCode', 'ITEM/A')
      .replace(':jobId', jobId)
      .replace(':day', path.endsWith('/close') ? NEXT_DAY : DAY)
      .replace(':alertId', ALERT_ID)
      .replace(':transactionKey', path.includes(':transactionKey') ? await sold(state.restaurantId) : '')
      .concat(path === '/admin/orders' ? '?q=1' : '');
    if (path.includes(':day')) await withDays(state.restaurantId);
    if (path.includes(':fileId')) await withFile(path, state);
    if (path.includes(':saleId')) await withRefusedSale(state);
    if (path.endsWith('/resume'))
      await scenario.database.query(
        `UPDATE restaurants SET paused_at = now(), paused_until = now() + interval '1 hour', pause_reason = 'full', paused_by = 'o@example.com' WHERE id = $1`,
        [state.restaurantId],
      );
    if (path.endsWith('/resend')) await park(state.restaurantId);
    if (path.endsWith('/map')) await refuse(state.restaurantId);
    if (path.includes('/codes/')) await withCode(state.restaurantId);
    if (path.endsWith('/catalogue')) await withCatalogue(state.restaurantId);
    if (path.endsWith('/acknowledge') || path === '/alerts/read')
      await raise(path.startsWith('/admin') ? null : state.restaurantId, state.linked.id);
    if (path.startsWith('/admin/sender-keys'))
      // the platform's only key
      await scenario.database.query(
        `WITH former AS (DELETE FROM sender_keys WHERE restaurant_id IS NULL)
         UPDATE sender_keys SET restaurant_id = NULL WHERE id = $1`,
        [state.keyId],
      );
    const owner = callers.OWNER as Caller;
    const called = method.toLowerCase() as Method;
    if (/\/(notifications|devices|alert-webhook)\b/.test(path)) await withChannels(callers[name]?.id, state);
    if (path.includes('password-links')) await withPasswordLink(state);
    if (path.endsWith('/check')) checksMayBegin(scenario.relay);
    // the callers are linked to the fresh restaurant already: they are invited to another one
    const inviting = path === '/invitations/accept' ? await scenario.restaurant() : { id: state.restaurantId };
    const email = path === '/invitations/accept' ? callers[name]?.email : undefined;
    if (path.includes('invitation')) await invited(email ?? `${randomUUID()}@example.com`, inviting.id, state);
    const body = bodyOf(route, callers[name], state);
    const token = atConsole || path.startsWith('/console/') ? await sessionOf(name, owner) : undefined;
    const visitor = Visitor.of(scenario.relay, token && `relay_session=${token}`);
    const isFile = /\/(terminal-files|catalogue)$/.test(path) && /POST|PUT/.test(method);
    const sent = <Asked extends { type: (type: string) => Asked; send: (text: string) => Asked }>(asked: Asked) =>
      isFile
        ? asked.type('text/csv').send(`date,amount,code,name\r\n2026-11-21 10:00,${fileAmount++}.00,A,B\r\n`)
        : asked;
    const { status } = path.startsWith('/console/')
      ? await visitor.ask(called, address, body)
      : atConsole
        ? await sent(visitor.call(called, address, body))
        : await sent(scenario.api[called](address, tokenOf(name, owner), body));
    const changed = status < 400 && method !== 'GET';
    if (!changed && !/invitation|password-links/.test(path)) unchanged = state;
    return status;
  }

  /** Signs in again: a password change has ended the caller's token. */
  async function renew(name: CallerName): Promise<void> {
    const person = callers[name];
    if (person) callers[name] = await scenario.signIn({ ...person, password: nextPassword });
    nextPassword = marked(`password ${++passwords}`);
  }

  test('the table has every route of the application, and no other', () => {
    const rows = ROWS.map(({ route }) => shape(route));
    expect(new Set(rows).size).toBe(rows.length);
    expect(routesOf(scenario.relay.app).map(shape).sort()).toEqual(rows.sort());
  });

  test('the OpenAPI document has every route of the application, and no other', async () => {
    const document: Document = (await scenario.api.get('/docs-json').expect(200)).body;
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(documented.sort()).toEqual(routesOf(scenario.relay.app).sort());
  });

  test.each(ROWS)('$route', async (row) => {
    const { path = '', statuses } = row;
    expect(statuses).toHaveLength(CALLERS.length);
    const expected = Object.fromEntries(CALLERS.map((name, i) => [name, Number(statuses[i])]));
    const got: Record<string, number> = {};
    for (const name of CALLERS) {
      got[name] = await knock(name, row);
      if (path.endsWith('/password') && got[name] === 200) await renew(name);
    }
    expect(got).toEqual(expected);
  });

  /** By cookie, two callers of each row: the last one that is allowed, and the stranger or, where the stranger is allowed, nobody. */
  const atConsole = ROWS.filter(({ path = '' }) => !path.startsWith('/console/') && path !== '/auth/login').map(
    (row) => {
      const isAllowed = (name: CallerName) => Number(row.statuses[CALLERS.indexOf(name)]) < 400;
      return {
        ...row,
        // no caller has a ticket to read
        allowed: CALLERS.findLast(isAllowed) ?? ('OWNER' satisfies CallerName),
        refused: isAllowed('stranger') ? 'nobody' : 'stranger',
      } as const;
    },
  );

  test.each(atConsole)(
    '$route, by the cookie of the console: as by the token for $allowed and $refused; nobody: 401 (N2)',
    async ({ allowed, refused, ...row }) => {
      const statusOf = (name: CallerName) => (name === 'nobody' ? 401 : Number(row.statuses[CALLERS.indexOf(name)]));
      const got = [await knock(allowed, row, true), await knock(refused, row, true)];
      if (row.path?.endsWith('/password')) await renew(allowed);
      expect(got).toEqual([statusOf(allowed), statusOf(refused)]);
    },
  );
});
