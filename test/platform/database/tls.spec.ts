import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { pino } from 'pino';
import { Connection } from '../../../src/capabilities/doctor/connection.js';
import { loadConfig } from '../../../src/platform/config/config.js';
import { PrismaService } from '../../../src/platform/database/prisma.service.js';
import type { Log } from '../../../src/platform/telemetry/log.js';
import { serverCertificate } from '../../pos/certificates.js';
import { ENVIRONMENT, NO_POS } from '../../support/environment.js';

const log = pino({ level: 'silent' }) as unknown as Log;

/** A server that only answers the request for TLS. @returns the port, and its end */
async function answering(answer: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

const certificate = serverCertificate(undefined);
const selfSigned = (socket: Socket) => {
  socket.write('S');
  new TLSSocket(socket, { isServer: true, ...certificate }).on('error', () => {});
};

describe('a server whose TLS does not fit DATABASE_URL', () => {
  test.each<[string, string, (socket: Socket) => void, RegExp]>([
    ['none, sslmode=prefer', 'prefer', (socket) => socket.end('N'), /sslmode asks for TLS.*Leave sslmode out/],
    ['none, sslmode=require', 'require', (socket) => socket.end('N'), /sslmode asks for TLS.*Leave sslmode out/],
    [
      'a certificate of its own, sslmode=require',
      'require',
      selfSigned,
      /not trusted.*sslrootcert=.*sslmode=no-verify/,
    ],
  ])(
    '%s: the start ends with one line about DATABASE_URL, and the doctor says it too (S27)',
    async (_, mode, answer, says) => {
      const server = await answering(answer);
      const DATABASE_URL = `postgresql://relay@127.0.0.1:${server.port}/relay?sslmode=${mode}`;
      const config = loadConfig({ ...ENVIRONMENT, POS_BASE_URL: NO_POS, DATABASE_URL, DATABASE_TIMEOUT_MS: '2000' });
      const errors = [
        await PrismaService.open(config, log).catch((error: Error) => error),
        await Connection.open(DATABASE_URL, 'the test').catch((error: Error) => error),
      ];
      server.close();
      for (const error of errors) expect((error as Error).message).toMatch(/^DATABASE_URL: [^\n]+$/);
      for (const error of errors) expect((error as Error).message).toMatch(says);
    },
  );
});
