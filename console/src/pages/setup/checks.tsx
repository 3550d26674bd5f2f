import { useMutation } from '@tanstack/react-query';
import type { FindingCode, Values } from '../../../../src/capabilities/doctor/words.js';
import { answerOf, api, type View } from '../../api/client.js';
import { Problem } from '../../api/problem.js';
import { Button } from '../../design/button.js';
import { ErrorText } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { Panel } from '../../design/page.js';
import { LevelBadge } from '../../design/states.js';
import { type Formats, useFormats } from '../../i18n/formats.js';
import type { OwnRestaurant } from '../../session/restaurants.js';
import { fetches } from './pulling-api.js';
import { useCheckTexts, usePullingTexts, useTexts } from './texts.js';

type Check = View<'CheckView'>;

/** The checks of the set-up: would the next sale reach the POS? */
export function ChecksPanel({
  restaurant,
  isFirst,
}: {
  readonly restaurant: OwnRestaurant;
  /** whether the checks are what is to be done first on the page */
  readonly isFirst: boolean;
}) {
  const [{ checks: ofSending }, { checks: ofFetching }] = [useTexts(), usePullingTexts()];
  const texts = fetches(restaurant) ? { ...ofSending, ...ofFetching } : ofSending;
  const { id: restaurantId, timezone } = restaurant;
  const checking = useMutation({
    mutationFn: async () => {
      const params = { path: { restaurantId } };
      return (await answerOf(api.POST('/restaurants/{restaurantId}/check', { params }))).data.checks;
    },
  });
  const { data, error, isPending } = checking;
  const problems = data?.filter(({ level }) => level !== 'ok').length ?? 0;
  const isTooSoon = error instanceof Problem && error.code === 'TOO_MANY_CHECKS';
  return (
    <Panel title={texts.title}>
      <div className="stack">
        <p className="quiet">{texts.intro}</p>
        <div className="row">
          <Button kind={isFirst ? 'primary' : 'plain'} icon="repeat" busy={isPending} onClick={() => checking.mutate()}>
            {isPending ? texts.running : data ? texts.again : texts.run}
          </Button>
        </div>
        <div role="status">
          {data && !isPending && (
            <p className={problems === 0 ? 'field-good' : 'check-problems'}>
              <Icon name={problems === 0 ? 'check' : 'warning'} />{' '}
              {problems === 0 ? texts.fine : texts.problems(problems)}
            </p>
          )}
          {isTooSoon ? <p>{texts.wait}</p> : error && <ErrorText error={error} />}
        </div>
        {data && (
          <ul className="check-list">
            {data.map((check) => (
              <CheckItem key={check.name} check={check} timezone={timezone} />
            ))}
          </ul>
        )}
      </div>
    </Panel>
  );
}

function CheckItem({ check, timezone }: { readonly check: Check; readonly timezone: string }) {
  const texts = useCheckTexts();
  const formats = useFormats();
  const { name, level, params, message, advice } = check;
  // a newer relay may find what these texts do not have: then its own words are shown
  const code = check.code as FindingCode;
  const found = texts.found[code] as ((values: Values) => string) | undefined;
  const todo = texts.advice[code] ?? (found ? undefined : advice);
  return (
    <li className="check">
      <LevelBadge level={level} />
      <div>
        <h3>{texts.names[name] ?? name}</h3>
        {found ? <p>{sentence(found(valuesOf(params, formats, timezone)))}</p> : <p lang="en">{sentence(message)}</p>}
        {todo && <p className="check-advice">{sentence(todo)}</p>}
      </div>
    </li>
  );
}

/** The doctor's English is written for lines of a terminal, too. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}

function valuesOf(params: Check['params'], formats: Formats, timezone: string): Values {
  const text = (name: string, value: Check['params'][string]): string => {
    if (name === 'ms') return formats.duration(Number(value));
    if (name === 'receivedAt') return formats.dateTime(String(value), timezone);
    return String(value ?? '');
  };
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, text(name, value)]));
}
