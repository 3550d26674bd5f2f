import type { Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { PosHttp } from '../../src/pos/http-transport.js';
import { OrderTransport } from '../../src/pos/order-transport.js';
import { answer, BEHIND_TEXT, FORMS, type Form, UNREADABLE } from '../../tools/simulator/answer-forms.js';
import { sale } from '../support/client.js';
import { PARTNER } from '../support/environment.js';
import { Scenario } from '../support/scenario.js';
import { ACCEPTED, GRANTED, HostilePos, TOKEN } from './hostile-pos.js';

/** What the POS says, and what becomes of the job. @property says a part of `last_error` */
interface Kind {
  readonly status: number;
  readonly body: object;
  readonly end: { readonly status: string; readonly cause: string | null };
  readonly says?: string;
}

const SENT = { status: 'SENT', cause: null };
const sentence = 'o produto “pão” não existe'.replaceAll(/[“”]/g, "'");

/** The kinds of answers to an order, and to a cancel. */
const KINDS: Readonly<Record<string, Kind>> = {
  accepted: { status: 200, body: { ok: true }, end: SENT },
  'refused token, 200': { status: 200, body: { errorCode: 901 }, end: { status: 'FAILED', cause: 'sign_in' } },
  'refused token, 400': { status: 400, body: { errorCode: 902 }, end: { status: 'FAILED', cause: 'sign_in' } },
  busy: { status: 400, body: { errorCode: 950 }, end: { status: 'FAILED', cause: 'busy' } },
  refused: {
    status: 422,
    body: { errorCode: 310, message: sentence },
    end: { status: 'DLQ', cause: 'refused' },
    says: `HTTP 422, POS error 310: ${sentence}`,
  },
};

const orderIn = (request: string) => JSON.parse(request.split('\r\n\r\n')[1] as string).order_id as string;

/** The kind and the form of each order, by its key. */
const plan = new Map<string, Buffer[]>();

async function write(socket: Socket, parts: readonly Buffer[]): Promise<void> {
  for (const part of parts) {
    socket.write(part);
    if (parts.length > 1) await new Promise(setImmediate);
  }
}

describe('the answers of a POS in each form in which they may come', () => {
  const pos = new HostilePos();
  let scenario: Scenario;
  let restaurant: string;
  let token: string;

  beforeAll(async () => {
    pos.deeds = {
      '/order': (socket, request) => write(socket, plan.get(orderIn(request)) ?? [ACCEPTED]),
      '/cancel-order': (socket, request) => write(socket, plan.get(orderIn(request)) ?? [ACCEPTED]),
      '/order-state': (socket, request) => {
        const id = new URL(request.split(' ')[1] as string, 'http://pos').searchParams.get('id') as string;
        return write(socket, plan.get(id) ?? [ACCEPTED]);
      },
    };
    scenario = await Scenario.open({
      POS_BASE_URL: await pos.listen(),
      OUTBOX_BATCH_SIZE: '200',
      POS_TEMPORARY_ERROR_CODES: '950',
      POS_AFTER_UNKNOWN: 'ask',
      POS_ORDER_LOOKUP_PATH: '/order-state?id={order_id}',
      POS_LOOKUP_SETTLE_MS: '10',
    });
    token = await scenario.relay.login();
    restaurant = await scenario.relay.createRestaurant();
  });
  beforeEach(() => plan.clear());
  afterAll(async () => {
    await scenario.close();
    await pos.close();
  });

  /** Sells an order for each form. @returns job id and event key by the name of the form */
  async function sellEach<Entry>(forms: Readonly<Record<string, Entry>>) {
    const sold: { name: string; form: Entry; id: string; key: string }[] = [];
    for (const [name, form] of Object.entries(forms)) {
      const id = await scenario.relay.accept(sale());
      sold.push({ name, form, id, key: await scenario.keyOf(id) });
    }
    return sold;
  }

  const endOf = async (id: string) => {
    const { status, cause, last_error } = await scenario.jobs.get(id);
    return { status, cause, last_error };
  };

  describe.each(Object.entries(KINDS))('%s', (_, { status, body, end, says }) => {
    const text = JSON.stringify(body);
    const expected = { ...end, last_error: says ?? (end.status === 'SENT' ? null : expect.any(String)) };

    test('to an order, in every form: what it says counts (D6, D23)', async () => {
      const sold = await sellEach<Form>({ ...FORMS, ...BEHIND_TEXT });
      for (const { form, key } of sold) plan.set(key, form(status, text));
      await scenario.relay.tick();
      const ends = await Promise.all(sold.map(async ({ name, id }) => [name, await endOf(id)]));
      expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(sold.map(({ name }) => [name, expected])));
    });

    test('to a cancel, in every form: what it says counts (D6, D23)', async () => {
      const sold = await sellEach<Form>({ ...FORMS, ...BEHIND_TEXT });
      await scenario.relay.tick();
      for (const { form, key } of sold) plan.set(key, form(status, text));
      const cancels: { name: string; id: string }[] = [];
      for (const { name, key } of sold) {
        const answered = await scenario.cancel(restaurant, key, token).expect(202);
        cancels.push({ name, id: answered.body.data.jobId });
      }
      await scenario.relay.tick();
      const ends = await Promise.all(cancels.map(async ({ name, id }) => [name, await endOf(id)]));
      expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(sold.map(({ name }) => [name, expected])));
    });
  });

  /** Orders whose first attempt may have arrived, looked up by the next attempt. */
  async function lookUpEach<Entry>(
    forms: Readonly<Record<string, Entry>>,
    formOf: (entry: Entry) => Form,
    text: string,
  ) {
    const sold = await sellEach(forms);
    for (const { key } of sold) plan.set(key, [answer(503, '')]);
    await scenario.relay.tick();
    for (const { key, form } of sold) plan.set(key, formOf(form)(200, text));
    await Promise.all(sold.map(({ id }) => scenario.jobs.passes(id, 60_000)));
    await scenario.relay.tick();
    return sold;
  }

  test('to a look-up, in every form: an order that is there is SENT, one of another id is not (D23)', async () => {
    for (const [order, status] of [
      [{}, 'SENT'],
      [{ order_id: 'another' }, 'FAILED'],
    ] as const) {
      const sold = await lookUpEach<Form>(FORMS, (form) => form, JSON.stringify({ data: order }));
      const ends = await Promise.all(sold.map(async ({ name, id }) => [name, (await scenario.jobs.get(id)).status]));
      expect(Object.fromEntries(ends)).toEqual(Object.fromEntries(sold.map(({ name }) => [name, status])));
    }
  });

  test('to a look-up, behind another text: not clear, since it may be a part of a page (D20)', async () => {
    const sold = await lookUpEach<Form>(BEHIND_TEXT, (form) => form, JSON.stringify({ data: {} }));
    for (const { id } of sold) expect((await scenario.jobs.get(id)).status).toBe('FAILED');
  });

  test.each(Object.entries({ ...FORMS, ...BEHIND_TEXT }))(
    'to a sign-in, %s: the token is sent with the order (T7)',
    async (name, form) => {
      const posIdPartner = `partner-${name.replaceAll(/\W/g, '-')}`;
      pos.deeds['/auth'] = (socket) => void write(socket, form(200, JSON.stringify({ data: { token: TOKEN } })));
      const fields = { name, codeStorePos: '1', codeStoreTerminal: name, posIdPartner, posSecret: PARTNER.secret };
      await scenario.api.post('/restaurants', token, fields).expect(201);
      const id = await scenario.relay.accept(sale({ storeCode: name }));
      await scenario.relay.tick();
      delete pos.deeds['/auth'];
      expect(await endOf(id)).toMatchObject(SENT);
      const order = pos.requests.find(
        (request) => request.includes(posIdPartner) && request.startsWith('POST /order '),
      );
      expect(order).toContain(`Authorization: Bearer ${TOKEN}\r\n`);
    },
  );

  describe('a body that cannot be read may say anything', () => {
    test.each([200, 400, 404, 422])(
      'below HTTP %i: FAILED, never SENT and never parked (D24, L135)',
      async (status) => {
        const sold = await sellEach(UNREADABLE);
        for (const { form, key } of sold) plan.set(key, form[0](status, '{"errorCode":901,"message":"refused"}'));
        await scenario.relay.tick();
        for (const { form, id } of sold) {
          const line = expect.stringMatching(/^HTTP \d+ \(the body cannot be read: [\x20-\x7e]+\)/);
          expect(await endOf(id)).toEqual({ status: 'FAILED', cause: 'failing', last_error: line });
          expect((await endOf(id)).last_error).toContain(form[1]);
          // D17: a 4xx has refused the order, whatever it says beside
          expect(await scenario.jobs.attempts(id)).toMatchObject([{ reach: status === 200 ? 'UNKNOWN' : 'ANSWERED' }]);
        }
      },
    );

    test('401 is a refused token, 503 an outage: the status decides (D24)', async () => {
      const [first, second] = await sellEach({ 401: 401, 503: 503 });
      const [form] = UNREADABLE['a damaged gzip'] as readonly [Form, string];
      for (const each of [first, second]) if (each) plan.set(each.key, form(each.form, '{"errorCode":1}'));
      await scenario.relay.tick();
      expect(await endOf(first?.id as string)).toMatchObject({ status: 'FAILED', cause: 'sign_in' });
      expect(await endOf(second?.id as string)).toMatchObject({ status: 'FAILED', cause: 'failing' });
    });

    test('an answer to a look-up is not clear, and nothing is sent (D24, D20)', async () => {
      const sold = await lookUpEach(UNREADABLE, ([form]) => form, '{"data":{}}');
      for (const { id } of sold) expect(await endOf(id)).toMatchObject({ status: 'FAILED', cause: 'failing' });
    });

    test('a sign-in has failed, and the reason is named (T7)', async () => {
      const [form] = UNREADABLE['a damaged gzip'] as readonly [Form, string];
      pos.deeds['/auth'] = (socket) => void write(socket, form(200, JSON.stringify({ token: TOKEN })));
      const fields = { name: 'Any', codeStorePos: '1', codeStoreTerminal: 'UNREAD' };
      const own = { posIdPartner: 'partner-unread', posSecret: PARTNER.secret };
      await scenario.api.post('/restaurants', token, { ...fields, ...own }).expect(201);
      const id = await scenario.relay.accept(sale({ storeCode: 'UNREAD' }));
      await scenario.relay.tick();
      delete pos.deeds['/auth'];
      const last_error = expect.stringMatching(/^POS sign-in failed: .*the body cannot be read.*"gzip"/);
      expect(await endOf(id)).toEqual({ status: 'FAILED', cause: 'failing', last_error });
    });

    test.each<[string, (text: string) => Buffer]>([
      ['in UTF-32', (text) => Buffer.from([...text].flatMap((character) => [character.charCodeAt(0), 0, 0, 0]))],
      ['compressed by br, without a header', (text) => brotliCompressSync(text)],
      ['compressed by deflate, without a header', (text) => deflateRawSync(text)],
      ['behind a NUL, without an object', () => Buffer.from('\0 the token has expired')],
    ])('a 2xx that is no text, %s: FAILED, never SENT; below a 422 the status says enough (D24)', async (_, encode) => {
      const sold = await sellEach({ 200: 200, 422: 422 });
      const text = JSON.stringify({
        errorCode: 901,
        message: 'the credentials of this restaurant are not valid any more',
      });
      for (const { form, key } of sold) plan.set(key, [answer(form, encode(text))]);
      await scenario.relay.tick();
      const [first, second] = sold.map(({ id }) => id) as [string, string];
      const last_error = expect.stringContaining(
        '(the body cannot be read: it is no text, and no header says what it is)',
      );
      expect(await endOf(first)).toEqual({ status: 'FAILED', cause: 'failing', last_error });
      expect(await scenario.jobs.attempts(first)).toMatchObject([{ reach: 'UNKNOWN' }]);
      expect(await endOf(second)).toMatchObject({ status: 'DLQ', cause: 'refused' });
    });

    test.each(['OK\0', 'Pedido aceito: ação', '\u00e7\u00e3o'])(
      'the text of a simple program is a text: %j is SENT (D9)',
      async (text) => {
        const [sold] = await sellEach({ one: Buffer.from(text, 'latin1') });
        if (sold) plan.set(sold.key, [answer(200, sold.form)]);
        await scenario.relay.tick();
        expect(await endOf(sold?.id as string)).toEqual({ ...SENT, last_error: null });
      },
    );

    test('bytes that are no text are not quoted (D25)', async () => {
      const id = await scenario.relay.accept(sale());
      const bytes = Buffer.from(Array.from({ length: 300 }, (_, n) => (n * 37) % 256));
      plan.set(await scenario.keyOf(id), [answer(422, bytes)]);
      await scenario.relay.tick();
      expect(await endOf(id)).toEqual({ status: 'DLQ', cause: 'refused', last_error: 'HTTP 422' });
    });
  });
});

