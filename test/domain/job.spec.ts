import { type JobStatus, MOVES, type Move } from '../../src/domain/job.js';

const STATUSES: readonly JobStatus[] = ['PENDING', 'PROCESSING', 'SENT', 'FAILED', 'DLQ'];

describe('the states (O1) and moves (O2)', () => {
  const rows: readonly { trigger: string; move: Move; from: readonly JobStatus[]; to: JobStatus }[] = [
    { trigger: 'webhook accepted', move: 'enqueue', from: [], to: 'PENDING' },
    { trigger: 'worker tick', move: 'claim', from: ['PENDING', 'FAILED'], to: 'PROCESSING' },
    { trigger: 'the POS answers success', move: 'deliver', from: ['PROCESSING'], to: 'SENT' },
    { trigger: 'a success after the lease', move: 'deliverLate', from: ['PENDING'], to: 'SENT' },
    { trigger: 'temporary error', move: 'retry', from: ['PROCESSING'], to: 'FAILED' },
    { trigger: 'permanent error', move: 'park', from: ['PROCESSING'], to: 'DLQ' },
    { trigger: 'reaper', move: 'expire', from: ['PROCESSING'], to: 'PENDING' },
    { trigger: 'an instance stops before starting the job', move: 'release', from: ['PROCESSING'], to: 'PENDING' },
    {
      trigger: 'cancelled before it was sent',
      move: 'withdraw',
      from: ['PENDING', 'FAILED', 'DLQ', 'PROCESSING'],
      to: 'DLQ',
    },
    { trigger: 'a parked cancel is requested again', move: 'requestAgain', from: ['DLQ'], to: 'PENDING' },
    {
      trigger: 'entered in the till by hand',
      move: 'settleByHand',
      from: ['PENDING', 'FAILED', 'DLQ', 'PROCESSING'],
      to: 'DLQ',
    },
    { trigger: 'refused by its POS', move: 'refuse', from: ['SENT', 'DLQ'], to: 'DLQ' },
    { trigger: 'another vendor', move: 'parkCancel', from: ['PENDING', 'FAILED'], to: 'DLQ' },
    { trigger: 'manual operator reset', move: 'reset', from: ['DLQ', 'FAILED'], to: 'PENDING' },
  ];

  test.each(rows)('$trigger: $move takes $from to $to', ({ move, from, to }) => {
    expect(MOVES[move]).toEqual({ from, to });
  });

  const moves = Object.values<{ readonly from: readonly JobStatus[]; readonly to: JobStatus }>(MOVES);

  test('SENT is final, but for the refusal of its POS (Q16): no other move leaves it', () => {
    expect(moves.filter(({ from }) => from.includes('SENT'))).toEqual([MOVES.refuse]);
  });

  test('only a claimed job is settled, except by a success after its lease (O12)', () => {
    const settled = moves.filter(({ to }) => to === 'SENT' || to === 'FAILED' || to === 'DLQ');
    const others: readonly object[] = [
      MOVES.withdraw,
      MOVES.settleByHand,
      MOVES.refuse,
      MOVES.deliverLate,
      MOVES.parkCancel,
    ];
    const settlings = settled.filter((move) => !others.includes(move));
    expect(settlings.flatMap(({ from }) => from)).toEqual(['PROCESSING', 'PROCESSING', 'PROCESSING']);
  });

  test('a parked job can only be withdrawn, settled by hand, refused by its POS, reset or, a cancel, requested again', () => {
    expect(
      Object.keys(MOVES).filter((move) => (MOVES[move as Move].from as readonly string[]).includes('DLQ')),
    ).toEqual(['withdraw', 'requestAgain', 'settleByHand', 'refuse', 'reset']);
  });

  test('the states are the five of O1', () => {
    const named = new Set(moves.flatMap(({ from, to }) => [...from, to]));
    expect([...named].toSorted()).toEqual(STATUSES.toSorted());
  });
});
