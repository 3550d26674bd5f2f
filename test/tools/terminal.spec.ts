import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Terminal } from '../../tools/demo/terminal.js';
import { signatureOf } from '../sender-keys/keys.js';

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const ANSWERS: Record<string, [status: number, body: object]> = {
  '/auth/login': [200, { access_token: 'jwt' }],
  '/restaurants': [201, { data: { id: 'r1' } }],
  '/restaurants/r1/sender-keys': [201, { data: { keyId: '7Hq2mZx9', secret: SECRET } }],
};

describe('the terminal of the demo', () => {
  let relay: Server;
  /** what the webhook answers next; then 200 */
  let failures: number[] = [];
  const received: { path: string; body: string; isSigned: boolean }[] = [];

  beforeAll(async () => {
    relay = createServer(async (incoming, outgoing) => {
      const { url = '', headers } = incoming;
      const body = await text(incoming);
      const [status, answer] = ANSWERS[url] ?? [failures.shift() ?? 200, {}];
      if (!(url in ANSWERS)) {
        const [id, time] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
        const isSigned = headers['webhook-signature'] === signatureOf(SECRET, id, time, body);
        received.push({ path: url, body, isSigned });
      }
      outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => relay.close());

  test('it signs a sale by the key of its restaurant, and repeats it with the same body after a 503', async () => {
    const url = `http://127.0.0.1:${(relay.address() as AddressInfo).port}`;
    const login = { email: 'owner@roma.example', password: 'a-password' };
    const terminal = await Terminal.install(url, login, 'token', { posIdPartner: 'partner', posSecret: 'secret' });
    failures = [503];
    const { status } = await terminal.send({ transactionKey: 'SALE-1', totalAmount: 5 }, 'signed');
    expect(status).toBe(200);
    const one = {
      path: '/webhooks/terminal/7Hq2mZx9',
      body: '{"transactionKey":"SALE-1","totalAmount":5}',
      isSigned: true,
    };
    expect(received).toEqual([one, one]);
    failures = [400];
    expect((await terminal.send({ transactionKey: 'SALE-2' }, 'signed')).status).toBe(400);
    expect(received).toHaveLength(3);
  });
});
