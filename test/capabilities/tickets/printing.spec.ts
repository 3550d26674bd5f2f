import { PrinterSimulator } from '../../../tools/simulator/printer.js';
import { Scenario } from '../../support/scenario.js';
import { addPrinter, atNoon, offerEnds, type Printing, round, ticketOf } from './printing.js';

const REPEAT = '** POSSIBLE REPEAT **';

describe('a printer fetches its tickets', () => {
  const scenario = Scenario.ofSuite();
  let restaurant: Awaited<ReturnType<Scenario['restaurant']>>;
  let id: string;
  let printer: PrinterSimulator;

  beforeAll(async () => {
    restaurant = await scenario.restaurant('STORE-1');
    await atNoon(scenario, restaurant.id);
  });
  beforeEach(async () => {
    ({ id, printer } = await addPrinter(scenario, restaurant));
  });
  afterEach(() => scenario.database.query('WITH jobs AS (DELETE FROM outbox_jobs) DELETE FROM printers'));

  /** A parked sale with a ticket. @returns the id of its job */
  async function parked(changes?: object): Promise<string> {
    const job = await scenario.settle(await restaurant.sell(changes), 'DLQ');
    await round(scenario.relay);
    return job;
  }
  const ticket = async (job: string) => ticketOf(scenario, job);
  const orderOf = async (job: string) => {
    const key = encodeURIComponent(await scenario.keyOf(job));
    return (await scenario.api.get(`/restaurants/${restaurant.id}/orders/${key}`, restaurant.token).expect(200)).body;
  };

  test('poll, GET, DELETE with 200: printed once, and the order says when and where (K4, K8)', async () => {
    const job = await parked({ transactionNumber: '77' });
    expect((await orderOf(job)).ticket).toEqual({ state: 'WAITING', printer: null, printedAt: null, failure: null });
    expect(await printer.poll()).toBe(true);
    expect(printer.printed).toEqual([expect.stringContaining('# 7 7')]);
    expect(printer.printed[0]).not.toContain(REPEAT);
    expect(await ticket(job)).toMatchObject({ state: 'PRINTED', printer_id: id, offers: 1 });
    const printed = { state: 'PRINTED', printer: 'Kitchen', printedAt: expect.any(String), failure: null };
    expect((await orderOf(job)).ticket).toEqual(printed);
    expect(await printer.poll()).toBe(false);
  });

  test('an order without a ticket says so, and lists have no tickets (K8)', async () => {
    const job = await restaurant.sell();
    expect((await orderOf(job)).ticket).toBeNull();
    const { body } = await scenario.api.get(`/restaurants/${restaurant.id}/orders`, restaurant.token).expect(200);
    expect(body.data[0]).not.toHaveProperty('ticket');
  });

  test('the oldest first, one at a time (K4)', async () => {
    const jobs = [await parked({ transactionNumber: '1' }), await parked({ transactionNumber: '2' })];
    const first = await printer.ask();
    expect(first).toMatchObject({
      jobReady: true,
      mediaTypes: ['text/plain'],
      jobToken: (await ticket(jobs[0] as string))?.id,
    });
    expect(await printer.ask()).toEqual({ jobReady: false });
    await offerEnds(scenario);
    await printer.poll();
    await printer.poll();
    expect(printer.printed.map((text) => /# (\d)/.exec(text)?.[1])).toEqual(['1', '2']);
  });

  test('GET changes nothing, and a lost answer to it costs nothing (K4)', async () => {
    const job = await parked();
    await printer.ask();
    const before = await ticket(job);
    for (let i = 0; i < 3; i++) {
      const { text, headers } = await scenario.relay.http.get(new URL(printer.address).pathname).expect(200);
      expect(text).toContain('NOT IN THE POS');
      expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    }
    expect(await ticket(job)).toEqual(before);
  });

  test.each([true, false])(
    'a lost DELETE: after 60 s the ticket is printed again, as a possible repeat; token sent: %s (K4)',
    async (sendsToken) => {
      const other = (await addPrinter(scenario, restaurant, { sendsToken })).printer;
      const job = await parked();
      other.fail('lost_delete');
      await other.poll();
      expect(await other.poll()).toBe(false);
      await offerEnds(scenario);
      expect(await other.poll()).toBe(true);
      expect(other.printed.map((text) => text.includes(REPEAT))).toEqual([false, true]);
      expect(await ticket(job)).toMatchObject({ state: 'PRINTED', is_repeat: true, offers: 2 });
    },
  );

  test('a printer that prints twice before its DELETE gets the same ticket twice (K4)', async () => {
    const job = await parked();
    printer.fail('twice');
    await printer.poll();
    expect(new Set(printer.printed).size).toBe(1);
    expect(await ticket(job)).toMatchObject({ state: 'PRINTED', offers: 1 });
  });

  test('520: the ticket is offered again at once, and is no repeat (K5)', async () => {
    const job = await parked();
    printer.fail('timeout');
    await printer.poll();
    expect(await ticket(job)).toMatchObject({ state: 'WAITING', is_repeat: false });
    await printer.poll();
    expect(printer.printed).toEqual([expect.not.stringContaining(REPEAT)]);
    expect(await ticket(job)).toMatchObject({ state: 'PRINTED', is_repeat: false });
  });

  test.each([
    ['paper', 'paper'],
    ['cover', 'cover'],
  ] as const)('%s: not printed, with the reason, and not offered again (K5)', async (fault, failure) => {
    const job = await parked();
    printer.fail(fault);
    await printer.poll();
    expect(await ticket(job)).toMatchObject({ state: 'FAILED', failure });
    expect((await orderOf(job)).ticket).toMatchObject({ state: 'FAILED', failure, printedAt: null });
    await offerEnds(scenario);
    await round(scenario.relay);
    expect(await printer.poll()).toBe(false);
    expect(printer.printed).toEqual([]);
  });

  test.each([
    ['200 OK', 'PRINTED', null],
    ['211 OK, Paper Low', 'PRINTED', null],
    ['200', 'PRINTED', null],
    ['510 Incompatible', 'FAILED', 'code 510'],
    ['521', 'FAILED', 'code 521'],
    [undefined, 'OFFERED', null],
    ['OK', 'OFFERED', null],
    ['20000', 'OFFERED', null],
  ])('DELETE with code %s: %s (K5)', async (code, state, failure) => {
    const job = await parked();
    await printer.ask();
    await scenario.relay.http
      .delete(new URL(printer.address).pathname)
      .query(code === undefined ? {} : { code })
      .expect(200);
    expect(await ticket(job)).toMatchObject({ state, failure });
  });

  test.each([
    ['text/plain', 200],
    ['Text/Plain; charset=utf-8', 200],
    ['', 200],
    ['image/png', 415],
    ['application/vnd.star.starprnt', 415],
  ])('a ticket that is asked for as %p: %d (K4)', async (type, status) => {
    const job = await parked();
    const { jobToken } = await printer.ask();
    const answer = await scenario.relay.http.get(new URL(printer.address).pathname).query({ token: jobToken, type });
    expect([answer.status, answer.body.code]).toEqual([status, status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : undefined]);
    expect((await ticket(job))?.state).toBe('OFFERED');
  });

  test('a DELETE counts for the ticket that it names, on offer to this printer, and for no other (K5)', async () => {
    const job = await parked();
    const other = (await addPrinter(scenario, restaurant)).printer;
    const { jobToken } = await printer.ask();
    const end = (of: PrinterSimulator, token: unknown) =>
      scenario.relay.http.delete(new URL(of.address).pathname).query({ code: '200', token }).expect(200);
    await end(other, jobToken);
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'another-server', [jobToken, 'another-server']])
      await end(printer, unknown);
    expect((await ticket(job))?.state).toBe('OFFERED');
    await end(printer, jobToken);
    await end(printer, jobToken);
    expect((await ticket(job))?.state).toBe('PRINTED');
  });

  test('a printer that never confirms is offered a ticket five times; then it has failed (K4, L32)', async () => {
    const job = await parked();
    printer.fail(...Array<'lost_delete'>(6).fill('lost_delete'));
    for (let i = 0; i < 6; i++) {
      await printer.poll();
      await offerEnds(scenario);
    }
    expect(printer.printed).toHaveLength(5);
    await round(scenario.relay);
    expect(await ticket(job)).toMatchObject({ state: 'FAILED', failure: 'unconfirmed' });
  });

  test.each([
    ['it prints', { printingInProgress: true }],
    ['it has no paper', { statusCode: '410%20Paper%20Out' }],
    ['its cover is open', { statusCode: '420' }],
  ])('nothing is offered while %s (K4)', async (_, body) => {
    await parked();
    expect(await printer.ask(body)).toEqual({ jobReady: false });
    expect((await printer.ask()).jobReady).toBe(true);
  });

  test.each<[string, unknown]>([
    ['no body', undefined],
    ['an empty object', {}],
    [
      'nulls',
      {
        status: null,
        printerMAC: null,
        uniqueID: null,
        statusCode: null,
        printingInProgress: null,
        clientAction: null,
      },
    ],
    [
      'other types',
      { status: 1, statusCode: ['200'], printingInProgress: 'no', clientAction: [{ request: 'x' }], extra: {} },
    ],
    ['a status that cannot be decoded', { statusCode: '2%zz' }],
  ])('a poll with %s is answered (K4)', async (_, body) => {
    await parked();
    const asked = scenario.relay.http.post(new URL(printer.address).pathname);
    const { body: answer } = await (body === undefined ? asked : asked.send(body as object)).expect(200);
    expect(answer.jobReady).toBe(true);
  });

  test('after a restart of the relay the offer goes on (K4)', async () => {
    const job = await parked();
    const { jobToken } = await printer.ask();
    const next = await scenario.start();
    const elsewhere = new PrinterSimulator(next.url + new URL(printer.address).pathname);
    expect(await elsewhere.ask()).toEqual({ jobReady: false });
    const path = new URL(printer.address).pathname;
    await next.http.get(path).expect(200);
    await next.http.delete(path).query({ code: '200 OK', token: jobToken }).expect(200);
    expect((await ticket(job))?.state).toBe('PRINTED');
  });

  test('two printers share the tickets; what one of them left open the other prints as a possible repeat (K4)', async () => {
    const second: Printing = await addPrinter(scenario, restaurant, { name: 'Bar' });
    const jobs = [await parked(), await parked()];
    await printer.ask();
    expect(await second.printer.poll()).toBe(true);
    expect(await ticket(jobs[1] as string)).toMatchObject({ state: 'PRINTED', printer_id: second.id });
    await offerEnds(scenario);
    await second.printer.poll();
    expect(second.printer.printed.map((text) => text.includes(REPEAT))).toEqual([false, true]);
    expect((await orderOf(jobs[0] as string)).ticket).toMatchObject({ state: 'PRINTED', printer: 'Bar' });
  });
});