describe('the two HTTP clients', () => {
  const pos = new HostilePos();
  let url: string;
  const orders = new OrderTransport({ connections: 2, timeoutMs: 5_000 });
  const signIns = new PosHttp();
  const CLIENTS = {
    orders: () => orders.request('POST', url, '/order', {}, '{}'),
    'sign-ins and checks': () => signIns.post(`${url}/order`, {}, {}, 5_000),
  } as const;

  beforeAll(async () => {
    url = await pos.listen();
  });
  afterAll(async () => {
    signIns.close();
    await orders.close();
    await pos.close();
  });

  const answering = (bytes: Buffer, end = false) => {
    pos.deeds['/order'] = (socket) => (end ? socket.end(bytes) : socket.write(bytes));
  };

  describe.each(Object.entries(CLIENTS))('%s', (_, call) => {
    test('ask for no encoding (D23)', async () => {
      answering(GRANTED);
      await call();
      expect(pos.requests.at(-1)).toMatch(/\r\nAccept-Encoding: identity\r\n/i);
    });

    test.each([
      ['gzip', gzipSync],
      ['deflate', deflateSync],
    ])('64 KiB of a bomb are read, in %s of one and of two layers (L11)', async (encoding, pack) => {
      const bomb = pack(Buffer.alloc(32 * 1_048_576, 'x'));
      answering(answer(422, bomb, `Content-Encoding: ${encoding}`));
      expect(await call()).toEqual({ kind: 'answered', status: 422, body: 'x'.repeat(65_536), broken: false });
      answering(answer(422, pack(bomb), `Content-Encoding: ${encoding}, ${encoding}`));
      expect(await call()).toEqual({ kind: 'answered', status: 422, body: 'x'.repeat(65_536), broken: false });
    });

    test('a compressed body that breaks off is broken, not damaged: its beginning is read (D11)', async () => {
      const bytes = answer(422, gzipSync('{"errorCode":310}'), 'Content-Encoding: gzip', 'Content-Length: 1000');
      answering(bytes.subarray(0, -8), true);
      const exchange = await call();
      expect(exchange).toMatchObject({ kind: 'answered', status: 422, broken: true, body: '{"errorCode":310}' });
    });

    test('a flood of interim answers is cut off: the order may have arrived (D6, L168)', async () => {
      const flood = Buffer.from('HTTP/1.1 102 Processing\r\nX: y\r\n\r\n'.repeat(200));
      pos.deeds['/order'] = (socket) => pos.flood(socket, '', flood);
      expect(await call()).toMatchObject({ kind: 'unanswered', reach: 'UNKNOWN', code: 'TOO_MANY_INTERIM' });
      answering(Buffer.concat([Buffer.from('HTTP/1.1 102 Processing\r\n\r\n'.repeat(100)), answer(200, '{}')]));
      expect(await call()).toMatchObject({ kind: 'answered', status: 200 });
    });

    test('an empty body with an encoding is empty (D23)', async () => {
      answering(answer(200, '', 'Content-Encoding: gzip'));
      expect(await call()).toEqual({ kind: 'answered', status: 200, body: '', broken: false });
    });
  });
});
