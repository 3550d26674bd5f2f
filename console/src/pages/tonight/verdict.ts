import type { View } from '../../api/client.js';
import type { Cause, Subject } from '../../design/cause.js';

type State = View<'StateView'>;
export type Need = View<'NeedView'>;

/** Which lamp is lit: `idle` none, since nothing has come yet. */
export type Lamp = 'good' | 'wait' | 'bad' | 'idle';

/** What kept orders from the POS: the word, and `lastError`. */
export interface Why {
  readonly cause: Cause;
  readonly text: string | null;
}

/** Of a state in which nobody has to do anything about the orders. */
export type Calm =
  | { readonly kind: 'idle' }
  | { readonly kind: 'delivered'; readonly orders: number; readonly cancelled: number }
  | { readonly kind: 'underWay'; readonly delivered: number; readonly orders: number; readonly waiting: number };

/** What the traffic light says, before it is put into words. */
export type Verdict =
  | Calm
  /** nothing is known against the orders that have arrived, but sales of a terminal do not arrive */
  | { readonly kind: 'missing'; readonly arrived: Calm }
  /** the same, and no sale arrives at a time at which some usually do */
  | { readonly kind: 'silent'; readonly arrived: Calm }
  | {
      readonly kind: 'failing';
      readonly waiting: number;
      readonly since: string;
      readonly failure: Why & { readonly httpStatus: number | null };
      readonly nextTryAt: string | null;
    }
  /** the POS works again: orders of the outage are being sent */
  | { readonly kind: 'recovering'; readonly waiting: number }
  | { readonly kind: 'late'; readonly late: number }
  /** nothing of the restaurant is sent (O49) */
  | { readonly kind: 'paused'; readonly until: string }
  /** orders of today; with the kinds of their causes, the most frequent first: see {@link Kinds} */
  | { readonly kind: 'parked'; readonly parked: number; readonly causes: Kinds }
  | { readonly kind: 'cancelParked'; readonly parked: number; readonly causes: Kinds }
  /** sales of the last day that came under the key of another one (W46) */
  | { readonly kind: 'refused'; readonly sales: number }
  /** orders and cancels of earlier days that are parked */
  | { readonly kind: 'earlier'; readonly parked: number };

/** The different causes of some jobs (O30), with what the POS refused (O47). An empty list: not known. */
export type Kinds = readonly { readonly cause: Cause; readonly subject: Subject }[];

/**
 * What is to be known of a restaurant's state, the worst first: the traffic light says the first, and the others, which are
 * troubles too, stand below it. Sales that were refused, and what earlier days left behind, are never the first (R42, R50).
 */
export function verdictsOf(state: State): [Verdict, ...Verdict[]] {
  const { waiting, parked, refusedSales } = state;
  const { earlier } = parked;
  const kinds = (wanted: Need['kind']): Kinds =>
    state.needs.filter(({ kind }) => kind === wanted).map(({ cause, subject }) => ({ cause, subject }));
  const troubles: Verdict[] = [];
  const [orders, cancels] = [parked.orders - earlier.orders, parked.cancels - earlier.cancels];
  if (orders > 0) troubles.push({ kind: 'parked', parked: orders, causes: kinds('ORDER_PARKED') });
  if (cancels > 0) troubles.push({ kind: 'cancelParked', parked: cancels, causes: kinds('CANCEL_PARKED') });
  if (state.pause) troubles.push({ kind: 'paused', until: state.pause.until });
  else if (waiting.orders > 0 && waiting.failing) {
    const { since, cause, error: text, httpStatus } = waiting.failing;
    const failure = { cause, text, httpStatus };
    troubles.push({ kind: 'failing', waiting: waiting.orders, since, failure, nextTryAt: waiting.nextTryAt });
  } else if (waiting.recovery) troubles.push({ kind: 'recovering', waiting: waiting.recovery.orders });
  else if (waiting.late > 0) troubles.push({ kind: 'late', late: waiting.late });
  const arrived = calm(state);
  const [worst = withoutSales(state, arrived), ...others] = troubles;
  const left = earlier.orders + earlier.cancels;
  return [
    ...([worst, ...others] as const),
    ...(refusedSales > 0 ? [{ kind: 'refused', sales: refusedSales } as const] : []),
    ...(left > 0 ? [{ kind: 'earlier', parked: left } as const] : []),
  ];
}

/** Where requests of a terminal are refused, or no sale arrives, the orders of the day may not be all of its sales. */
function withoutSales({ needs }: State, arrived: Calm): Verdict {
  const has = (wanted: Need['kind']) => needs.some(({ kind }) => kind === wanted);
  if (has('SENDER_REFUSED')) return { kind: 'missing', arrived };
  return has('SENDER_SILENT') ? { kind: 'silent', arrived } : arrived;
}

/** The state in which nobody has to do anything. */
function calm({ today, waiting }: State): Calm {
  const orders = today.orders - today.cancelled;
  if (waiting.orders > 0) return { kind: 'underWay', delivered: today.delivered, orders, waiting: waiting.orders };
  return today.orders === 0
    ? { kind: 'idle' }
    : { kind: 'delivered', orders: today.delivered, cancelled: today.cancelled };
}

export function lampOf({ kind }: Verdict): Lamp {
  if (kind === 'parked' || kind === 'cancelParked' || kind === 'refused' || kind === 'missing') return 'bad';
  if (['failing', 'recovering', 'late', 'paused', 'silent', 'earlier'].includes(kind)) return 'wait';
  return kind === 'idle' ? 'idle' : 'good';
}
