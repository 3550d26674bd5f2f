import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RelayProcess } from '../process/relay-process.js';
import { sale } from '../support/client.js';
import { EAGER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { authority, serverCertificate } from './certificates.js';
import { HostilePos } from './hostile-pos.js';

const YEAR_MS = 365 * 86_400_000;
const at = (years: number) => new Date(Date.now() + years * YEAR_MS);

/** The relay is a process of its own because NODE_EXTRA_CA_CERTS is read at its start. */
describe('a POS with invalid TLS (D11, D17)', () => {
  const trusted = authority('an authority of the tests');
  const good = serverCertificate(trusted);
  let folder: string;
  let scenario: Scenario;
  let relay: RelayProcess;
  let pos: HostilePos;
  let port: number;
  let number = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'relay-tls-'));
    const file = join(folder, 'authority.pem');
    writeFileSync(file, trusted.cert);
    pos = new HostilePos(good);
    const url = await pos.listen();
    ({ port } = pos);
    const environment = { POS_BASE_URL: url, POS_TIMEOUT_MS: '1000', NODE_EXTRA_CA_CERTS: file };
    scenario = await Scenario.ofProcesses({ ...EAGER, ...environment });
    relay = await scenario.startProcess();
    await relay.createRestaurant();
  });
  afterAll(async () => {
    await scenario.close();
    await pos.close();
    rmSync(folder, { recursive: true });
  });

  const settled = async (id: string, status: string) => {
    await scenario.jobs.until(async () => (await scenario.jobs.get(id)).status === status);
    const [attempt] = await scenario.jobs.attempts(id);
    return attempt;
  };
  const order = async (storeCode = 'STORE-1') => relay.accept(sale({ storeCode }));
  /** An order with new credentials. */
  const orderThatSignsIn = async () => {
    const codeStoreTerminal = `STORE-${1_000 + ++number}`;
    await relay.createRestaurant({ codeStoreTerminal, posIdPartner: `p-${number}`, posSecret: `s-${number}` });
    return order(codeStoreTerminal);
  };

  const withTls = (certificate: ReturnType<typeof serverCertificate>) => async () => {
    const bad = new HostilePos(certificate);
    await bad.listen(port);
    return { requests: bad.requests, close: () => bad.close() };
  };
  const withoutTls = (text: string) => async () => {
    const requests: string[] = [];
    const sockets: Socket[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.on('data', (data) => {
        if (String(data).includes('POST ')) requests.push(String(data));
        if (text) socket.write(text);
      });
    });
    await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening));
    const close = async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    };
    return { requests, close };
  };

  test.each<[string, () => Promise<{ requests: string[]; close: () => Promise<unknown> }>, RegExp]>([
    ['signed by itself', withTls(serverCertificate(undefined)), /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED)/],
    ['signed by an untrusted authority', withTls(serverCertificate(authority('another'))), /^UNABLE_TO_/],
    ['expired', withTls(serverCertificate(trusted, { from: at(-1), to: at(-0.5) })), /^CERT_HAS_EXPIRED$/],
    ['not valid yet', withTls(serverCertificate(trusted, { from: at(0.5) })), /^CERT_NOT_YET_VALID$/],
    [
      'of another address',
      withTls(serverCertificate(trusted, { host: '127.0.0.2' })),
      /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    ],
    ['of a name', withTls(serverCertificate(trusted, { host: 'pos.example' })), /^ERR_TLS_CERT_ALTNAME_INVALID$/],
    ['no TLS', withoutTls('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'), /./],
    ['a handshake without an answer', withoutTls(''), /TIMEOUT/],
  ])('%s: order and sign-in are FAILED, nothing was sent, and SENT when it is valid again', async (_, open, code) => {
    expect(await settled(await order(), 'SENT')).toMatchObject({ http_status: 200 });
    await pos.close();
    const bad = await open();
    const ids = [await order(), await orderThatSignsIn()];
    for (const id of ids) {
      const attempt = await settled(id, 'FAILED');
      expect(attempt).toMatchObject({ http_status: null, error_code: expect.stringMatching(code) });
      if (code.source.length > 3 && !code.test('TIMEOUT')) expect(attempt).toMatchObject({ reach: 'NOT_SENT' });
    }
    expect(bad.requests).toEqual([]);
    await bad.close();
    pos = new HostilePos(good);
    await pos.listen(port);
    for (const id of ids) await scenario.jobs.makeDue(id);
    for (const id of ids) await settled(id, 'SENT');
  });
});
