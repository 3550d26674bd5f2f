import type { View } from '../../api/client.js';
import type { SetupTopic } from '../../api/setup-place.js';
import { Button } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useOverview } from '../../session/overview.js';
import { useTexts } from './texts.js';

export type Step = View<'RestaurantOverviewView'>['setup'][number];

/** All steps, in the order in which they are done; the topic of each. */
export const TOPIC_OF: Readonly<Record<Step, SetupTopic>> = {
  codeStorePos: 'restaurant',
  credentials: 'pos',
  firstSale: 'terminals',
};
const FIELDS: Readonly<Record<Step, string>> = {
  codeStorePos: '.setup-topic-restaurant',
  credentials: '.setup-topic-pos',
  firstSale: '#setup-test-sale',
};

/** What the set-up of a restaurant lacks (R45); empty while it is not known. */
export function useStepsLeft(restaurantId: string): readonly Step[] {
  const { data } = useOverview();
  return data?.data.find(({ id }) => id === restaurantId)?.setup ?? [];
}

/** A new place step by step: only the next step has a button (N24). */
export function StepsPanel({ left, onGo }: { readonly left: readonly Step[]; readonly onGo: (step: Step) => void }) {
  const { steps: texts } = useTexts();
  const [next] = left;
  return (
    <Panel title={texts.title} className="setup-steps">
      <ol>
        {(Object.keys(TOPIC_OF) as Step[]).map((step) => (
          <li key={step} aria-current={step === next ? 'step' : undefined}>
            <span>
              {!left.includes(step) && <Icon name="check" />} {texts.names[step]}
              {!left.includes(step) && <span className="unseen"> ({texts.done})</span>}
            </span>
            {step === next && (
              <Button kind="primary" icon="arrow" onClick={() => onGo(step)}>
                {texts.buttons[step]}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** The first empty field of a step gets the focus. @returns whether the step is on the page */
export function focusStep(step: Step): boolean {
  const part = document.querySelector(FIELDS[step]);
  const inputs = [...(part?.querySelectorAll<HTMLInputElement>('input') ?? [])];
  (
    inputs.find(({ value, required }) => value === '' && required) ??
    inputs.find(({ value }) => value === '') ??
    inputs[0]
  )?.focus();
  return part !== null;
}
