import { request } from 'node:http';
import { connect } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Scenario } from '../../support/scenario.js';
import { until } from '../../support/until.js';
import { FileDesk } from './file-desk.js';

const GIGABYTE = 1_073_741_824;
const PIECE = Buffer.alloc(65_536, 'x');

interface Answer {
  /** 0: the connection was closed before the answer was read */
  readonly status: number;
  readonly code: string;
  /** bytes that were sent until then */
  readonly sent: number;
}

describe('a body without end', () => {
  const scenario = Scenario.ofSuite({ REQUEST_TIMEOUT_MS: '8000' });
  let desk: FileDesk;
  beforeAll(async () => {
    desk = await FileDesk.open(scenario);
  });

  /** Sends a gigabyte of these pieces, as long as it is taken, until an answer arrives. */
  async function send(piece: Buffer): Promise<Answer> {
    const { hostname, port } = new URL(scenario.relay.url);
    const headers = {
      authorization: `Bearer ${desk.token}`,
      'content-type': 'text/csv',
      'transfer-encoding': 'chunked',
    };
    const asked = request({ hostname, port, method: 'POST', path: desk.path, headers });
    let sent = 0;
    let isOver = false;
    const answer = new Promise<Omit<Answer, 'sent'>>((resolve) => {
      const end = (status: number, code = '') => {
        isOver = true;
        resolve({ status, code });
      };
      asked.once('response', (response) => {
        let text = '';
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.once('end', () => end(response.statusCode ?? 0, JSON.parse(text).code));
        response.once('error', () => end(0));
      });
      asked.on('error', () => end(0));
    });
    while (!isOver && sent < GIGABYTE) {
      sent += piece.length;
      if (!asked.write(piece)) await Promise.race([new Promise((resolve) => asked.once('drain', resolve)), answer]);
      await setImmediate();
    }
    const said = await answer;
    asked.destroy();
    // what the sockets hold is sent before the answer arrives
    expect(sent).toBeLessThan(32 * 1_048_576);
    return { ...said, sent };
  }

  test('one line of a gigabyte is refused after its first part, with the line (J1)', async () => {
    const { status, code } = await send(PIECE);
    expect({ status, code }).toEqual({ status: 422, code: 'FILE_REFUSED' });
  });

  test('a gigabyte of short lines is refused at the limit (J1)', async () => {
    const { status, code } = await send(Buffer.from('a;b;c\n'.repeat(10_000)));
    expect({ status, code }).toEqual({ status: 413, code: 'PAYLOAD_TOO_LARGE' });
  });

  test('a client that sends on after the answer is cut off (J1, L109)', async () => {
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    socket.resume();
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    socket.write(
      `POST ${desk.path} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${desk.token}\r\nContent-Type: text/csv\r\n` +
        `Content-Length: ${GIGABYTE}\r\n\r\n`,
    );
    let sent = 0;
    for (; !socket.destroyed && sent < GIGABYTE; sent += PIECE.length) {
      if (!socket.write(PIECE)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), closed]);
    }
    await closed;
    expect(sent).toBeLessThan(GIGABYTE / 4);
  });

  test('a client that sends nothing more after the answer is cut off too (J1, L109)', async () => {
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(
      `POST ${desk.path} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${desk.token}\r\nContent-Type: text/csv\r\n` +
        `Content-Length: ${GIGABYTE}\r\n\r\na;b`,
    );
    await closed;
    expect(answer).toContain('PAYLOAD_TOO_LARGE');
  });

  test('an upload that stalls is a 408 after REQUEST_TIMEOUT_MS, and the next one is taken (J1)', async () => {
    const { hostname, port } = new URL(scenario.relay.url);
    const socket = connect(Number(port), hostname);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.on('error', () => undefined);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk;
    });
    socket.write(
      `POST ${desk.path} HTTP/1.1\r\nHost: relay\r\nAuthorization: Bearer ${desk.token}\r\nContent-Type: text/csv\r\n` +
        'Content-Length: 1000\r\n\r\ndate;amount\n',
    );
    await closed;
    expect(answer).toContain('REQUEST_TIMEOUT');
    await desk.uploaded('date;amount\n2026-11-20;0,03\n');
  });

  test('while a file of a restaurant is received, another one is a 429, and afterwards it is taken (J1, L98)', async () => {
    const { hostname, port } = new URL(scenario.relay.url);
    const headers = {
      authorization: `Bearer ${desk.token}`,
      'content-type': 'text/csv',
      'transfer-encoding': 'chunked',
    };
    const begin = () => {
      const upload = { sent: request({ hostname, port, method: 'POST', path: desk.path, headers }), status: 0 };
      upload.sent.once('response', (response) => {
        upload.status = response.resume().statusCode ?? 0;
      });
      upload.sent.write('date;amount\n');
      return upload;
    };
    let first = begin();
    let status = 0;
    // until the first one is being received; it is refused itself when another one was
    for (let n = 0; status !== 429; n++) {
      if (first.status !== 0) first = begin();
      status = (await desk.upload(`date;amount\n2026-11-20;${n},00\n`)).status;
    }
    first.sent.end('2026-11-20;0,01\n');
    await until(() => first.status !== 0);
    expect(first.status).toBe(201);
    await desk.uploaded('date;amount\n2026-11-20;0,02\n');
  });
});
