import { useSharedTexts } from '../i18n/shared.js';
import type { Badge } from './badge.js';
import { Icon, type IconName } from './icons.js';

/** Each state has an icon of its own, so that none differs by its colour alone. */
export const LOOK_OF_BADGE: Readonly<Record<Badge, { readonly icon: IconName; readonly tone: string }>> = {
  delivered: { icon: 'check', tone: 'good' },
  waiting: { icon: 'clock', tone: 'wait' },
  sending: { icon: 'arrow', tone: 'wait' },
  retrying: { icon: 'repeat', tone: 'wait' },
  parked: { icon: 'stop', tone: 'bad' },
  resolved: { icon: 'check', tone: 'quiet' },
  refund: { icon: 'back', tone: 'quiet' },
  cancelled: { icon: 'cross', tone: 'quiet' },
  cancelling: { icon: 'repeat', tone: 'quiet' },
  cancelParked: { icon: 'stop', tone: 'bad' },
  test: { icon: 'flask', tone: 'quiet' },
};

export function StateBadge({ badge }: { readonly badge: Badge }) {
  const texts = useSharedTexts();
  const { icon, tone } = LOOK_OF_BADGE[badge];
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
