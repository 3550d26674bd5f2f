import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Receipt, Receipts } from '../../tools/demo/receipts.js';
import { Terminal } from '../../tools/demo/terminal.js';
import { signatureOf } from '../auth/sender-keys/keys.js';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const ANSWERS: Record<string, [status: number, body: object]> = {
  '/auth/login': [200, { access_token: 'jwt' }],
  '/restaurants': [201, { data: { id: 'r1' } }],
  '/restaurants/r1/sender-keys': [201, { data: { keyId: '7Hq2mZx9', secret: SECRET, token: 'rly_token' } }],
};
const LOST = 'lost';
const STORED = [200, { success: true, jobId: 'j1' }] as const;
const DUPLICATE = [400, { code: 'DUPLICATE_TRANSACTION', jobId: 'j1' }] as const;

type Reply = readonly [status: number, body: object, retryAfter?: string] | typeof LOST;

/** A relay whose answers the test decides. */
class Door {
  /** what it answers next; then that the sale is stored */
  replies: Reply[] = [];
  readonly received: { path: string; body: string; isSigned: boolean }[] = [];
  readonly asked: { url: string; authorization: string | undefined }[] = [];
  readonly keys: object[] = [];
  private readonly server: Server = createServer(async (incoming, outgoing) => {
    const { url = '', headers } = incoming;
    const body = await text(incoming);
    if (url.endsWith('/sender-keys')) this.keys.push(JSON.parse(body));
    const known = ANSWERS[url];
    const reply = known ?? this.replies.shift() ?? STORED;
    const isQuestion = url.startsWith('/webhooks/terminal/receipts');
    if (isQuestion) this.asked.push({ url, authorization: headers.authorization });
    else if (!known) {
      const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
      const isSigned = headers['webhook-signature'] === signatureOf(SECRET, id, time, body);
      this.received.push({ path: url, body, isSigned });
    }
    if (reply === LOST) return void outgoing.destroy();
    const [status, answer, retryAfter] = reply;
    const more = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
    outgoing.writeHead(status, { 'Content-Type': 'application/json', ...more }).end(JSON.stringify(answer));
  });

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  open(): Promise<void> {
    return new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const login = { email: 'owner@roma.example', password: 'a-password' };
const partner = { posIdPartner: 'partner', posSecret: 'secret' };

describe('the terminal of the demo', () => {
  let door: Door;
  /** in ms, as the terminal would have waited */
  let pauses: number[];
  let terminal: Terminal;

  beforeEach(async () => {
    door = new Door();
    await door.open();
    pauses = [];
    terminal = await Terminal.install(door.url, login, 'token', partner, async (ms) => pauses.push(ms));
  });
  afterEach(() => door.close());

  const one = {
    path: '/webhooks/terminal/7Hq2mZx9',
    body: '{"transactionKey":"SALE-1","totalAmount":5}',
    isSigned: true,
  };
  const send = (...replies: Reply[]) => {
    door.replies = replies;
    return terminal.send({ transactionKey: 'SALE-1', totalAmount: 5 }, 'signed');
  };

  test('its keys: one signs sales, and may read receipts; the token of the other reads receipts alone', () => {
    expect(door.keys).toEqual([
      { name: 'Terminals', kind: 'SIGNING', scopes: ['sales:write', 'receipts:read'] },
      { name: 'Receipts', kind: 'TOKEN', scopes: ['receipts:read'] },
    ]);
  });

  test('it signs a sale by the key of its restaurant, and repeats it with the same body after a 503', async () => {
    expect((await send([503, {}])).status).toBe(200);
    expect(door.received).toEqual([one, one]);
    expect(pauses).toEqual([1_000]);
  });

  test('Retry-After makes it wait longer than its own pause, and not shorter; a minute at most', async () => {
    expect((await send([503, {}, '5'], [503, {}, '1'], [503, {}, '86400'])).status).toBe(200);
    expect(pauses).toEqual([5_000, 2_000, 60_000]);
  });

  test('a lost answer is repeated with the same key and body; that it is a duplicate then means stored', async () => {
    const { status, body } = await send(LOST, DUPLICATE);
    expect([status, body.jobId]).toEqual([200, 'j1']);
    expect(door.received).toEqual([one, one]);
  });

  test('a duplicate at the first try, and a refusal, are answers: they are not repeated', async () => {
    expect((await send(DUPLICATE)).status).toBe(400);
    expect((await send([400, { code: 'INVALID_TRANSACTION' }])).status).toBe(400);
    expect((await send([401, {}])).status).toBe(401);
    expect(door.received).toHaveLength(3);
  });

  test('after five tries it gives up: with the answer, or with the error of the connection', async () => {
    const down: Reply[] = Array.from({ length: 5 }, () => [503, {}]);
    expect((await send(...down)).status).toBe(503);
    expect(door.received).toHaveLength(5);
    await expect(send(...(Array.from({ length: 5 }, () => LOST) as Reply[]))).rejects.toThrow();
    expect(door.received).toHaveLength(10);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 1_000, 2_000, 4_000, 8_000]);
  });
});

describe('the receipts of the demo', () => {
  let door: Door;
  let shown: Receipt[];
  let said: string[];

  beforeEach(async () => {
    door = new Door();
    await door.open();
    [shown, said] = [[], []];
  });
  afterEach(() => door.close());

  const receipt = (type: Receipt['type'], transactionKey: string) => ({
    ...{ type, transactionKey, at: '2026-01-31T20:15:00Z', jobId: 'j1', state: 'SENT' },
  });
  /** Follows until so many receipts were shown. */
  const follow = async (wanted: number, ...replies: Reply[]) => {
    door.replies = replies;
    const stop = new AbortController();
    const show = (each: Receipt) => {
      if (shown.push(each) === wanted) stop.abort();
    };
    await new Receipts(door.url, 'rly_token', async () => {}).follow(show, (why) => said.push(why), stop.signal);
  };

  test('each is shown once, in order: the next question names the cursor of the last answer', async () => {
    const [first, second] = [receipt('order.stored', 'A'), receipt('order.delivered', 'A')];
    await follow(2, [200, { data: [first], cursor: 'c 1' }], [200, { data: [], cursor: 'c2' }], [503, {}, '1'], LOST, [
      200,
      { data: [second], cursor: 'c3' },
    ]);
    expect(shown).toEqual([first, second]);
    const path = '/webhooks/terminal/receipts';
    expect(door.asked.map(({ url }) => url)).toEqual([
      `${path}?wait=25`,
      `${path}?after=c+1&wait=25`,
      ...Array(3).fill(`${path}?after=c2&wait=25`),
    ]);
    expect(new Set(door.asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer rly_token']));
    expect(said).toEqual([]);
  });

  test.each([
    [404, 'this relay gives no receipts'],
    [405, 'this relay gives no receipts'],
    [403, 'the relay refuses receipts: 403'],
  ])('after a %s it says so once, and stops asking', async (status, why) => {
    await follow(1, [status, {}]);
    expect([said, door.asked.length]).toEqual([[why], 1]);
  });
});
