import { causeOf } from '../../api/cause.js';
import type { View } from '../../api/client.js';

type State = View<'StateView'>;

/** Which lamp is lit: `idle` none, since nothing has come yet. */
export type Lamp = 'good' | 'wait' | 'bad' | 'idle';

/** How the POS fails, for the middle of a sentence. */
export type Failure =
  | { readonly kind: 'unanswered' | 'signIn' }
  | { readonly kind: 'error'; readonly status: number }
  | { readonly kind: 'other'; readonly text: string };

/** What the traffic light says, before it is put into words. */
export type Verdict =
  | { readonly kind: 'idle' }
  | { readonly kind: 'delivered'; readonly orders: number; readonly cancelled: number }
  | { readonly kind: 'underWay'; readonly delivered: number; readonly orders: number; readonly waiting: number }
  | {
      readonly kind: 'failing';
      readonly waiting: number;
      readonly since: string;
      readonly failure: Failure;
      readonly nextTryAt: string | null;
    }
  | { readonly kind: 'late'; readonly late: number }
  | { readonly kind: 'parked'; readonly parked: number; readonly cause: string; readonly causes: number }
  | { readonly kind: 'cancelParked'; readonly parked: number; readonly cause: string };

/**
 * What is to be known of a restaurant's state, the worst first: the traffic light says the first, and the others, which are
 * troubles too, stand below it.
 */
export function verdictsOf(state: State): [Verdict, ...Verdict[]] {
  const { waiting, parked } = state;
  const causes = (action: 'CREATE' | 'CANCEL') => parked.causes.filter((cause) => cause.action === action);
  const detail = (action: 'CREATE' | 'CANCEL') => causeOf(causes(action)[0]?.cause ?? null).detail;
  const troubles: Verdict[] = [];
  if (parked.orders > 0)
    troubles.push({ kind: 'parked', parked: parked.orders, cause: detail('CREATE'), causes: causes('CREATE').length });
  if (parked.cancels > 0) troubles.push({ kind: 'cancelParked', parked: parked.cancels, cause: detail('CANCEL') });
  if (waiting.orders > 0 && waiting.failing) {
    const { since } = waiting.failing;
    const failure = failureOf(waiting.failing);
    troubles.push({ kind: 'failing', waiting: waiting.orders, since, failure, nextTryAt: waiting.nextTryAt });
  } else if (waiting.late > 0) troubles.push({ kind: 'late', late: waiting.late });
  const [worst, ...others] = troubles;
  return worst ? [worst, ...others] : [calm(state)];
}

/** The state in which nobody has to do anything. */
function calm({ today, waiting }: State): Verdict {
  const orders = today.orders - today.cancelled;
  if (waiting.orders > 0) return { kind: 'underWay', delivered: today.delivered, orders, waiting: waiting.orders };
  return today.orders === 0
    ? { kind: 'idle' }
    : { kind: 'delivered', orders: today.delivered, cancelled: today.cancelled };
}

export function lampOf({ kind }: Verdict): Lamp {
  if (kind === 'parked' || kind === 'cancelParked') return 'bad';
  if (kind === 'failing' || kind === 'late') return 'wait';
  return kind === 'idle' ? 'idle' : 'good';
}

function failureOf({ httpStatus, error }: NonNullable<State['waiting']['failing']>): Failure {
  const { kind, detail } = causeOf(error);
  if (kind === 'signIn') return { kind: 'signIn' };
  if (kind === 'unanswered') return { kind: 'unanswered' };
  if (httpStatus !== null) return { kind: 'error', status: httpStatus };
  return { kind: 'other', text: detail };
}
