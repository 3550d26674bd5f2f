import { Scenario } from '../../support/scenario.js';

interface Split {
  deliveredCents: number;
  waitingCents: number;
  parkedCents: number;
  cancelledCents: number;
}

describe('takings by state of the orders (R17, C11)', () => {
  const scenario = Scenario.ofSuite();

  async function restaurant() {
    const { id, token, sell } = await scenario.store();
    const sellFor = (amount: number, tenderType = 16) => sell({ payments: [{ tenderType, amount }] });
    const cancel = async (job: string): Promise<string> =>
      (await scenario.cancel(id, await scenario.keyOf(job), token).expect(202)).body.data.jobId;
    const statistics = async () => (await scenario.api.get(`/restaurants/${id}/statistics`, token).expect(200)).body;
    /** [delivered, waiting, parked, cancelled] in cents; every sum agrees */
    const split = async () => {
      const { amounts } = await statistics();
      const parts = ({ deliveredCents, waitingCents, parkedCents, cancelledCents }: Split) => [
        ...[deliveredCents, waitingCents, parkedCents, cancelledCents],
      ];
      const sum = (numbers: number[]) => numbers.reduce((total, each) => total + each, 0);
      expect(sum(parts(amounts))).toBe(amounts.totalCents);
      for (const rows of [amounts.byTender, amounts.byDay]) {
        for (const row of rows) expect(sum(parts(row))).toBe(row.cents);
        parts(amounts).forEach((part, i) => {
          expect(sum(rows.map((row: Split) => parts(row)[i]))).toBe(part);
        });
      }
      return parts(amounts);
    };
    return { id, sellFor, cancel, statistics, split };
  }

  test('delivered, waiting, parked and cancelled, by tender and by day; the parts sum to every amount', async () => {
    const { id, sellFor, cancel, statistics, split } = await restaurant();
    await scenario.settle(await sellFor(1), 'SENT');
    await scenario.settle(await sellFor(2, 1), 'DLQ');
    const delivered = await scenario.settle(await sellFor(4), 'SENT');
    await scenario.settle(await cancel(delivered), 'SENT');
    const withdrawn = await sellFor(8, 1);
    await scenario.settle(await cancel(withdrawn), 'SENT');
    await scenario.settle(await sellFor(16), 'FAILED');
    await scenario.jobs.take(await sellFor(32));
    await sellFor(64);
    expect(await split()).toEqual([100, 11_200, 200, 1_200]);
    const { orders, amounts } = await statistics();
    expect(orders).toEqual({ PENDING: 1, PROCESSING: 1, SENT: 1, FAILED: 1, DLQ: 1, cancelled: 2 });
    expect(amounts.byTender).toEqual([
      expect.objectContaining({ tenderType: '16', name: 'credit card', deliveredCents: 100, cancelledCents: 400 }),
      expect.objectContaining({ tenderType: '1', name: 'cash', parkedCents: 200, cancelledCents: 800 }),
    ]);
    await scenario.database.query(
      `UPDATE terminal_events SET received_at = received_at - interval '3 days'
       WHERE restaurant_id = $1 AND paid_cents IN (100, 400)`,
      [id],
    );
    expect(await split()).toEqual([100, 11_200, 200, 1_200]);
    expect((await statistics()).amounts.byDay).toMatchObject([
      { orders: 2, cents: 500, deliveredCents: 100, cancelledCents: 400 },
      { orders: 5, cents: 12_200, waitingCents: 11_200, parkedCents: 200, cancelledCents: 800 },
    ]);
  });

  test('a cancel moves the amount when it is requested, and back when it is parked', async () => {
    const { sellFor, cancel, split } = await restaurant();
    const job = await scenario.settle(await sellFor(10), 'SENT');
    const cancelJob = await cancel(job);
    expect(await split()).toEqual([0, 0, 0, 1_000]);
    await scenario.settle(cancelJob, 'DLQ', 'too late');
    expect(await split()).toEqual([1_000, 0, 0, 0]);
    await cancel(job);
    await scenario.settle(cancelJob, 'SENT');
    expect(await split()).toEqual([0, 0, 0, 1_000]);
  });
});
