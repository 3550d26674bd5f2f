import type { View } from '../api/client.js';
import { useSharedTexts } from '../i18n/shared.js';
import { Icon, type IconName } from './icons.js';

type OrderState = View<'OrderView'>['state'];

/** What a badge says of an order: its state, or more exactly what happens in it; that it is a test. */
export type Badge = OrderState | 'sending' | 'retrying' | 'cancelling' | 'cancelParked' | 'test';

/** Each state has an icon of its own, so that none is told by its colour alone. */
const LOOKS: Record<Badge, { readonly icon: IconName; readonly tone: string }> = {
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

/** @param order its state, and the fields that say what happens in it; `status` and `withdrawn` are those of its CREATE job */
export function badgeOf(order: Pick<View<'OrderView'>, 'state' | 'status' | 'withdrawn' | 'cancellation'>): Badge {
  const { state, status, withdrawn, cancellation } = order;
  if (state === 'waiting' && status === 'PROCESSING') return 'sending';
  if (state === 'waiting' && status === 'FAILED') return 'retrying';
  if (state === 'parked' && cancellation !== null) return 'cancelParked';
  if (state === 'cancelled' && !withdrawn && cancellation !== 'SENT') return 'cancelling';
  return state;
}

export function StateBadge({ badge }: { readonly badge: Badge }) {
  const texts = useSharedTexts();
  const { icon, tone } = LOOKS[badge];
  return (
    <span className={`badge tone-${tone}`}>
      <Icon name={icon} />
      {texts.states[badge]}
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
