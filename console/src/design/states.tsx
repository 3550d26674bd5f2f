import { useSharedTexts } from '../i18n/shared.js';
import { Icon, type IconName } from './icons.js';

/** What becomes of an order, as people say it. */
export type OrderState =
  | 'delivered'
  | 'waiting'
  | 'sending'
  | 'retrying'
  | 'parked'
  | 'cancelled'
  | 'cancelling'
  | 'cancelParked'
  | 'test';

/** Each state has an icon of its own, so that none is told by its colour alone. */
const LOOKS: Record<OrderState, { readonly icon: IconName; readonly tone: string }> = {
  delivered: { icon: 'check', tone: 'good' },
  waiting: { icon: 'clock', tone: 'wait' },
  sending: { icon: 'arrow', tone: 'wait' },
  retrying: { icon: 'repeat', tone: 'wait' },
  parked: { icon: 'stop', tone: 'bad' },
  cancelled: { icon: 'cross', tone: 'quiet' },
  cancelling: { icon: 'repeat', tone: 'quiet' },
  cancelParked: { icon: 'stop', tone: 'bad' },
  test: { icon: 'flask', tone: 'quiet' },
};

/** The fields of an order that tell its state. */
interface Told {
  readonly status: 'PENDING' | 'PROCESSING' | 'SENT' | 'FAILED' | 'DLQ';
  readonly withdrawn: boolean;
  readonly cancellation: Told['status'] | null;
}

/** The state of an order: that of its cancel once one was requested. */
export function stateOf({ status, withdrawn, cancellation }: Told): OrderState {
  if (withdrawn || cancellation === 'SENT') return 'cancelled';
  if (cancellation === 'DLQ') return 'cancelParked';
  if (cancellation !== null) return 'cancelling';
  return ({ PENDING: 'waiting', PROCESSING: 'sending', SENT: 'delivered', FAILED: 'retrying', DLQ: 'parked' } as const)[
    status
  ];
}

export function StateBadge({ state }: { readonly state: OrderState }) {
  const texts = useSharedTexts();
  const { icon, tone } = LOOKS[state];
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {texts.states[state]}
    </span>
  );
}

const LEVELS = { ok: ['check', 'good'], warning: ['warning', 'wait'], bad: ['stop', 'bad'] } as const;

/** How a check or a part of the deployment fares. */
export function LevelBadge({ level }: { readonly level: keyof typeof LEVELS }) {
  const texts = useSharedTexts();
  const [icon, tone] = LEVELS[level];
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {texts.levels[level]}
    </span>
  );
}
