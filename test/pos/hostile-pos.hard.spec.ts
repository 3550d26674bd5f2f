import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { answer } from '../../tools/simulator/answer-forms.js';
import { sale } from '../support/client.js';
import { PARTNER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { until } from '../support/until.js';
import { ACCEPTED, type Deed, GRANTED, HostilePos, type Path, TOKEN } from './hostile-pos.js';

const MIB = 1_048_576;

type End = {
  readonly status: 'SENT' | 'FAILED' | 'DLQ';
  readonly reach: 'ANSWERED' | 'UNKNOWN';
  readonly http: number | null;
};
const SENT: End = { status: 'SENT', reach: 'ANSWERED', http: 200 };
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** D11, D17: no answer, or a part of one: the order may have arrived. */
const UNANSWERED: End = { status: 'FAILED', reach: 'UNKNOWN', http: null };
const broken = (http: number): End => ({ status: 'FAILED', reach: 'UNKNOWN', http });
const temporary = (http: number): End => ({ status: 'FAILED', reach: 'ANSWERED', http });
const parked = (http: number): End => ({ status: 'DLQ', reach: 'ANSWERED', http });

let pos: HostilePos;
let stranger: HostilePos;

const write =
  (...packets: (string | Buffer)[]): Deed =>
  (socket) => {
    for (const packet of packets) socket.write(packet);
  };
/** Writes, and ends the connection. */
const end =
  (text: string | Buffer): Deed =>
  (socket) =>
    socket.end(text);
const flood =
  (head: string | Buffer, more: string | Buffer): Deed =>
  (socket) =>
    pos.flood(socket, head, Buffer.from(more as string));
const drip =
  (head: string | Buffer, drop: string): Deed =>
  (socket) =>
    pos.drip(socket, head, drop);

const bomb = gzipSync(Buffer.alloc(64 * MIB));
/** A page that shows the request with its credentials. */
const echo =
  (status: number): Deed =>
  (socket, text) =>
    socket.write(answer(status, `<html><body><pre>${text}</pre>${Buffer.from(text).toString('base64')}</body></html>`));

/** What the POS does, and the result for the job of an order or a cancel. */
const DEEDS: Record<string, readonly [deed: Deed, end: End]> = {
  'no answer': [() => {}, UNANSWERED],
  'a status line that drips': [drip('HTTP/1.1 200 ', 'O'), UNANSWERED],
  'headers that drip': [drip('HTTP/1.1 200 OK\r\n', 'X: 1\r\n'), UNANSWERED],
  'a good body that drips': [drip(answer(200, '', 'Content-Length: 10000'), ' '), SENT],
  'a refusal that drips': [drip(answer(422, '', 'Content-Length: 10000'), ' '), broken(422)],
  'headers without end': [flood('HTTP/1.1 200 OK\r\n', 'X: 1\r\n'.repeat(1_000)), UNANSWERED],
  'one header without end': [flood('HTTP/1.1 200 OK\r\nX: ', 'x'.repeat(10_000)), UNANSWERED],
  'a good body without end': [flood(answer(200, '', 'Connection: close'), Buffer.alloc(65_536, 'x')), SENT],
  'chunks without end': [
    flood(answer(200, '', 'Transfer-Encoding: chunked'), `1000\r\n${'x'.repeat(4_096)}\r\n`),
    SENT,
  ],
  'a refusal without end': [flood(answer(422, '', 'Connection: close'), Buffer.alloc(65_536, 'x')), parked(422)],
  'a 503 without end': [flood(answer(503, '', 'Connection: close'), Buffer.alloc(65_536, 'x')), temporary(503)],
  'a chunk extension without end': [
    flood(answer(200, '', 'Transfer-Encoding: chunked'), `1;${'x'.repeat(10_000)}`),
    SENT,
  ],
  'a gzip bomb': [write(answer(200, bomb, 'Content-Encoding: gzip')), SENT],
  'a gzip bomb as a refusal': [write(answer(422, bomb, 'Content-Encoding: gzip')), parked(422)],
  'text declared as gzip': [write(answer(422, 'no', 'Content-Encoding: gzip')), parked(422)],
  'gzip in gzip in gzip': [write(answer(200, gzipSync(gzipSync(bomb)), 'Content-Encoding: gzip, gzip, gzip')), SENT],
  'a length too long, 200': [end(answer(200, '{}', 'Content-Length: 100')), SENT],
  'a length too long, 422': [end(answer(422, '{}', 'Content-Length: 100')), broken(422)],
  'a length too short': [write(answer(200, '{"ok":true}', 'Content-Length: 2')), SENT],
  'a length in words': [write(answer(200, '{}', 'Content-Length: two')), UNANSWERED],
  'a negative length': [write(answer(200, '{}', 'Content-Length: -1')), UNANSWERED],
  'a length of 20 digits': [write(answer(200, '{}', 'Content-Length: 99999999999999999999')), UNANSWERED],
  'an invalid chunk size': [write(answer(200, 'xyz\r\n', 'Transfer-Encoding: chunked')), SENT],
  'no length, and an end': [end(answer(200, '{}', 'Connection: close')), SENT],
  'HTML, 200': [echo(200), SENT],
  'HTML with the credentials, 400': [echo(400), parked(400)],
  'HTML with the credentials, 502': [echo(502), temporary(502)],
  'invalid UTF-8': [write(answer(422, Buffer.from('7b226d657373616765223a22c0aff8ff00eda08022', 'hex'))), parked(422)],
  'UTF-16': [write(answer(422, Buffer.from(`\ufeff{"message":"${PARTNER.id}"}`, 'utf16le'))), parked(422)],
  'JSON that nests 20,000 levels': [write(answer(422, '['.repeat(20_000) + ']'.repeat(20_000))), parked(422)],
  'JSON with inherited property names': [
    write(answer(422, '{"__proto__":{"message":1},"errorCode":{"toString":1}}')),
    parked(422),
  ],
  'an error code of 1e999': [write(answer(422, '{"errorCode":1e999,"message":{"a":[1]}}')), parked(422)],
  'a reset': [(socket) => socket.resetAndDestroy(), UNANSWERED],
  'a connection closed without an answer': [(socket) => socket.end(), UNANSWERED],
  'another protocol': [write('SSH-2.0-OpenSSH\r\n'), UNANSWERED],
  'bytes of any kind': [write(Buffer.from(Array.from({ length: 500 }, (_, n) => (n * 37) % 256))), UNANSWERED],
  'HTTP/2 unasked': [write(Buffer.from('000000040000000000', 'hex')), UNANSWERED],
  'HTTP/9.9': [write('HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n'), UNANSWERED],
  'a status of four digits': [write('HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n'), UNANSWERED],
  'endless interim answers: 100': [flood('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)), UNANSWERED],
  'endless interim answers: 102': [flood('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)), UNANSWERED],
  'endless interim answers: 103': [flood('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100)), UNANSWERED],
  'interim answers that drip': [drip('', 'HTTP/1.1 100 Continue\r\n\r\n'), UNANSWERED],
  'an upgrade': [write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'), UNANSWERED],
  'two answers to one request': [write(Buffer.concat([answer(200, '{}'), answer(422, '{}')])), SENT],
  'a 204 with a body': [write(answer(204, '{"errorCode":1}')), { ...SENT, http: 204 }],
  'a 304': [write('HTTP/1.1 304 Not Modified\r\n\r\n'), parked(304)],
};

/** Where a redirect leads. */
const LOCATIONS: Record<string, (path: Path) => string> = {
  itself: (path) => path,
  'another path': () => '/elsewhere',
  'another host': () => `http://127.0.0.1:${stranger.port}/order`,
  'another host, without a scheme': () => `//127.0.0.1:${stranger.port}/order`,
  'the credentials of an address': () => `http://a:b@127.0.0.1:${stranger.port}/`,
  'an invalid address': () => 'http://[:::/\x80',
};

describe('a hostile POS', () => {
  let scenario: Scenario;
  let token: string;
  let restaurant: string;
  let number = 0;

  beforeAll(async () => {
    pos = new HostilePos();
    stranger = new HostilePos();
    await stranger.listen();
    scenario = await Scenario.open({ POS_BASE_URL: await pos.listen(), POS_TIMEOUT_MS: '400', OUTBOX_BATCH_SIZE: '4' });
    token = await scenario.relay.login();
    restaurant = await restaurantWith({ codeStoreTerminal: 'STORE-1' });
  });
  afterEach(async () => {
    pos.deeds = {};
    // D4: the slot is free: the next order is delivered
    expect(await attempt(await scenario.relay.accept(sale()))).toMatchObject({ job: { status: 'SENT' } });
    // failed jobs would be due again in 30 s, during another test
    await scenario.database.query(
      `UPDATE outbox_jobs SET next_run_at = now() + interval '1 hour' WHERE status = 'FAILED'`,
    );
  });
  afterAll(async () => {
    await scenario.close();
    await pos.close();
    await stranger.close();
  });

  /** One tick. @returns the job and its last attempt */
  async function attempt(id: string) {
    await scenario.relay.tick();
    return { job: await scenario.jobs.get(id), attempt: (await scenario.jobs.attempts(id)).at(-1) };
  }

  const restaurantWith = async (fields: object): Promise<string> =>
    (await scenario.api.post('/restaurants', token, { name: 'Any', codeStorePos: '1', ...fields }).expect(201)).body
      .data.id;

  /** An order, not sent yet. */
  const order = () => scenario.relay.accept(sale());

  /** The cancel of a delivered order, not sent yet. */
  async function cancel(): Promise<string> {
    const delivered = await order();
    // on a busy machine the sign-in and the order may take longer than POS_TIMEOUT_MS; the cancel of an order that was not sent calls no POS
    await until(async () => {
      await scenario.database.query(
        `UPDATE outbox_jobs SET next_run_at = now() WHERE id = $1::uuid AND status = 'FAILED'`,
        [delivered],
      );
      return (await attempt(delivered)).job.status === 'SENT';
    });
    const { body } = await scenario.cancel(restaurant, await scenario.keyOf(delivered), token).expect(202);
    return body.data.jobId;
  }

  /** An order with new credentials: the relay signs in first. */
  async function orderThatSignsIn(): Promise<string> {
    const codeStoreTerminal = `SIGN-IN-${++number}`;
    await restaurantWith({ codeStoreTerminal, posIdPartner: `partner-${number}`, posSecret: PARTNER.secret });
    return scenario.relay.accept(sale({ storeCode: codeStoreTerminal }));
  }

  /** D18, H10: neither in the database as text, nor in the log. */
  async function expectNoSecrets(): Promise<void> {
    const said = await Promise.all([
      scenario.database.query('SELECT last_error FROM outbox_jobs'),
      scenario.database.query('SELECT error, error_code FROM delivery_attempts'),
    ]);
    const everything = JSON.stringify([said, scenario.relay.logged]);
    for (const secret of [PARTNER.secret, TOKEN, Buffer.from(PARTNER.secret).toString('base64')])
      expect(everything).not.toContain(secret);
    // L12: one line that Postgres and people can read
    for (const { last_error: line } of said[0] as { last_error: string | null }[])
      expect(line ?? 'none').toMatch(/^\P{Cc}{1,1000}$/u);
  }

  test.each(Object.entries(DEEDS).map(([name, [deed, end]]) => [name, end.status, deed, end] as const))(
    '%s: an order and a cancel end %s (D7, D17, C4), a sign-in FAILED and nothing is sent (D16)',
    async (_, __, deed, { status, reach, http }) => {
      const ids = [await cancel(), await order(), await orderThatSignsIn()] as const;
      const before = pos.count('/order');
      pos.deeds = { '/order': deed, '/cancel-order': deed, '/auth': deed };
      await scenario.relay.tick();
      for (const id of ids.slice(0, 2)) {
        expect(await scenario.jobs.get(id)).toMatchObject({ status, attempts: 1, locked_by: null });
        expect(await scenario.jobs.attempts(id)).toMatchObject([{ reach, http_status: http }]);
      }
      const last_error = expect.stringMatching(/^POS sign-in failed: /);
      expect(await scenario.jobs.get(ids[2])).toMatchObject({ status: 'FAILED', last_error });
      expect(await scenario.jobs.attempts(ids[2])).toMatchObject([{ reach: 'NOT_SENT' }]);
      // never repeated within the attempt: the POS may have the order
      expect(pos.count('/order') - before).toBe(1);
    },
  );

  describe.each(Object.keys(LOCATIONS))(
    'a redirect to %s is not followed, and no credential goes there (D5)',
    (name) => {
      const location = LOCATIONS[name] as (path: Path) => string;

      test.each(name === 'another host' ? [301, 302, 303, 307, 308] : [307])('%d', async (status) => {
        const redirect = (path: Path) => {
          const head = `HTTP/1.1 ${status} Any\r\nLocation: ${location(path)}\r\nContent-Length: 0\r\n\r\n`;
          return write(Buffer.from(head, 'latin1'));
        };
        const ids = [await order(), await orderThatSignsIn()] as const;
        const before = pos.requests.length;
        pos.deeds = { '/order': redirect('/order'), '/auth': redirect('/auth') };
        await scenario.relay.tick();
        expect(await scenario.jobs.attempts(ids[0])).toMatchObject([{ outcome: 'DLQ', http_status: status }]);
        expect(await scenario.jobs.attempts(ids[1])).toMatchObject([{ outcome: 'FAILED', reach: 'NOT_SENT' }]);
        expect(pos.requests.length - before).toBe(2);
        expect(stranger.connections).toBe(0);
      });
    },
  );

  test('interim answers before the answer are skipped, for a sign-in too', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n';
    const ids = [await order(), await orderThatSignsIn()];
    pos.deeds = { '/order': write(interim, ACCEPTED), '/auth': write(interim, GRANTED) };
    await scenario.relay.tick();
    for (const id of ids) expect(await scenario.jobs.get(id)).toMatchObject({ status: 'SENT' });
  });

  test.each([
    ...['HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', ''],
    'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
  ])(
    '%j and the answer, cut anywhere into two packets: the order is SENT, and the POS has it once (D6)',
    async (interim) => {
      const bytes = Buffer.concat([Buffer.from(interim), ACCEPTED]);
      const before = pos.count('/order');
      let cut = 0;
      pos.deeds['/order'] = (socket) => {
        const at = cut++;
        socket.write(bytes.subarray(0, at));
        setTimeout(() => socket.write(bytes.subarray(at)), 10);
      };
      const ids: string[] = [];
      for (let n = 0; n < bytes.length; n++) ids.push(await order());
      while (cut < bytes.length) await scenario.relay.tick();
      for (const id of ids) expect(await scenario.jobs.get(id)).toMatchObject({ status: 'SENT', attempts: 1 });
      expect(pos.count('/order') - before).toBe(bytes.length);
    },
  );

  test('L11: memory does not grow with the size of answers', async () => {
    const endless = Object.keys(DEEDS).filter((name) => /without end|endless|bomb|gzip in/.test(name));
    expect(endless.length).toBeGreaterThan(8);
    const used = () => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    const round = async () => {
      for (const name of endless) {
        const [deed] = DEEDS[name] as (typeof DEEDS)[string];
        await Promise.all([order(), orderThatSignsIn()]);
        pos.deeds = { '/order': deed, '/auth': deed };
        await scenario.relay.tick();
        pos.deeds = {};
      }
      await until(() => pos.sockets.size <= 4);
    };
    // a leak grows in every round, memory that the engine keeps in one or two
    const growth: number[] = [];
    let before = Number.NaN;
    for (let n = 0; n < 6 && !growth.some((mib) => mib < 8); n++) {
      await round();
      const after = used();
      if (n > 0) growth.push((after - before) / MIB);
      before = after;
    }
    expect(Math.min(...growth)).toBeLessThan(8);
  }, 180_000);

  test('D18, H10, L12: no secret is in a lastError or in the log, and each lastError is one line', expectNoSecrets);

  test('connections that the POS or the deadline ended are closed', async () => {
    await until(() => pos.sockets.size <= 4);
  });
});
