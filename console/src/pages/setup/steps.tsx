import type { ReactNode } from 'react';
import type { View } from '../../api/client.js';
import { type SetupTopic, setupPlace } from '../../api/setup-place.js';
import { Button, ButtonLink } from '../../design/button.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { Link } from '../../router/link.js';
import { useOverview } from '../../session/overview.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { useHas } from '../../session/session.js';
import { fetches, isPushed } from './pulling-api.js';
import { usePullingTexts, useTexts } from './texts.js';

export type Step = View<'RestaurantOverviewView'>['setup'][number];

/** How often the overview is read while a step is left: a sale or a poll ticks a step. The first sale is waited for by somebody who looks. */
const STEPS_MS = 10_000;
const FIRST_SALE_MS = 2_000;

const SENDS = ['codeStorePos', 'credentials', 'firstSale'] as const;
const FETCHES = ['currency', 'credentials', 'firstPoll', 'firstSale'] as const;

/** The topic of each step. */
export const TOPIC_OF: Readonly<Record<Step, SetupTopic>> = {
  codeStorePos: 'restaurant',
  currency: 'restaurant',
  credentials: 'pos',
  firstPoll: 'pos',
  firstSale: 'terminals',
};
/** Where the fields of a step are; of the credentials, those of a POS that fetches its orders come first. */
const FIELDS: Readonly<Record<Step, readonly string[]>> = {
  codeStorePos: ['.setup-topic-restaurant'],
  currency: ['.setup-topic-restaurant select'],
  credentials: ['.setup-topic-pos .add-key', '.setup-topic-pos'],
  firstPoll: ['.setup-topic-pos .copyable button'],
  firstSale: ['#setup-test-sale'],
};

/** What the set-up of a restaurant lacks (R45); empty while it is not known. */
export function useStepsLeft({ id, slug }: OwnRestaurant, everyMs?: number): readonly Step[] {
  // a user may have hundreds of restaurants
  const { data } = useOverview(slug, undefined, everyMs);
  return data?.data.find((restaurant) => restaurant.id === id)?.setup ?? [];
}

/** A new place step by step: only the next step has a button (N24). Each step ticks itself when it is done; after the last one a link leads to Tonight. */
export function StepsPanel({
  restaurant,
  left,
  onGo,
}: {
  readonly restaurant: OwnRestaurant;
  readonly left: readonly Step[];
  readonly onGo: (step: Step) => void;
}) {
  const { steps: texts } = useTexts();
  const [next] = left;
  useStepsLeft(restaurant, next === 'firstSale' ? FIRST_SALE_MS : STEPS_MS);
  const { steps, names, buttons } = useStepTexts(restaurant);
  return (
    <Panel title={texts.title} className="setup-steps">
      <ol>
        {/* a POS that fetches its orders has four without it */}
        {steps.length < FETCHES.length && <Tick isDone name={texts.created} />}
        {steps.map((step) => (
          <Tick key={step} isDone={!left.includes(step)} isNext={step === next} name={names[step]}>
            {step === next && step === 'firstSale' && <p className="setup-waits">{texts.waits}</p>}
            {step === next && (
              <Button kind="primary" icon="arrow" onClick={() => onGo(step)}>
                {buttons[step]}
              </Button>
            )}
          </Tick>
        ))}
      </ol>
      <div role="status">
        {next === undefined && (
          <p className="row field-good">
            {texts.arrived}
            <ButtonLink to={`/r/${restaurant.id}/tonight`} kind="primary" icon="lamp">
              {texts.toTonight}
            </ButtonLink>
          </p>
        )}
      </div>
      {next !== undefined && <WayLine restaurant={restaurant} />}
    </Panel>
  );
}

/** A step with its tick, or the place for it. */
function Tick({
  isDone,
  isNext = false,
  name,
  children,
}: {
  readonly isDone: boolean;
  readonly isNext?: boolean;
  readonly name: string | undefined;
  readonly children?: ReactNode;
}) {
  const { steps: texts } = useTexts();
  return (
    <li className={isDone ? 'setup-done' : undefined} aria-current={isNext ? 'step' : undefined}>
      <span className="setup-tick">{isDone && <Icon name="check" />}</span>
      <div>
        {name}
        {isDone && <span className="unseen"> ({texts.done})</span>}
        {children}
      </div>
    </li>
  );
}

/** The steps of a restaurant in their order, with their words. */
function useStepTexts(restaurant: OwnRestaurant): {
  readonly steps: readonly Step[];
  readonly names: Readonly<Partial<Record<Step, string>>>;
  readonly buttons: Readonly<Partial<Record<Step, string>>>;
} {
  const sends = useTexts().steps;
  const pulls = usePullingTexts().steps;
  if (!fetches(restaurant)) return { steps: SENDS, ...sends };
  return { steps: isPushed(restaurant) ? FETCHES.filter((step) => step !== 'firstPoll') : FETCHES, ...pulls };
}

/** Which way the steps are for, and the way to the other one. */
function WayLine({ restaurant }: { readonly restaurant: OwnRestaurant }) {
  const { steps: texts } = usePullingTexts();
  const has = useHas();
  if (!has('open-delivery')) return null;
  return (
    <p className="fine">
      {fetches(restaurant) ? (
        <>
          <Icon name="check" /> {texts.vendor}
        </>
      ) : (
        texts.ask
      )}{' '}
      <Link to={setupPlace(restaurant.id, 'pos')}>{texts.toVendor}</Link>
    </p>
  );
}

/** The first empty field of a step gets the focus. @returns whether the step is on the page */
export function focusStep(step: Step): boolean {
  const part = FIELDS[step].map((place) => document.querySelector<HTMLElement>(place)).find((each) => each !== null);
  if (part instanceof HTMLDetailsElement) part.open = true;
  const inputs = [...(part?.querySelectorAll<HTMLInputElement>('input') ?? [])];
  const field =
    inputs.find(({ value, required }) => value === '' && required) ??
    inputs.find(({ value }) => value === '') ??
    inputs[0] ??
    part;
  field?.focus();
  return part !== undefined;
}
