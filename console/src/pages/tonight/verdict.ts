import type { View } from '../../api/client.js';
import type { Cause } from '../../design/cause.js';

type State = View<'StateView'>;

/** Which lamp is lit: `idle` none, since nothing has come yet. */
export type Lamp = 'good' | 'wait' | 'bad' | 'idle';

/** What kept orders from the POS: the word, and `lastError`. */
export interface Why {
  readonly cause: Cause;
  readonly text: string | null;
}

/** What the traffic light says, before it is put into words. */
export type Verdict =
  | { readonly kind: 'idle' }
  | { readonly kind: 'delivered'; readonly orders: number; readonly cancelled: number }
  | { readonly kind: 'underWay'; readonly delivered: number; readonly orders: number; readonly waiting: number }
  | {
      readonly kind: 'failing';
      readonly waiting: number;
      readonly since: string;
      readonly failure: Why & { readonly httpStatus: number | null };
      readonly nextTryAt: string | null;
    }
  | { readonly kind: 'late'; readonly late: number }
  | { readonly kind: 'parked'; readonly parked: number; readonly why: Why; readonly causes: number }
  | { readonly kind: 'cancelParked'; readonly parked: number; readonly why: Why };

/**
 * What is to be known of a restaurant's state, the worst first: the traffic light says the first, and the others, which are
 * troubles too, stand below it.
 */
export function verdictsOf(state: State): [Verdict, ...Verdict[]] {
  const { waiting, parked } = state;
  const causes = (action: 'CREATE' | 'CANCEL') => parked.causes.filter((cause) => cause.action === action);
  const whyOf = (action: 'CREATE' | 'CANCEL'): Why => {
    const [first] = causes(action);
    return { cause: first?.kind ?? null, text: first?.cause ?? null };
  };
  const troubles: Verdict[] = [];
  if (parked.orders > 0)
    troubles.push({ kind: 'parked', parked: parked.orders, why: whyOf('CREATE'), causes: causes('CREATE').length });
  if (parked.cancels > 0) troubles.push({ kind: 'cancelParked', parked: parked.cancels, why: whyOf('CANCEL') });
  if (waiting.orders > 0 && waiting.failing) {
    const { since, cause, error: text, httpStatus } = waiting.failing;
    const failure = { cause, text, httpStatus };
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
