import { endingOf, takenBackAt } from '../../../console/src/pages/order/ending.js';

const attempt = (httpStatus: number | null, errorCode: string | null = null) =>
  ({ outcome: 'SENT', httpStatus, errorCode }) as never;
const at = '2026-11-22T20:00:00.000Z';

describe('what the POS said by the attempt that settled a job (N12)', () => {
  test.each([
    ['CREATE', 200, null, 'delivered'],
    ['CREATE', 400, '904', 'duplicate'],
    ['CREATE', 200, 'ASKED_FOUND', 'found'],
    ['CANCEL', 200, null, 'cancelDelivered'],
    ['CANCEL', 404, null, 'cancelAbsent'],
    ['CANCEL', 404, 'ASKED_NOT_FOUND', 'cancelAbsent'],
    ['CANCEL', null, 'ASKED_NOT_FOUND', 'cancelAbsent'],
  ] as const)('%s, HTTP %s, %s: %s', (action, status, code, ending) => {
    expect(endingOf(action, attempt(status, code))).toBe(ending);
  });

  test('a cancelled order was taken back by the POS, or the POS never had it', () => {
    const create = { action: 'CREATE', history: [attempt(200)], updatedAt: at } as const;
    const cancel = (...history: never[]) => ({ action: 'CANCEL', history, updatedAt: at }) as const;
    const failed = { outcome: 'FAILED', httpStatus: 503, errorCode: null } as never;
    expect(takenBackAt([create, cancel(failed, attempt(200))])).toBe(at);
    expect(takenBackAt([create, cancel(failed, attempt(404))])).toBeUndefined();
    expect(takenBackAt([create, cancel()])).toBeUndefined();
    expect(takenBackAt([create])).toBeUndefined();
  });
});
