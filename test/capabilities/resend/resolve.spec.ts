import { type Caller, Scenario } from '../../support/scenario.js';

describe('settling parked orders of earlier days by hand (R40)', () => {
  const scenario = Scenario.ofSuite({ RESEND: 'restaurants' });
  let id: string;
  let owner: Caller;
  let sell: (changes?: object) => Promise<string>;
  let stores = 0;

  beforeEach(async () => {
    ({ id, owner, sell } = await scenario.restaurant(`RESOLVE-${++stores}`));
    await scenario.database.query(`UPDATE restaurants SET code_store_pos = '1001' WHERE id = $1`, [id]);
  });

  /** a parked order that was received some days ago */
  async function parked(days: number, message = 'unknown product X1'): Promise<string> {
    const job = await scenario.settle(await sell(), 'DLQ', message);
    await scenario.jobs.receivedAt(job, new Date(Date.now() - days * 86_400_000).toISOString());
    return job;
  }
  const resolve = (body: object, token = owner.token) =>
    scenario.api.post(`/restaurants/${id}/parked/resolve`, token, { reason: 'entered by hand', ...body });
  const state = async () => (await scenario.api.get(`/restaurants/${id}/state`, owner.token).expect(200)).body;
  const orders = async (query: string) =>
    (await scenario.api.get(`/restaurants/${id}/orders?${query}`, owner.token).expect(200)).body.data;
  const jobsOf = async (path: string) =>
    (await scenario.api.get(path, await scenario.relay.login()).expect(200)).body.data.length;

  test('only orders of earlier business days are settled; the count comes first, and the audit has the reason', async () => {
    const [today, yesterday, old] = [await parked(0), await parked(1), await parked(40)];
    expect((await resolve({ dryRun: true }).expect(200)).body.data).toEqual({ matched: 2, resolved: 0 });
    expect((await state()).parked).toMatchObject({ orders: 3, cancels: 0, earlier: { orders: 2, cancels: 0 } });
    const { body } = await resolve({ before: '9999-12-31' }).expect(200);
    expect(body).toEqual({ message: '2 of 2 jobs settled', data: { matched: 2, resolved: 2 } });
    for (const job of [yesterday, old]) expect((await scenario.jobs.get(job)).status).toBe('DLQ');
    expect((await state()).parked).toMatchObject({ orders: 1, earlier: { orders: 0, cancels: 0 } });
    expect((await orders('state=parked')).map(({ transactionKey }: never) => transactionKey)).toEqual([
      await scenario.keyOf(today),
    ]);
    const { body: entries } = await scenario.api
      .get(`/restaurants/${id}/audit?action=orders.resolved`, owner.token)
      .expect(200);
    expect(entries.data).toHaveLength(1);
    expect(entries.data[0].details).toEqual({ resolved: 2, reason: 'entered by hand', before: '9999-12-31' });
  });

  test('before: a business day; cause: a word (O30), or a text of the state (R19)', async () => {
    await parked(3, 'unknown product 11');
    await parked(9, 'unknown product 12');
    const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
    expect((await resolve({ before: day, dryRun: true }).expect(200)).body.data.matched).toBe(1);
    expect((await resolve({ cause: 'refused', dryRun: true }).expect(200)).body.data.matched).toBe(2);
    expect((await resolve({ cause: 'refund', dryRun: true }).expect(200)).body.data.matched).toBe(0);
    const [{ cause }] = (await state()).parked.causes;
    expect((await resolve({ cause, dryRun: true }).expect(200)).body.data.matched).toBe(2);
  });

  test.each([
    [{ reason: '' }],
    [{ reason: 'x'.repeat(201) }],
    [{ reason: null }],
    [{ before: '2026-02-30' }],
    [{ before: '2026-02-03T00:00:00Z' }],
    [{ cause: '' }],
    [{ dryRun: 'yes' }],
  ])('%j: 400', async (body) => {
    await resolve(body).expect(400);
  });

  test('a cancel that was given up is settled with its order', async () => {
    const order = await scenario.settle(await sell(), 'SENT');
    const { body } = await scenario.cancel(id, await scenario.keyOf(order), owner.token).expect(202);
    await scenario.settle(body.data.jobId, 'DLQ', 'the kitchen has begun');
    await scenario.jobs.receivedAt(order, new Date(Date.now() - 2 * 86_400_000).toISOString());
    expect((await state()).parked).toMatchObject({ cancels: 1, earlier: { orders: 0, cancels: 1 } });
    expect((await resolve({}).expect(200)).body.data).toEqual({ matched: 1, resolved: 1 });
    expect((await state()).parked).toMatchObject({ orders: 0, cancels: 0 });
    expect(await orders('state=parked')).toEqual([]);
    expect(await orders('state=parked&action=CANCEL')).toEqual([]);
    const [{ state: of, resolvedAt }] = await orders('cancelled=true');
    expect([of, typeof resolvedAt]).toEqual(['resolved', 'string']);
  });

  test('what is settled counts in no list of parked jobs, of operators and metrics too, and is not sent with the others; the order says when (R41)', async () => {
    const job = await parked(2);
    const metrics = async () => {
      const { text } = await scenario.api.get('/admin/metrics/prometheus', await scenario.relay.login()).expect(200);
      const [, count] = /^relay_jobs\{status="DLQ"\} (\d+)$/m.exec(text) as RegExpExecArray;
      return Number(count);
    };
    const before = [await jobsOf('/admin/jobs?status=DLQ'), await metrics()] as [number, number];
    await resolve({}).expect(200);
    expect([await jobsOf('/admin/jobs?status=DLQ'), await metrics()]).toEqual(before.map((count) => count - 1));
    for (const query of ['state=parked', 'status=DLQ']) expect(await orders(query)).toEqual([]);
    const [listed] = await orders('');
    expect([listed.state, typeof listed.resolvedAt]).toEqual(['resolved', 'string']);
    const path = `/restaurants/${id}/orders/${await scenario.keyOf(job)}`;
    expect((await scenario.api.get(path, owner.token).expect(200)).body.resolvedAt).toBe(listed.resolvedAt);
    const all = await scenario.api.post(`/restaurants/${id}/resend`, owner.token, {}).expect(200);
    expect(all.body.data.matched).toBe(0);
  });

  test.each(['one order', 'by SQL', 'a plain UPDATE'])(
    'sent again (%s), it is an open order again (R41)',
    async (how) => {
      const job = await parked(2);
      await resolve({}).expect(200);
      if (how === 'one order') {
        const path = `/restaurants/${id}/orders/${await scenario.keyOf(job)}/resend`;
        await scenario.api.post(path, owner.token, {}).expect(202);
      } else if (how === 'by SQL') await scenario.database.query('SELECT reset_jobs(ARRAY[$1::uuid])', [job]);
      else
        await scenario.database.query(
          `UPDATE outbox_jobs SET status = 'PENDING', attempts = 0, next_run_at = now(), last_error = NULL WHERE id = $1`,
          [job],
        );
      const [row] = await scenario.database.query('SELECT status, resolved_at FROM outbox_jobs WHERE id = $1', [job]);
      expect(row).toEqual({ status: 'PENDING', resolved_at: null });
      await scenario.settle(job, 'DLQ', 'unknown product X1');
      expect((await state()).parked.orders).toBe(1);
    },
  );

  test('OWNER, ADMIN and MANAGER may; EMPLOYEE, VIEWER and people of other restaurants may not', async () => {
    for (const [role, status] of [
      ['ADMIN', 200],
      ['MANAGER', 200],
      ['EMPLOYEE', 403],
      ['VIEWER', 403],
    ] as const)
      await resolve({ dryRun: true }, (await scenario.staff(id, role)).token).expect(status);
    const other = await scenario.restaurant(`OTHER-${stores}`);
    await resolve({ dryRun: true }, other.token).expect(403);
  });
});
