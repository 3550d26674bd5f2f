import type { View } from '../../api/client.js';
import { Button } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { useOverview } from '../../session/overview.js';
import { useTexts } from './texts.js';

type Step = View<'RestaurantOverviewView'>['setup'][number];

/** All steps, in the order in which they are done; the place of each on the page. */
const STEPS: Readonly<Record<Step, string>> = {
  codeStorePos: 'setup-restaurant',
  credentials: 'setup-credentials',
  firstSale: 'setup-test-sale',
};

/** What the set-up of a restaurant lacks (R45); empty while it is not known. */
export function useStepsLeft(restaurantId: string): readonly Step[] {
  const { data } = useOverview();
  return data?.data.find(({ id }) => id === restaurantId)?.setup ?? [];
}

/** A new place step by step: only the next step has a button (N24). */
export function StepsPanel({ left }: { readonly left: readonly Step[] }) {
  const { steps: texts } = useTexts();
  const [next] = left;
  return (
    <Panel title={texts.title} className="setup-steps">
      <ol>
        {(Object.keys(STEPS) as Step[]).map((step) => (
          <li key={step} aria-current={step === next ? 'step' : undefined}>
            <span>
              {!left.includes(step) && <Icon name="check" />} {texts.names[step]}
              {!left.includes(step) && <span className="unseen"> ({texts.done})</span>}
            </span>
            {step === next && (
              <Button kind="primary" icon="arrow" onClick={() => goTo(STEPS[step])}>
                {texts.buttons[step]}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Goes to a part of the page: the first of its fields that is empty has the focus. */
function goTo(id: string): void {
  const inputs = [...(document.getElementById(id)?.querySelectorAll<HTMLInputElement>('input') ?? [])];
  (
    inputs.find(({ value, required }) => value === '' && required) ??
    inputs.find(({ value }) => value === '') ??
    inputs[0]
  )?.focus();
}
