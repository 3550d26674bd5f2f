import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { answerOf, api, type View } from '../../api/client.js';
import { Confirm } from '../../design/confirm.js';
import { ErrorText, Loading } from '../../design/feedback.js';
import { Icon } from '../../design/icons.js';
import { useFormats } from '../../i18n/formats.js';
import { useTexts } from './texts.js';

/** Jobs that one call resets; small enough to show progress. */
const STEP = 200;

type Stage = 'counting' | 'asking' | 'running' | 'done';

/** Older orders than this may have been entered by hand, in ms. */
const OLD_MS = 43_200_000;

/** The parked orders of a cause in one restaurant, since a time. */
export interface ResetOf {
  readonly cause: string;
  readonly restaurantId: string;
  readonly name: string;
  /** ISO 8601; undefined: of any time */
  readonly since: string | undefined;
  /** what is to be done first */
  readonly first: string | undefined;
}

/** Counts, asks, and then resets in steps. Closing the dialog stops after the current step. */
export default function Reset({ of, onClose }: { readonly of: ResetOf; readonly onClose: () => void }) {
  const texts = useTexts().reset;
  const { number, amount, dateTime } = useFormats();
  const queries = useQueryClient();
  const [stage, setStage] = useState<Stage>('counting');
  const [counted, setCounted] = useState<View<'ResetView'>>();
  const matched = counted?.data.matched ?? 0;
  const [reset, setReset] = useState(0);
  const [error, setError] = useState<Error>();
  const isOpen = useRef(true);

  useEffect(() => {
    isOpen.current = true;
    call(of, { dryRun: true })
      .then((answer) => {
        setCounted(answer);
        setStage(answer.data.matched === 0 ? 'done' : 'asking');
      })
      .catch(setError);
    return () => {
      isOpen.current = false;
    };
  }, [of]);

  const run = async () => {
    setStage('running');
    try {
      // a job that is parked again is not reset twice: no more jobs than were counted
      for (let done = 0; isOpen.current && done < matched; ) {
        const step = await call(of, { limit: Math.min(STEP, matched - done) });
        done += step.data.reset;
        setReset(done);
        if (step.data.reset === 0) break;
      }
    } catch (failure) {
      setError(failure as Error);
    }
    setStage('done');
    await queries.invalidateQueries({ queryKey: ['operators'] });
  };
  const close = () => {
    void queries.invalidateQueries({ queryKey: ['operators'] });
    onClose();
  };
  const all = number(matched);
  return (
    <Confirm
      open
      title={stage === 'counting' ? texts.wait : texts.title(matched)}
      action={texts.action(all)}
      busy={stage !== 'asking'}
      isOver={stage === 'done' || error !== undefined}
      onConfirm={run}
      onClose={close}
    >
      <p>
        <bdi className="named">{of.name}</bdi>
      </p>
      <ul className="plain-list" lang="en">
        {(counted?.meta?.errors ?? [of.cause]).map((error) => (
          <li key={error}>
            <bdi className="mono">{error}</bdi>
          </li>
        ))}
      </ul>
      {counted?.meta?.oldestAt && (
        <p>{texts.what(dateTime(counted.meta.oldestAt, 'UTC'), amount(counted.meta.paidCents))}</p>
      )}
      {counted?.meta?.oldestAt && Date.now() - Date.parse(counted.meta.oldestAt) > OLD_MS && (
        <p className="cause-note">
          <Icon name="warning" /> {texts.old}
        </p>
      )}
      {of.first !== undefined && (
        <p className="cause-note">
          <Icon name="warning" /> {of.first}
        </p>
      )}
      {stage === 'counting' && !error && <Loading lines={1} />}
      {stage === 'asking' && <p>{texts.text}</p>}
      {stage === 'running' && (
        <progress className="reset-progress" max={matched} value={reset} aria-label={texts.title(matched)} />
      )}
      <p role="status">
        {stage === 'running' && texts.progress(number(reset), all)}
        {stage === 'done' && !error && (matched === 0 ? texts.nothing : texts.done(reset))}
        {stage === 'done' && error && texts.stopped(number(reset), all)}
      </p>
      {error && <ErrorText error={error} />}
    </Confirm>
  );
}

function call(
  { cause, restaurantId, since }: ResetOf,
  how: { dryRun?: boolean; limit?: number },
): Promise<View<'ResetView'>> {
  const body = { cause, restaurantId, ...(since !== undefined && { since }), ...how };
  return answerOf(api.POST('/admin/jobs/reset', { body }));
}
