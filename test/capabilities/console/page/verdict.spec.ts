import { badgeOf } from '../../../../console/src/design/badge.js';
import { actsFor, type Cause, gaveUp, mayBeThere, wordsFor } from '../../../../console/src/design/cause.js';
import { en as sharedEn } from '../../../../console/src/i18n/en.js';
import { ptBR as sharedPt } from '../../../../console/src/i18n/pt-BR.js';
import { lampOf, verdictsOf } from '../../../../console/src/pages/tonight/verdict.js';
import { CAUSE_WORDS, SUBJECTS } from '../../../../src/domain/cause.js';
import { ACTS, type RemedyKey } from '../../../../src/platform/conditions/remedy.js';
import { en as STEPS } from '../../../../src/platform/conditions/remedy-steps.en.js';
import { ptBR as STEPS_PT } from '../../../../src/platform/conditions/remedy-steps.pt-BR.js';
import { en } from '../../../../src/platform/conditions/remedy-words.en.js';
import { ptBR } from '../../../../src/platform/conditions/remedy-words.pt-BR.js';
import { WAITING, waitingHelp } from '../../../../src/platform/conditions/waiting.js';

type State = Parameters<typeof verdictsOf>[0];

const SINCE = '2026-11-21T22:42:00.000Z';
const NEXT = '2026-11-21T22:50:00.000Z';
const failing = (cause: Cause, error: string, httpStatus: number | null = null) => ({
  cause,
  since: SINCE,
  httpStatus,
  errorCode: null,
  error,
});

/** An entry for each cause of today, as the relay groups them (R67). */
function needsOf(parked: Partial<State['parked']> = {}): State['needs'] {
  const today = (parked.causes ?? []).filter((each) => each.today > 0);
  const groups = [...new Set(today.map(({ action, kind }) => `${action} ${kind}`))];
  return groups.map((group) => {
    const [action = '', kind = ''] = group.split(' ');
    return {
      ...{
        kind: action === 'CREATE' ? 'ORDER_PARKED' : 'CANCEL_PARKED',
        cause: kind as NonNullable<Cause>,
        subject: null,
      },
      ...{ name: null, count: 1, cents: 0, oldestAt: null, newestAt: null, orders: [], products: [] },
    };
  });
}

/** A state in which nothing has happened, but for this. */
function state(changes: {
  today?: object;
  waiting?: object;
  parked?: Partial<State['parked']>;
  refusedSales?: number;
  pause?: State['pause'];
  needs?: State['needs'];
}): State {
  return {
    restaurantId: '',
    now: NEXT,
    timezone: 'UTC',
    dayClosesAt: '00:00',
    today: {
      ...{
        day: '2026-11-21',
        from: SINCE,
        to: SINCE,
        orders: 0,
        refunds: 0,
        delivered: 0,
        waiting: 0,
        parked: 0,
        resolved: 0,
        cancelled: 0,
        ...{ takenCents: 0, cancelledCents: 0, refundedCents: 0, netCents: 0, tipCents: 0, serviceFeeCents: 0 },
        counts: { sales: 0, refunds: 0, tests: 0, cancelled: 0 },
      },
      ...changes.today,
    },
    pause: changes.pause ?? null,
    resumingUntil: null,
    waiting: {
      ...{ orders: 0, cancels: 0, late: 0, oldestReceivedAt: null, nextTryAt: null, failing: null, recovery: null },
      ...changes.waiting,
    },
    parked: { orders: 0, cancels: 0, earlier: { orders: 0, cancels: 0 }, causes: [], ...changes.parked },
    refusedSales: changes.refusedSales ?? 0,
    needs: changes.needs ?? needsOf(changes.parked),
    refusedKeys: [],
  };
}
const cause = (text: string, action: 'CREATE' | 'CANCEL' = 'CREATE', kind: Cause = 'refused', today = 1) => ({
  ...{
    cause: text,
    kind,
    action,
    count: 1,
    today,
    newestAt: SINCE,
    transactionKey: 'T',
    transactionNumber: null,
    label: null,
  },
});

