import type { IconName } from '../../design/icons.js';
import type { Order } from './reading.js';

export type Acceptance = Order['acceptances'][number];
type PosState = Acceptance['state'];

/** The number of the order at the POS, of its last acceptance (Q15); undefined: it has none, or was refused since. */
export function numberAtPos({ acceptances }: Pick<Order, 'acceptances'>): string | undefined {
  const last = acceptances.findLast(({ state }) => state === 'ACCEPTED' || state === 'REFUSED');
  return last?.state === 'ACCEPTED' ? (last.number ?? undefined) : undefined;
}

/** How a state is shown in the journey. */
export const LOOK_OF: Readonly<Record<PosState, { readonly icon: IconName; readonly tone: 'good' | 'bad' | 'quiet' }>> =
  {
    ACCEPTED: { icon: 'check', tone: 'good' },
    REFUSED: { icon: 'stop', tone: 'bad' },
    PREPARING: { icon: 'arrow', tone: 'quiet' },
    READY: { icon: 'check', tone: 'good' },
    DISPATCHED: { icon: 'arrow', tone: 'quiet' },
    PICKED_UP: { icon: 'check', tone: 'quiet' },
    DELIVERED: { icon: 'check', tone: 'good' },
    CANCELLED: { icon: 'cross', tone: 'quiet' },
  };
