import { Scenario } from '../../support/scenario.js';
import { FileDesk, lines } from './file-desk.js';

const HEADER = 'reference;date;amount';
const at = (n: number) => `2026-11-20T19:${String(n).padStart(2, '0')}:00Z`;
const sold = (n: number) => ({ key: `F-${n}`, at: at(n), cents: 1_000 + n });
const row = (n: number) => `F-${n};${at(n).slice(0, 10)} ${at(n).slice(11, 19)};${((1_000 + n) / 100).toFixed(2)}`;
const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => row(from + i));

describe('a file of which few payments are found', () => {
  const scenario = Scenario.ofSuite();
  let desk: FileDesk;
  beforeEach(async () => {
    desk = await FileDesk.open(scenario);
    await desk.sold(Array.from({ length: 10 }, (_, n) => sold(n)));
  });
  const confirm = (id: string, body: object) => scenario.api.post(`${desk.path}/${id}/confirm`, desk.token, body);

  test('below 90 % the confirmation asks, with what it would say; the preview has the same figures (J21, L215)', async () => {
    // 8 of 10 are here; what is listed twice, of another day or no sale does not count
    const file = lines(HEADER, ...rows(2, 12), row(2), 'F-99;2026-11-20 19:30:00;0,00');
    const { id, mapping, preview } = await desk.uploaded(file);
    const figures = { sales: 10, missing: 2, missingCents: 1_010 + 1_011 };
    expect(preview.claim).toEqual({ ...figures, asks: true });
    expect(preview.rows.slice(0, 8)).toMatchObject(
      [2, 3, 4, 5, 6, 7, 8, 9].map((n) => ({
        reference: `F-${n}`,
        answer: 'MATCHED',
        sale: { transactionKey: `F-${n}`, cents: 1_000 + n, at: at(n).replace('Z', '.000Z') },
      })),
    );
    expect(preview.rows.slice(8)).toMatchObject([
      ...[10, 11].map((n) => ({ reference: `F-${n}`, answer: 'MISSING_HERE', sale: null })),
      { answer: 'DUPLICATE' },
      { answer: 'IGNORED', sale: null },
    ]);
    for (const body of [
      { ...mapping, claim: false },
      { mapping, claim: false },
    ]) {
      const { body: asked } = await confirm(id, body).expect(409);
      expect(asked).toMatchObject({ code: 'FEW_SALES_FOUND', figures });
      expect(asked.message).toContain('2 of 10 payments, 20.21, never reached the relay');
    }
    await confirm(id, { ...mapping, claim: null }).expect(400);
    await confirm(id, { ...mapping, claim: 'yes' }).expect(400);
    expect((await desk.scenario.api.get(`${desk.path}/${id}`, desk.token).expect(200)).body.data.state).toBe(
      'UPLOADED',
    );
    const { body } = await confirm(id, { mapping }).expect(200);
    expect(body.data.state).toBe('CONFIRMED');
    const other = await desk.uploaded(lines(HEADER, ...rows(2, 12), ''));
    await confirm(other.id, { ...other.mapping, claim: true }).expect(200);
  });

  test('at 90 % and above it does not ask (J21, L215)', async () => {
    const { id, mapping, preview } = await desk.uploaded(lines(HEADER, ...rows(1, 11)));
    expect(preview.claim).toEqual({ sales: 10, missing: 1, missingCents: 1_010, asks: false });
    await confirm(id, { ...mapping, claim: false }).expect(200);
  });

  test('another mapping says something else, and payments of an earlier file are found (J21)', async () => {
    await desk.confirmed(lines(HEADER, ...rows(0, 10)));
    const { id, mapping, preview } = await desk.uploaded(lines(HEADER, ...rows(0, 10), ''));
    expect(preview.claim).toMatchObject({ sales: 10, missing: 0, asks: false });
    const wrong = { ...mapping, reference: null, zone: 'America/Sao_Paulo' };
    const { body } = await scenario.api.post(`${desk.path}/${id}/preview`, desk.token, wrong).expect(200);
    expect(body.data.claim).toMatchObject({ sales: 10, missing: 10, asks: true });
  });

  test('of a large file only the confirmation says it (J21, L216)', async () => {
    const many = Array.from({ length: 4_991 }, (_, i) => `N-${i};2026-11-20 19:40:00;1,00`);
    const { id, mapping, preview } = await desk.uploaded(lines(HEADER, ...rows(0, 10), ...many));
    expect(preview.claim).toBeNull();
    expect(preview.rows[0]).toMatchObject({ answer: null, sale: null });
    const { body } = await confirm(id, { ...mapping, claim: false }).expect(409);
    expect(body.figures).toEqual({ sales: 5_001, missing: 4_991, missingCents: 499_100 });
    const { preview: small } = await desk.uploaded(lines(HEADER, ...rows(0, 10), ...many.slice(1)));
    expect(small.claim).toMatchObject({ sales: 5_000, missing: 4_990, asks: true });
  });

  test('of a file without a day nothing is known (J21)', async () => {
    const { preview } = await desk.uploaded(lines(HEADER, 'X-1;x;1,00'));
    expect(preview.claim).toBeNull();
  });

  test('a file that is found by authorisations alone does not ask (J9, J21)', async () => {
    const own = await FileDesk.open(scenario);
    await own.sold([{ key: 'A', at: at(1), cents: 1_000, payload: { auth: 'A1B2C3' } }]);
    const { preview } = await own.uploaded(lines('autorização;data;valor', 'A1B2C3;20/11/2026 21:00:00;10,00'));
    expect(preview.claim).toEqual({ sales: 1, missing: 0, missingCents: 0, asks: false });
  });
});