describe('the traffic light', () => {
  const verdict = (changes: Parameters<typeof state>[0]) => verdictsOf(state(changes))[0];

  test('no lamp before the first order', () => {
    expect(verdict({})).toEqual({ kind: 'idle' });
    expect(lampOf(verdict({}))).toBe('idle');
  });

  test('yellow: a pause comes before what fails or is late (O49)', () => {
    const pause = { since: SINCE, until: NEXT, reason: 'too much to do', by: 'owner@example.com' };
    const paused = verdictsOf(state({ pause, waiting: { orders: 3, late: 3 } }));
    expect(paused).toEqual([{ kind: 'paused', until: NEXT }]);
    expect(lampOf(paused[0])).toBe('wait');
  });

  test('green: all are in the POS; cancelled orders are counted separately', () => {
    const all = verdict({ today: { orders: 43, delivered: 41, cancelled: 2 } });
    expect(all).toEqual({ kind: 'delivered', orders: 41, cancelled: 2 });
    expect(lampOf(all)).toBe('good');
  });

  test('green while orders are on their way and nothing has failed', () => {
    const some = verdict({ today: { orders: 41, delivered: 40, waiting: 1 }, waiting: { orders: 1, nextTryAt: NEXT } });
    expect([some, lampOf(some)]).toEqual([{ kind: 'underWay', delivered: 40, orders: 41, waiting: 1 }, 'good']);
  });

  test('yellow, and how the POS fails', () => {
    const how = failing('failing', 'HTTP 503: busy', 503);
    const found = verdict({ waiting: { orders: 3, nextTryAt: NEXT, failing: how } });
    const failure = { cause: 'failing', text: 'HTTP 503: busy', httpStatus: 503 };
    expect(found).toEqual({ kind: 'failing', waiting: 3, since: SINCE, failure, nextTryAt: NEXT });
    expect(lampOf(found)).toBe('wait');
  });

  test('yellow when orders are late although nothing has failed', () => {
    const late = verdict({ waiting: { orders: 3, late: 2 } });
    expect([late, lampOf(late)]).toEqual([{ kind: 'late', late: 2 }, 'wait']);
  });

  test('red: parked orders come first, with their cause; failing orders below', () => {
    const verdicts = verdictsOf(
      state({
        today: { orders: 9, delivered: 5 },
        waiting: { orders: 3, failing: failing('failing', 'HTTP 503', 503) },
        parked: { orders: 1, causes: [cause('HTTP 422, POS error 12: unknown product X1')] },
      }),
    );
    expect(verdicts.map(({ kind }) => kind)).toEqual(['parked', 'failing']);
    expect(verdicts[0]).toEqual({ kind: 'parked', parked: 1, causes: [{ cause: 'refused', subject: null }] });
    expect(lampOf(verdicts[0])).toBe('bad');
  });

  test('red when a cancel is parked: the POS still has the order', () => {
    const found = verdict({ parked: { cancels: 1, causes: [cause('HTTP 422: the kitchen has begun', 'CANCEL')] } });
    expect(found).toEqual({ kind: 'cancelParked', parked: 1, causes: [{ cause: 'refused', subject: null }] });
  });

  test('alike causes are one reason; causes of earlier days are no reason of today (N20, R42)', () => {
    const causes = [
      cause('unknown product X1'),
      cause('unknown product X2'),
      cause('items: empty', 'CREATE', 'unmappable'),
      cause('items[0]', 'CREATE', 'refund', 0),
    ];
    const [today, earlier] = verdictsOf(state({ parked: { orders: 54, earlier: { orders: 51, cancels: 0 }, causes } }));
    expect(today).toEqual({
      kind: 'parked',
      parked: 3,
      causes: [
        { cause: 'refused', subject: null },
        { cause: 'unmappable', subject: null },
      ],
    });
    expect(earlier).toEqual({ kind: 'earlier', parked: 51 });
  });

  test('what earlier days left behind is amber, and never the first: the headline is of today (R42, N21)', () => {
    const parked = { orders: 50, cancels: 1, earlier: { orders: 50, cancels: 1 } };
    const quiet = verdictsOf(state({ parked }));
    expect(quiet).toEqual([{ kind: 'idle' }, { kind: 'earlier', parked: 51 }]);
    const done = verdictsOf(state({ today: { orders: 40, delivered: 40 }, parked }));
    expect(done.map(lampOf)).toEqual(['good', 'wait']);
    const red = verdictsOf(state({ parked: { ...parked, orders: 51, causes: [cause('HTTP 422')] } }));
    expect(red.map(lampOf)).toEqual(['bad', 'wait']);
  });

  test('sales that were refused stand below the headline, in red, before what earlier days left behind (R50)', () => {
    const parked = { orders: 1, earlier: { orders: 1, cancels: 0 } };
    const verdicts = verdictsOf(state({ today: { orders: 4, delivered: 4 }, parked, refusedSales: 2 }));
    expect(verdicts.map(({ kind }) => kind)).toEqual(['delivered', 'refused', 'earlier']);
    expect(verdicts.map(lampOf)).toEqual(['good', 'bad', 'wait']);
  });

  test('red, not green, while sales of a terminal do not arrive: the orders are those that arrived (N20)', () => {
    const refused = { kind: 'SENDER_REFUSED', name: 'Bar', count: 3, cents: null, oldestAt: SINCE } as const;
    const needs: State['needs'] = [
      { ...refused, cause: null, subject: null, newestAt: null, orders: [], products: [] },
    ];
    const all = verdict({ today: { orders: 2, delivered: 2 }, needs });
    expect([all, lampOf(all)]).toEqual([
      { kind: 'missing', arrived: { kind: 'delivered', orders: 2, cancelled: 0 } },
      'bad',
    ]);
    expect(verdict({ needs })).toEqual({ kind: 'missing', arrived: { kind: 'idle' } });
    const late = verdict({ waiting: { orders: 3, late: 2 }, needs });
    expect(late).toEqual({ kind: 'late', late: 2 });
  });

  test('amber, not green, while sales have stopped (N20, G59)', () => {
    const plain = { cause: null, subject: null, newestAt: null, cents: null, orders: [], products: [] };
    const silent = { ...plain, kind: 'SENDER_SILENT', name: null, count: 0, oldestAt: SINCE } as const;
    const all = verdict({ today: { orders: 2, delivered: 2 }, needs: [silent] });
    expect([all, lampOf(all)]).toEqual([
      { kind: 'silent', arrived: { kind: 'delivered', orders: 2, cancelled: 0 } },
      'wait',
    ]);
    const refused = { ...plain, kind: 'SENDER_REFUSED', name: 'Bar', count: 3, oldestAt: SINCE } as const;
    expect(verdict({ needs: [refused, silent] }).kind).toBe('missing');
  });

  test('a parked order that was settled by hand has a badge of its own (R41)', () => {
    const order = { status: 'DLQ', withdrawn: false, cancellation: null } as const;
    const states = ['parked', 'resolved', 'refund'] as const;
    expect(states.map((state) => badgeOf({ ...order, state }))).toEqual(states);
  });
});

