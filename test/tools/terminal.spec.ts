import { once } from 'node:events';
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
  private readonly server: Server = createServer(async (incoming, outgoing) => {
    const { url = '', headers } = incoming;
    const body = await text(incoming);
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

  async open(): Promise<void> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const login = { email: 'owner@roma.example', password: 'a-password' };
const partner = { posIdPartner: 'partner', posSecret: 'secret' };

let door: Door;
beforeEach(async () => {
  door = new Door();
  await door.open();
});
afterEach(() => door.close());

describe('the terminal of the demo', () => {
  /** in ms, as the terminal would have waited */
  let pauses: number[];
  let terminal: Terminal;

  beforeEach(async () => {
    pauses = [];
    terminal = await Terminal.install(door.url, login, 'token', partner, async (ms) => pauses.push(ms));
  });

  const body = '{"transactionKey":"SALE-1","totalAmount":5}';
  const one = { path: '/webhooks/terminal/7Hq2mZx9', body, isSigned: true };
  const send = (...replies: Reply[]) => {
    door.replies = replies;
    return terminal.send({ transactionKey: 'SALE-1', totalAmount: 5 }, 'signed');
  };

  test('Retry-After makes it wait longer than its own pause, and not shorter; a minute at most', async () => {
    expect((await send([503, {}, '5'], [503, {}, '1'], [503, {}, '86400'])).status).toBe(200);
    expect(pauses).toEqual([5_000, 2_000, 60_000]);
  });

  test('a lost answer is repeated with the key of its restaurant and the same body; a duplicate then means stored', async () => {
    const answered = await send(LOST, DUPLICATE);
    expect([answered.status, answered.body.jobId]).toEqual([200, 'j1']);
    expect(door.received).toEqual([one, one]);
    expect(pauses).toEqual([1_000]);
  });

  test('a duplicate at the first try, and a refusal, are answers: they are not repeated', async () => {
    for (const reply of [DUPLICATE, [400, { code: 'INVALID_TRANSACTION' }], [401, {}]] as const)
      expect((await send(reply)).status).toBe(reply[0]);
    expect(door.received).toHaveLength(3);
  });

  test('after five tries it gives up: with the answer, or with the error of the connection', async () => {
    expect((await send(...Array<Reply>(5).fill([503, {}]))).status).toBe(503);
    await expect(send(...Array<Reply>(5).fill(LOST))).rejects.toThrow();
    expect(door.received).toHaveLength(10);
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 1_000, 2_000, 4_000, 8_000]);
  });
});

describe('the receipts of the demo', () => {
  let shown: Receipt[];
  let said: string[];

  beforeEach(() => {
    [shown, said] = [[], []];
  });

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

  test('it asks no more of a relay that gives none', async () => {
    await follow(1, [404, {}]);
    expect([said, door.asked.length]).toEqual([['this relay gives no receipts'], 1]);
  });
});
