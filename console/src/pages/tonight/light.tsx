import type { View } from '../../api/client.js';
import { useNow } from '../../browser/now.js';
import { Announcer } from '../../design/announcer.js';
import { Icon, type IconName } from '../../design/icons.js';
import { useSentence } from './sentence.js';
import { useTexts } from './texts.js';
import { type Lamp, lampOf, verdictsOf } from './verdict.js';

const LAMPS: readonly (readonly [Exclude<Lamp, 'idle'>, IconName])[] = [
  ['bad', 'stop'],
  ['wait', 'clock'],
  ['good', 'check'],
];

/** The traffic light: a lamp and a sentence. What is to be done stands below it, a card for each cause (R67). */
export function Light({
  state,
  readAt,
  timezone,
}: {
  readonly state: View<'StateView'>;
  /** when the state was read, by this device's clock, in ms */
  readonly readAt: number;
  readonly timezone: string;
}) {
  const texts = useTexts();
  const [verdict, ...others] = verdictsOf(state);
  const lamp = lampOf(verdict);
  // the device's clock may be wrong: only the time since the answer is taken from it
  const now = Date.parse(state.now) + Math.max(0, useNow(undefined) - readAt);
  const sentenceOf = useSentence(timezone);
  return (
    <section
      className={`light light-${lamp} ${state.needs.length > 0 ? 'light-compact' : ''}`}
      aria-label={texts.light}
    >
      <div className="light-housing" aria-hidden="true">
        {LAMPS.map(([each, icon]) => (
          <span key={each} className={`light-lamp light-lamp-${each} ${each === lamp ? 'is-lit' : ''}`}>
            {each === lamp && <Icon name={icon} />}
          </span>
        ))}
      </div>
      <p className="light-sentence" data-testid="verdict">
        {sentenceOf(verdict, now).sentence}
      </p>
      {/* without the countdown: it would be read every second */}
      <Announcer text={[verdict, ...others].map((each) => sentenceOf(each, now).sentence).join('. ')} />
    </section>
  );
}