describe('the words for a cause', () => {
  test.each([en, ptBR])(
    'each cause that the relay writes has a sentence and a remedy of its own in every language: %# (N20)',
    (words) => {
      const causes = CAUSE_WORDS.filter((cause) => cause !== 'refused');
      const keys = [...SUBJECTS.map((subject) => `refused_${subject}`), ...causes, 'other'];
      expect(Object.keys(words)).toEqual(keys);
      const all = Object.values(words);
      expect(new Set(all.map(({ cause }) => cause)).size).toBe(keys.length);
      for (const place of [0, 1] as const)
        expect(new Set(all.map(({ reason }) => reason[place])).size).toBe(keys.length);
    },
  );

  test.each([
    ['refused', null, 'the POS refused it'],
    ['refused', 'product', 'the POS does not know a product of it'],
    ['failing', 'product', 'the POS answers with an error'],
    [null, null, 'it failed'],
    ['of a later relay', null, 'it failed'],
  ] as const)('%s, %s: %s', (cause, subject, words) => {
    expect(wordsFor(en, cause as Cause, subject).cause).toBe(words);
  });

  test('a step that needs an act is said only of a cause that offers it: what cannot be mapped is not sent again, what may be there is looked for first (R67)', () => {
    for (const [key, steps] of Object.entries(STEPS))
      for (const { act } of steps)
        expect([key, act === undefined || ACTS[key as RemedyKey].includes(act)]).toEqual([key, true]);
    expect(ACTS.unmappable).toEqual(['entered']);
    for (const key of ['unconfirmed', 'lost'] as const) expect(STEPS[key][0]?.act).toBeUndefined();
  });

  test.each([
    ['en', STEPS, sharedEn],
    ['pt-BR', STEPS_PT, sharedPt],
  ])(
    'a step names the button as the button says it: what may be there has one that says so; %s (R67)',
    (_, all, { entered }) => {
      for (const key of Object.keys(ACTS) as RemedyKey[]) {
        const named = all[key].flatMap(({ say }) => /“(.+)”/.exec(say)?.[1] ?? []);
        const isPerhapsThere = key === 'unconfirmed' || key === 'lost';
        expect([key, new Set(named)]).toEqual([
          key,
          new Set(named.map(() => (isPerhapsThere ? entered.there : entered.button))),
        ]);
        if (isPerhapsThere) expect(named).toHaveLength(1);
        expect([key, key.startsWith('refused') || mayBeThere(key as Cause) === isPerhapsThere]).toEqual([key, true]);
      }
    },
  );

  test('the buttons of an order are those of the remedy of its cause, wherever it is shown (R67)', () => {
    for (const cause of CAUSE_WORDS)
      for (const subject of cause === 'refused' ? SUBJECTS : [null]) {
        const key = (cause === 'refused' ? `refused_${subject}` : cause) as RemedyKey;
        expect([key, actsFor('parked', cause, subject)]).toEqual([key, ACTS[key]]);
      }
    expect(actsFor('refund', null)).toEqual(['entered']);
    expect(actsFor('retrying', 'failing')).toEqual(['send']);
  });

  test.each([
    ['en', 'they would be there twice', 'tell an owner or administrator', sharedEn],
    ['pt-BR', 'eles estariam lá duas vezes', 'avise um proprietário ou administrador', sharedPt],
  ] as const)(
    'what waits is not entered by hand, whatever its cause; what is wrong in the set-up is said to those who may change it and to those who may not; %s (R67)',
    (language, twice, tell, { entered }) => {
      const words = WAITING[language];
      for (const cause of [...CAUSE_WORDS, null]) expect(waitingHelp(words, cause, 2, false)).toContain(twice);
      for (const key of Object.keys(ACTS) as RemedyKey[]) {
        if (ACTS[key][0] !== 'setup' || key.startsWith('refused')) continue;
        const [self, others] = words.mend[key] ?? [];
        expect([key, others]).toEqual([key, expect.stringContaining(tell)]);
        expect([key, self]).toEqual([key, expect.not.stringContaining(tell)]);
        expect(waitingHelp(words, key, 2, false)).toContain(others);
        expect(waitingHelp(words, key, 2, true)).toContain(self);
      }
      expect(words.enteredAnyway).toContain(`“${entered.button}”`);
    },
  );

  test('a parked job was given up after its attempts, unless its cause would not pass (O16)', () => {
    const passing = [
      'unanswered',
      'failing',
      'busy',
      'sign_in',
      'no_code_store_pos',
      'no_currency',
      'no_credentials',
      'unconfirmed',
    ];
    expect(CAUSE_WORDS.filter(gaveUp)).toEqual([...passing, 'internal']);
    expect(gaveUp(null)).toBe(false);
  });
});
